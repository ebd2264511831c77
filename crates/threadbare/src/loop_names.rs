//! The names by which users set bounds for single loops: a misspelt one would
//! silently change what is checked, so it is refused, with a guess at what was
//! meant.

use crate::Error;
use analysis::Loops;
use ir::Program;

/// Every name is that of a loop of the program.
pub(crate) fn check_loop_names<'n>(
    program: &Program,
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), Error> {
    let known = loop_names(program);
    let Some(name) = names.into_iter().find(|name| !known.contains(name)) else {
        return Ok(());
    };
    let similar = similar_names(name, &known);
    let hint = if known.is_empty() {
        "the program has no loops".to_owned()
    } else if similar.is_empty() {
        "`threadbare show` lists the loops".to_owned()
    } else {
        format!("similar: {}", similar.join(", "))
    };
    Err(Error::NoSuchLoop {
        name: name.clone(),
        hint,
    })
}

fn loop_names(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    for function in program.functions.values() {
        if let Some(body) = &function.body {
            let loops = Loops::of(body);
            names.extend(loops.iter().map(|(id, _)| loops.name(&function.name, id)));
        }
    }
    names
}

/// The loops of the same function, or else names that differ in a few letters,
/// the closest first.
fn similar_names<'k>(name: &str, known: &'k [String]) -> Vec<&'k str> {
    const SHOWN: usize = 5;
    let function = |name: &str| {
        name.rsplit_once('.')
            .map(|(function, _)| function.to_owned())
    };
    let wanted = function(name).unwrap_or_else(|| name.to_owned());
    let mut similar: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|candidate| {
            let distance = match function(candidate) {
                Some(function) if function == wanted => 0,
                _ => edit_distance(name, candidate),
            };
            (distance <= 2.max(name.len() / 3)).then_some((distance, candidate.as_str()))
        })
        .collect();
    similar.sort_by_key(|(distance, _)| *distance);
    similar.truncate(SHOWN);
    similar.into_iter().map(|(_, name)| name).collect()
}

/// How many letters have to be inserted, removed or replaced (Levenshtein).
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (removed, letter) in from.chars().enumerate() {
        let mut diagonal = removed;
        row[0] = removed + 1;
        for (index, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(row[index] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        assert_eq!(edit_distance("main.0", "main.0"), 0);
        assert_eq!(edit_distance("mian.0", "main.0"), 2);
        assert_eq!(edit_distance("worker", "work"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn the_closest_names_come_first() {
        let known = ["main.0", "main.1", "worker.0", "malloc_all.0"].map(str::to_owned);
        assert_eq!(similar_names("main.7", &known), ["main.0", "main.1"]);
        assert_eq!(similar_names("main", &known), ["main.0", "main.1"]);
        assert_eq!(similar_names("wroker.0", &known), ["worker.0"]);
        assert!(similar_names("producer.0", &known).is_empty());
    }
}
