//! Output. Text goes to standard output when a program is run; for a
//! verification it only matters which memory is read and written.

use crate::Family;

/// Operations are named like the C functions, which every reader knows. Those
/// called `Checked` have one or two more arguments before the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    Printf,
    Fprintf,
    Dprintf,
    Sprintf,
    Snprintf,
    Asprintf,
    Vprintf,
    Vfprintf,
    Vdprintf,
    Vsprintf,
    Vsnprintf,
    Vasprintf,
    /// `(flag, format, ...)`.
    PrintfChecked,
    /// `(stream, flag, format, ...)`.
    FprintfChecked,
    /// `(buffer, flag, buffer size, format, ...)`.
    SprintfChecked,
    /// `(buffer, limit, flag, buffer size, format, ...)`.
    SnprintfChecked,
    /// `(flag, format, list)`.
    VprintfChecked,
    /// `(stream, flag, format, list)`.
    VfprintfChecked,
    /// `(buffer, flag, buffer size, format, list)`.
    VsprintfChecked,
    /// `(buffer, limit, flag, buffer size, format, list)`.
    VsnprintfChecked,
    Puts,
    Fputs,
    Putchar,
    Putc,
    Fwrite,
    Fflush,
    Perror,
    SetBuffer,
}

pub(crate) const FAMILY: Family = family! {
    "Output",
    "Output of the command `run` goes to its standard output, whatever the stream, and has no \
     other effect. Output never fails. The arguments are read as the format says, and strings \
     among them up to their zero byte.",
    Output:
    Printf ["printf"] "Writes formatted text and returns its length.";
    Fprintf ["fprintf"] "Writes formatted text and returns its length.";
    Dprintf ["dprintf"] "Writes formatted text and returns its length.";
    Sprintf ["sprintf"] "Stores formatted text and returns its length.";
    Snprintf ["snprintf"] "Stores as much formatted text as fits and returns the whole length.";
    Asprintf ["asprintf"] "Stores formatted text in a fresh heap object.";
    Vprintf ["vprintf"] "Writes formatted text and returns its length.";
    Vfprintf ["vfprintf"] "Writes formatted text and returns its length.";
    Vdprintf ["vdprintf"] "Writes formatted text and returns its length.";
    Vsprintf ["vsprintf"] "Stores formatted text and returns its length.";
    Vsnprintf ["vsnprintf"] "Stores as much formatted text as fits and returns the whole length.";
    Vasprintf ["vasprintf"] "Stores formatted text in a fresh heap object.";
    PrintfChecked ["__printf_chk"] "Writes formatted text and returns its length.";
    FprintfChecked ["__fprintf_chk"] "Writes formatted text and returns its length.";
    SprintfChecked ["__sprintf_chk"] "Stores formatted text and returns its length.";
    SnprintfChecked ["__snprintf_chk"]
        "Stores as much formatted text as fits and returns the whole length.";
    VprintfChecked ["__vprintf_chk"] "Writes formatted text and returns its length.";
    VfprintfChecked ["__vfprintf_chk"] "Writes formatted text and returns its length.";
    VsprintfChecked ["__vsprintf_chk"] "Stores formatted text and returns its length.";
    VsnprintfChecked ["__vsnprintf_chk"]
        "Stores as much formatted text as fits and returns the whole length.";
    Puts ["puts"] "Writes a string and a line end.";
    Fputs ["fputs", "fputs_unlocked"] "Writes a string.";
    Putchar ["putchar", "putchar_unlocked"] "Writes a character.";
    Putc ["putc", "fputc", "putc_unlocked", "fputc_unlocked", "_IO_putc"] "Writes a character.";
    Fwrite ["fwrite", "fwrite_unlocked"] "Writes bytes and returns how many items.";
    Fflush ["fflush", "fflush_unlocked"] "Does nothing and returns 0.";
    Perror ["perror"] "Writes a string and the text of the error number in `errno`.";
    SetBuffer ["setbuf", "setvbuf", "setbuffer", "setlinebuf"] "Does nothing and returns 0.";
};
