//! Line plots as SVG, with both axes in powers of ten or two. Draws what it is
//! given and decides nothing.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Around the plot, for texts.
const MARGIN: f64 = 56.0;
const COLOURS: [&str; 8] = [
    "#1b6ca8", "#c8553d", "#3c8d40", "#8e5ea2", "#b8860b", "#008b8b", "#a83279", "#555555",
];

pub(crate) struct Plot {
    title: String,
    x: String,
    y: String,
    pub series: Vec<Series>,
}

pub(crate) struct Series {
    name: String,
    /// Those that are not positive numbers are left out.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    pub(crate) fn new(name: &str) -> Series {
        Series {
            name: name.to_owned(),
            points: Vec::new(),
        }
    }

    fn drawn(&self) -> impl Iterator<Item = (f64, f64)> {
        let is_good = |value: f64| value.is_finite() && value > 0.0;
        let points = self.points.iter().copied();
        points.filter(move |(x, y)| is_good(*x) && is_good(*y))
    }
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
        let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high {
            (low, high)
        } else {
            (1.0, 10.0)
        };
        // A single value needs some room around it.
        let (low, high) = if low < high {
            (low, high)
        } else {
            (low / 2.0, high * 2.0)
        };
        Axis {
            low,
            high,
            start,
            end,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value / self.low).ln() / (self.high / self.low).ln();
        self.start + part * (self.end - self.start)
    }

    /// Powers of ten, or of two if there are fewer than two of those.
    fn ticks(&self) -> Vec<f64> {
        let powers = |base: f64| -> Vec<f64> {
            let first = self.low.log(base).ceil() as i32;
            let last = self.high.log(base).floor() as i32;
            (first..=last).map(|power| base.powi(power)).collect()
        };
        let tens = powers(10.0);
        if tens.len() >= 2 { tens } else { powers(2.0) }
    }
}

impl Plot {
    pub(crate) fn new(title: &str, x: &str, y: &str) -> Plot {
        Plot {
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            series: Vec::new(),
        }
    }

    pub(crate) fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(Series::drawn);
        let x = Axis::new(points().map(|point| point.0), MARGIN, WIDTH - MARGIN);
        let y = Axis::new(points().map(|point| point.1), HEIGHT - MARGIN, MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        let text = |svg: &mut String, x: f64, y: f64, anchor: &str, text: &str| {
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
            );
        };
        text(&mut svg, WIDTH / 2.0, 20.0, "middle", &self.title);
        text(&mut svg, WIDTH / 2.0, HEIGHT - 12.0, "middle", &self.x);
        text(&mut svg, MARGIN, MARGIN - 10.0, "middle", &self.y);
        for tick in x.ticks() {
            let place = x.place(tick);
            let bottom = HEIGHT - MARGIN;
            line(&mut svg, (place, MARGIN), (place, bottom));
            text(&mut svg, place, bottom + 16.0, "middle", &tick.to_string());
        }
        for tick in y.ticks() {
            let place = y.place(tick);
            line(&mut svg, (MARGIN, place), (WIDTH - MARGIN, place));
            text(
                &mut svg,
                MARGIN - 6.0,
                place + 4.0,
                "end",
                &tick.to_string(),
            );
        }
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let places: Vec<String> = (series.drawn())
                .map(|point| format!("{:.1},{:.1}", x.place(point.0), y.place(point.1)))
                .collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                places.join(" ")
            );
            let height = MARGIN + 16.0 * (index as f64 + 1.0);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{height:.1}\" text-anchor=\"end\" fill=\"{colour}\">{}</text>",
                WIDTH - MARGIN - 8.0,
                series.name
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
        from.0, from.1, to.0, to.1
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_its_lines_and_names() {
        let mut plot = Plot::new("title", "cores", "seconds");
        let mut series = Series::new("one");
        series.points = vec![(1.0, 100.0), (10.0, f64::INFINITY), (100.0, 1.0)];
        plot.series.push(series);
        let svg = plot.to_svg();
        assert!(svg.contains(">one</text>") && svg.contains(">title</text>"));
        assert!(svg.contains("points=\"56.0,56.0 664.0,364.0\""), "{svg}");
        assert!(Plot::new("empty", "x", "y").to_svg().ends_with("</svg>\n"));
    }
}
