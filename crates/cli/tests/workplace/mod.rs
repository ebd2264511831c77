//! A folder of one's own in which the tool is run as users run it.

use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

pub(crate) struct Workplace {
    pub folder: TempDir,
}

impl Workplace {
    pub(crate) fn new() -> Workplace {
        Workplace {
            folder: TempDir::new().expect("should make a temporary folder"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("should write a file");
        path
    }

    /// Runs the tool inside the folder.
    pub(crate) fn threadbare(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("should start")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    #[track_caller]
    pub(crate) fn check(&self, arguments: &[&str], code: i32, expected: &[&str]) -> String {
        let output = self.threadbare(arguments);
        let text = text_of(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
        for part in expected {
            assert!(text.contains(part), "no '{part}' in\n{text}");
        }
        text
    }
}

pub(crate) fn text_of(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{stdout}{stderr}")
}

/// Both threads read before either writes, and one addition is lost.
pub(crate) const LOST_UPDATE: &str = r#"
#include <assert.h>
#include <pthread.h>
int x;
static void *worker(void *arg) { x = x + 1; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
"#;
