//! Input and files. What a file contains is unknown, so whatever is read from
//! one is chosen nondeterministically; only input from strings is exact.

use crate::Family;

/// Operations are named like the C functions, which every reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    Sscanf,
    Vsscanf,
    Scanf,
    Fscanf,
    Fgets,
    Getchar,
    Getc,
    Ungetc,
    Fread,
    Fopen,
    Fclose,
    Feof,
    Ferror,
    Fileno,
    Isatty,
}

pub(crate) const FAMILY: Family = family! {
    "Input and files",
    "The content of files and of standard input is chosen nondeterministically, as is whether \
     reading succeeds.",
    Input:
    Sscanf ["sscanf", "__isoc99_sscanf", "__isoc23_sscanf"]
        "Reads the values that the format asks for from the string.";
    Vsscanf ["vsscanf", "__isoc99_vsscanf", "__isoc23_vsscanf"]
        "Reads the values that the format asks for from the string.";
    Scanf ["scanf", "__isoc99_scanf", "__isoc23_scanf"]
        "Stores nondeterministic values for some first part of the format, and returns how many.";
    Fscanf ["fscanf", "__isoc99_fscanf", "__isoc23_fscanf"]
        "Stores nondeterministic values for some first part of the format, and returns how many.";
    Fgets ["fgets", "fgets_unlocked"]
        "Stores a nondeterministic string that fits, or returns null.";
    Getchar ["getchar", "getchar_unlocked"]
        "Returns a nondeterministic character or EOF.";
    Getc ["getc", "fgetc", "getc_unlocked", "fgetc_unlocked", "_IO_getc"]
        "Returns a nondeterministic character or EOF.";
    Ungetc ["ungetc"]
        "Returns the character; it is not read again.";
    Fread ["fread", "fread_unlocked"]
        "Stores nondeterministic bytes and returns a nondeterministic number of items.";
    Fopen ["fopen", "fopen64", "fdopen", "tmpfile"]
        "Returns null or a stream, chosen nondeterministically.";
    Fclose ["fclose"]
        "Ends the use of the stream and returns 0.";
    Feof ["feof", "feof_unlocked"]
        "Returns a nondeterministic number.";
    Ferror ["ferror", "ferror_unlocked"]
        "Returns 0.";
    Fileno ["fileno", "fileno_unlocked"]
        "Returns a nondeterministic number: 0, 1, 2, or one from 512 to 1023.";
    Isatty ["isatty"]
        "Returns 0 or 1, chosen nondeterministically.";
    Unsupported [
        "gets", "getline", "__getdelim", "getdelim", "vscanf", "vfscanf", "fseek", "ftell",
        "rewind", "freopen", "popen", "pclose", "opendir", "readdir", "closedir",
    ]
        "Not supported: files are not modelled that closely.";
};
