//! One run on the machine, and what could be seen of it.

use super::build::Workshop;
use super::instrument::Sanitizer;
use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The runtime asks for this signal when the time is over.
const SIGALRM: i32 = 14;
const SIGABRT: i32 = 6;

/// How much longer a run is waited for than it is told to take.
const PATIENCE: Duration = Duration::from_secs(1);

/// What AddressSanitizer is told to exit with.
const UNDEFINED: i32 = 94;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// The process has ended. Some ways to do so leave no time to tell the values
    /// of global variables, which are all here one after the other.
    Exit {
        code: i32,
        values: Option<Vec<u8>>,
    },
    /// An assertion at this line has failed.
    Assertion(u32),
    Aborted,
    Signal(i32),
    /// AddressSanitizer has seen a wrong access, and says which.
    WrongAccess(String),
    /// Nothing, for so long.
    TimeOut,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seen::Exit { code, values } => {
                write!(f, "exit with {code}")?;
                let Some(values) = values else {
                    return Ok(());
                };
                let digits: String = values.iter().map(|byte| format!("{byte:02x}")).collect();
                write!(f, ", values {digits}")
            }
            Seen::Assertion(line) => write!(f, "the assertion of line {line} fails"),
            Seen::Aborted => write!(f, "aborted"),
            Seen::Signal(signal) => write!(f, "signal {signal}"),
            Seen::WrongAccess(what) => write!(f, "wrong access: {what}"),
            Seen::TimeOut => write!(f, "no end in time"),
        }
    }
}

/// How to run a program.
pub struct Setting<'s> {
    pub executable: &'s Path,
    pub sanitizer: Sanitizer,
    pub inputs: &'s [u128],
    pub time: Duration,
}

/// What a run printed on its standard error stream, and how it ended.
pub struct Told {
    pub text: String,
    code: Option<i32>,
    signal: Option<i32>,
}

pub fn run(workshop: &Workshop, setting: &Setting, seed: u64) -> Result<Told, String> {
    let start = match (setting.sanitizer, &workshop.thread_sanitizer) {
        (Sanitizer::Thread, Some(start)) => start.as_slice(),
        _ => &[],
    };
    let mut command = match start {
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments).arg(setting.executable);
            command
        }
        [] => Command::new(setting.executable),
    };
    let inputs: Vec<String> = setting
        .inputs
        .iter()
        .map(|n| (*n as u64).to_string())
        .collect();
    let child = command
        .env("JUDGE_SEED", seed.to_string())
        .env("JUDGE_INPUTS", inputs.join(","))
        .env("JUDGE_MILLIS", setting.time.as_millis().to_string())
        .env(
            "ASAN_OPTIONS",
            format!("detect_leaks=0:detect_stack_use_after_return=1:exitcode={UNDEFINED}:abort_on_error=0:symbolize=0"),
        )
        .env(
            "TSAN_OPTIONS",
            "halt_on_error=1:exitcode=66:report_thread_leaks=0:report_mutex_bugs=0:\
             report_signal_unsafe=0:report_destroy_locked=0:atexit_sleep_ms=0:allow_addr2line=1:\
             detect_deadlocks=0",
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run the native program: {error}"))?;
    wait(child, setting.time + PATIENCE).map_err(|error| error.to_string())
}

/// Waits for the end of a run. The runtime ends it in time; but with ThreadSanitizer
/// there may be no thread left that takes notice.
fn wait(mut child: Child, time: Duration) -> io::Result<Told> {
    let start = Instant::now();
    let mut text = Vec::new();
    std::thread::scope(|scope| {
        if let Some(mut stderr) = child.stderr.take() {
            let text = &mut text;
            scope.spawn(move || stderr.read_to_end(text));
        }
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > time {
                child.kill()?;
                child.wait()?;
                break ExitStatus::from_raw(SIGALRM);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(5));
        };
        Ok(status)
    })
    .map(|status: ExitStatus| Told {
        text: String::from_utf8_lossy(&text).into_owned(),
        code: status.code(),
        signal: status.signal(),
    })
}

/// What was seen of a run.
pub fn seen(told: &Told) -> Result<Seen, String> {
    if let Some(line) = after(&told.text, "judge: assertion ") {
        let line = line.parse().map_err(|_| format!("no line: {line}"))?;
        return Ok(Seen::Assertion(line));
    }
    match (told.code, told.signal) {
        (_, Some(SIGALRM)) => Ok(Seen::TimeOut),
        (_, Some(SIGABRT)) => Ok(Seen::Aborted),
        (_, Some(signal)) => Ok(Seen::Signal(signal)),
        (Some(UNDEFINED), _) if told.text.contains("AddressSanitizer") => {
            let line = told.text.lines().find(|line| line.contains("ERROR: "));
            let what = line.and_then(|line| line.split("Sanitizer: ").nth(1));
            let kind = what.and_then(|what| what.split(' ').next());
            Ok(Seen::WrongAccess(kind.unwrap_or("unknown").to_owned()))
        }
        (Some(code), _) => {
            let values = after(&told.text, "judge: values");
            let values = values.map(parse_bytes).transpose()?;
            Ok(Seen::Exit { code, values })
        }
        (None, None) => Err("the native program has no status".to_owned()),
    }
}

/// The rest of the line after some words. Others may have begun the line.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(words)?;
    rest.lines().next()
}

fn parse_bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let bytes = digits.chunks(2).map(|pair| {
        let pair: String = pair.iter().collect();
        u8::from_str_radix(&pair, 16).map_err(|_| format!("no values: {text}"))
    });
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        let check = |text: &str, code, signal, expected: &str| {
            let text = text.to_owned();
            let told = Told { text, code, signal };
            assert_eq!(seen(&told).expect("should be read").to_string(), expected);
        };
        check(
            "judge: values 01 ff00\n",
            Some(3),
            None,
            "exit with 3, values 01ff00",
        );
        check("", Some(3), None, "exit with 3");
        check(
            "x: judge: assertion 12\n",
            Some(95),
            None,
            "the assertion of line 12 fails",
        );
        check("", None, Some(6), "aborted");
        check("", None, Some(14), "no end in time");
        check(
            "==1==ERROR: AddressSanitizer: stack-use-after-return on address\n",
            Some(94),
            None,
            "wrong access: stack-use-after-return",
        );
    }
}
