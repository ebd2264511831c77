//! Rows of text in columns. Knows nothing of what they say.

/// A title and rows in columns; `None` if there are no rows. Columns of numbers
/// with a unit are aligned to the right.
pub(crate) fn section(title: &str, rows: Vec<Vec<String>>, numbers: &[usize]) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = format!("{title}\n");
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            line.push_str(&if numbers.contains(&column) {
                format!("  {cell:>width$}")
            } else {
                format!("  {cell:width$}")
            });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    Some(text)
}
