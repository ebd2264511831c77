//! Traces: one line per visible step, in the user's terms. Where the terminal is
//! wide enough each thread has a column of its own, so that the eye sees who does
//! what between which steps of whom.

use ir::Program;
use replay::{Effect, Event, Missing, Place, Remark, Run, Unordered};
use std::fmt::Write;

/// The narrowest column that is still worth reading.
const COLUMN: usize = 28;

/// The trace of a run, for a terminal of this many columns.
pub fn render_trace(program: &Program, run: &Run, width: usize) -> String {
    let lines: Vec<Line> = run
        .trace
        .iter()
        .map(|event| Line::new(program, event))
        .collect();
    let place_width = lines.iter().map(|line| line.place.len()).max().unwrap_or(0);
    let function_width = lines
        .iter()
        .map(|line| line.function.len())
        .max()
        .unwrap_or(0);
    let margin = 2 + place_width + 2 + function_width + 2;
    let mut threads: Vec<usize> = run.trace.iter().map(|event| event.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let needed = lines
        .iter()
        .map(|line| line.effect.chars().count())
        .max()
        .unwrap_or(0);
    let column = (needed + 2).max(COLUMN);
    let mut text = String::new();
    if threads.len() > 1 && margin + column * threads.len() <= width {
        let heading: Vec<String> = threads
            .iter()
            .map(|thread| format!("{:<column$}", thread_title(run, *thread)))
            .collect();
        let _ = writeln!(text, "{:margin$}{}", "", heading.concat().trim_end());
        for line in &lines {
            let position = threads.iter().position(|thread| *thread == line.thread);
            let indent = column * position.unwrap_or(0);
            let _ = writeln!(
                text,
                "  {:<place_width$}  {:<function_width$}  {:indent$}{}",
                line.place, line.function, "", line.effect
            );
        }
        return text;
    }
    let titles: Vec<String> = lines
        .iter()
        .map(|line| thread_title(run, line.thread))
        .collect();
    let title_width = titles.iter().map(String::len).max().unwrap_or(0);
    for (line, title) in lines.iter().zip(titles) {
        let _ = writeln!(
            text,
            "  {title:<title_width$}  {:<place_width$}  {:<function_width$}  {}",
            line.place, line.function, line.effect
        );
    }
    text
}

pub(crate) fn thread_title(run: &Run, thread: usize) -> String {
    match run.thread_names.get(thread) {
        Some(name) if thread > 0 => format!("thread {thread} {name}"),
        _ if thread == 0 => "thread 0 main".to_owned(),
        _ => format!("thread {thread}"),
    }
}

struct Line {
    thread: usize,
    place: String,
    function: String,
    effect: String,
}

impl Line {
    fn new(program: &Program, event: &Event) -> Line {
        let innermost = event.stack.first();
        let location = event.stack.iter().find_map(|entry| entry.location);
        let mut effect = describe_effect(&event.effect);
        if let Some(remark) = &event.remark {
            effect.push_str(&describe_remark(program, remark));
        }
        Line {
            thread: event.thread,
            place: location.map_or(String::new(), |l| program.describe_location(l)),
            function: innermost.map_or(String::new(), |entry| entry.function.clone()),
            effect: if event.is_atomic_section {
                format!("| {effect}")
            } else {
                effect
            },
        }
    }
}

/// In what an access is not as in an interleaving.
pub(crate) fn describe_remark(program: &Program, remark: &Remark) -> String {
    let place = |place: &Option<Place>| match place {
        Some(Place {
            thread,
            location: Some(location),
        }) => {
            let location = program.describe_location(*location);
            format!("what thread {thread} wrote at {location}")
        }
        Some(Place { thread, .. }) => format!("what thread {thread} wrote"),
        None => "what was there at first".to_owned(),
    };
    match remark {
        Remark::Older {
            source,
            newest,
            why,
        } => {
            let why = why.and_then(|why| describe_unordered(program, &why));
            let why = why.map_or(String::new(), |why| format!(": {why}"));
            format!(", {}, not {}{why}", place(source), place(newest))
        }
        Remark::Before { later } => format!(", to be overwritten by {}", place(later)),
        Remark::FailsAnyway => ", as a weak compare-exchange may".to_owned(),
    }
}

/// Why a read need not see what was written before it.
fn describe_unordered(program: &Program, why: &Unordered) -> Option<String> {
    let line = |place: Option<Place>| Some(program.describe_location(place?.location?));
    let (write, read) = (line(why.write)?, line(why.read)?);
    let would = match why.missing {
        None => String::new(),
        Some(Missing::Both) => "; release/acquire would".to_owned(),
        Some(Missing::Release) => format!("; release at {write} would"),
        Some(Missing::Acquire) => format!("; acquire at {read} would"),
    };
    Some(format!("nothing orders {write} before {read}{would}"))
}

/// What a step did, in a few words.
pub fn describe_effect(effect: &Effect) -> String {
    match effect {
        Effect::Read { place, value } => format!("read {place}: {value}"),
        Effect::Write { place, value, was } if was.is_empty() => format!("{place} = {value}"),
        Effect::Write { place, value, was } => format!("{place} = {value} (was {was})"),
        Effect::Update { place, value, was } if was.is_empty() => {
            format!("{place} = {value}, atomically")
        }
        Effect::Update { place, value, was } => {
            format!("{place} = {value} (was {was}), atomically")
        }
        Effect::CompareFailed {
            place,
            value,
            expected,
        } => format!("{place} is {value}, not {expected}: unchanged"),
        Effect::Free { place } => format!("free {place}"),
        Effect::Create { thread, function } => format!("create thread {thread} ({function})"),
        Effect::Join { thread } => format!("join thread {thread}"),
        Effect::Synchronise {
            verb,
            place,
            result,
        } if result.is_empty() => format!("{verb} {place}"),
        Effect::Synchronise {
            verb,
            place,
            result,
        } => format!("{verb} {place}: {result}"),
        Effect::EndOfLocals { places } => format!("end of {}", places.join(", ")),
        Effect::ThreadExit => "thread ends".to_owned(),
        Effect::RegisterForEnd { function } => {
            format!("register {function} for the end of the process")
        }
        Effect::ExitBegins => "begin to end the process".to_owned(),
        Effect::ProcessExit { code } => format!("process ends with status {code}"),
    }
}
