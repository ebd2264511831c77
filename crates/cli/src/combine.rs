//! `threadbare combine`: one verdict of the results of several slices. Whether
//! they fit together is decided elsewhere.

use crate::args::Combine as Arguments;
use crate::search_args::read_key;
use crate::{Failure, Status, mention, print, say};
use check::{Combined, Misfit, SliceResult};
use system::files;

pub(crate) fn combine(arguments: &Arguments) -> Result<Status, Failure> {
    let key = arguments.key.as_deref().map(read_key).transpose()?;
    if key.is_none() {
        say("threadbare: the results are trusted as they are; --key checks their seals\n");
    }
    let mut results = Vec::new();
    for path in &arguments.files {
        let text = files::read_text(path, files::MOST_BYTES).map_err(|error| Failure::Read {
            path: path.clone(),
            error,
        })?;
        let result: SliceResult = serde_json::from_str(&text).map_err(|error| Failure::Result {
            path: path.clone(),
            error,
        })?;
        if let Some(key) = &key {
            let checked = result.check_seal(key);
            checked.map_err(|problem| Failure::Seal {
                path: path.clone(),
                problem,
            })?;
        }
        results.push(result);
    }
    let name = |index: usize| match arguments.files.get(index) {
        Some(path) => path.display().to_string(),
        None => index.to_string(),
    };
    let combined = check::combine(&results).map_err(|misfit| {
        Failure::Combine(match &misfit {
            Misfit::Other { index, .. } | Misfit::Malformed { index, .. } => {
                format!("{}: {misfit}", name(*index))
            }
            Misfit::Nothing | Misfit::Gap { .. } => misfit.to_string(),
        })
    })?;
    mention(print(report::render_combined(&combined)));
    Ok(match combined {
        Combined::Violated(schedule) => {
            mention(show_how(arguments, &schedule));
            Status::Violated
        }
        Combined::None(_) => Status::Fine,
        Combined::Unknown { .. } => Status::Unknown,
    })
}

/// How the violation can be seen. The verdict stands, whatever becomes of the file.
fn show_how(arguments: &Arguments, schedule: &str) -> Result<(), Failure> {
    let Some(path) = &arguments.save else {
        return print("to see it, save the schedule with --save FILE\n");
    };
    std::fs::write(path, schedule).map_err(|error| Failure::Write {
        path: path.clone(),
        error,
    })?;
    print(format!(
        "to see it: threadbare run PROGRAM --schedule={}\n",
        path.display()
    ))
}
