//! Prints what the reader makes of source or `.ll` files: `lower FILE...` links
//! them into one program and prints it; `lower --each FILE...` loads every file on
//! its own and prints one line for each.

use std::path::PathBuf;

fn main() {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let each = files
        .first()
        .is_some_and(|file| file.as_os_str() == "--each");
    let options = llvm::Options::default();
    if !each {
        match llvm::load(&files, &options) {
            Ok(loaded) => {
                eprint!("{}", loaded.clang_messages);
                println!("{}", loaded.program);
                for unsupported in loaded.unsupported {
                    println!(
                        "unsupported: {} in {}",
                        unsupported.what, unsupported.function
                    );
                }
                for undefined in loaded.undefined {
                    println!("undefined: {}", undefined.symbol);
                }
            }
            Err(error) => println!("{error}"),
        }
        return;
    }
    files.remove(0);
    for file in files {
        let name = file.display().to_string();
        match llvm::load(&[file], &options) {
            Ok(loaded) => {
                let micros = loaded.timings.reading.as_micros();
                let unsupported = loaded.unsupported.iter().map(|u| u.what.as_str());
                let unsupported = unsupported.collect::<Vec<_>>().join(", ");
                println!("{name}: read in {micros} us {unsupported}");
            }
            Err(error) => println!("{name}: ERROR {error}"),
        }
    }
}
