//! Strings that end with a zero byte, the numbers written in them, and the
//! classes of characters.

use crate::Family;

/// Operations are named like the C functions, which every reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strings {
    Strlen,
    Strnlen,
    Strcpy,
    Strncpy,
    Stpcpy,
    Stpncpy,
    Strlcpy,
    Strcat,
    Strncat,
    Strlcat,
    Strcmp,
    Strncmp,
    Strcasecmp,
    Strncasecmp,
    Strchr,
    Strchrnul,
    Strrchr,
    Strstr,
    Strspn,
    Strcspn,
    Strpbrk,
    Strdup,
    Strndup,
    StrtokR,
    Strerror,
    Strtol,
    Strtoll,
    Strtoul,
    Strtoull,
    Strtod,
    Strtof,
    Atoi,
    Atol,
    Atoll,
    Atof,
    IsAlpha,
    IsDigit,
    IsAlnum,
    IsSpace,
    IsBlank,
    IsUpper,
    IsLower,
    IsPunct,
    IsPrint,
    IsGraph,
    IsCntrl,
    IsXdigit,
    ToUpper,
    ToLower,
    /// The table behind glibc's macros: 16 bits of classes per character.
    CtypeClasses,
    /// The table of upper-case characters behind glibc's macros.
    CtypeToUpper,
    /// The table of lower-case characters behind glibc's macros.
    CtypeToLower,
}

pub(crate) const FAMILY: Family = family! {
    "Strings and characters",
    "Strings are read up to their zero byte, and reading beyond the object is a violation. The \
     locale is always the one named \"C\". Comparisons return -1, 0 or 1.",
    Strings:
    Strlen ["strlen"] "Counts the bytes before the zero byte.";
    Strnlen ["strnlen"] "Counts the bytes before the zero byte, up to a limit.";
    Strcpy ["strcpy", "__strcpy_chk"] "Copies a string.";
    Strncpy ["strncpy", "__strncpy_chk"] "Copies up to a limit and fills the rest with zeros.";
    Stpcpy ["stpcpy", "__stpcpy", "__stpcpy_chk"] "Copies a string and returns the copy's end.";
    Stpncpy ["stpncpy", "__stpncpy", "__stpncpy_chk"]
        "Copies up to a limit, fills the rest with zeros and returns the copy's end.";
    Strlcpy ["strlcpy", "__strlcpy_chk"] "Copies as much as fits, with a zero byte at the end.";
    Strcat ["strcat", "__strcat_chk"] "Appends a string.";
    Strncat ["strncat", "__strncat_chk"] "Appends up to a limit, and a zero byte.";
    Strlcat ["strlcat", "__strlcat_chk"] "Appends as much as fits, with a zero byte at the end.";
    Strcmp ["strcmp", "strcoll"] "Compares two strings.";
    Strncmp ["strncmp"] "Compares two strings up to a limit.";
    Strcasecmp ["strcasecmp"] "Compares two strings without regard to case.";
    Strncasecmp ["strncasecmp"] "Compares two strings up to a limit, without regard to case.";
    Strchr ["strchr", "index"] "Finds the first such character, or returns null.";
    Strchrnul ["strchrnul"] "Finds the first such character, or the zero byte.";
    Strrchr ["strrchr", "rindex"] "Finds the last such character, or returns null.";
    Strstr ["strstr"] "Finds the first such substring, or returns null.";
    Strspn ["strspn"] "Counts leading characters that are in a set.";
    Strcspn ["strcspn"] "Counts leading characters that are not in a set.";
    Strpbrk ["strpbrk"] "Finds the first character that is in a set, or returns null.";
    Strdup ["strdup", "__strdup"] "Copies a string to a fresh heap object.";
    Strndup ["strndup", "__strndup"] "Copies a string up to a limit to a fresh heap object.";
    Unsupported ["strtok"] "Not supported: its state is shared by all threads; use `strtok_r`.";
    StrtokR ["strtok_r", "__strtok_r"]
        "Cuts the next word off a string; the caller keeps the state.";
    Strerror ["strerror"] "Returns a string constant for the error number.";
    Strtol ["strtol", "__isoc23_strtol", "__strtol_internal"] "Reads a `long` in any base.";
    Strtoll ["strtoll", "__isoc23_strtoll", "__strtoll_internal", "strtoimax", "strtoq"]
        "Reads a `long long` in any base.";
    Strtoul ["strtoul", "__isoc23_strtoul", "__strtoul_internal"]
        "Reads an `unsigned long` in any base.";
    Strtoull ["strtoull", "__isoc23_strtoull", "__strtoull_internal", "strtoumax", "strtouq"]
        "Reads an `unsigned long long` in any base.";
    Strtod ["strtod", "__strtod_internal"] "Reads a `double`.";
    Strtof ["strtof", "__strtof_internal"] "Reads a `float`.";
    Atoi ["atoi"] "Reads an `int` in base 10.";
    Atol ["atol"] "Reads a `long` in base 10.";
    Atoll ["atoll"] "Reads a `long long` in base 10.";
    Atof ["atof"] "Reads a `double`.";
    IsAlpha ["isalpha"] "Tells whether a character is a letter.";
    IsDigit ["isdigit"] "Tells whether a character is a decimal digit.";
    IsAlnum ["isalnum"] "Tells whether a character is a letter or digit.";
    IsSpace ["isspace"] "Tells whether a character is white space.";
    IsBlank ["isblank"] "Tells whether a character is a space or tab.";
    IsUpper ["isupper"] "Tells whether a character is an upper-case letter.";
    IsLower ["islower"] "Tells whether a character is a lower-case letter.";
    IsPunct ["ispunct"] "Tells whether a character is punctuation.";
    IsPrint ["isprint"] "Tells whether a character can be printed, with the space.";
    IsGraph ["isgraph"] "Tells whether a character can be printed, without the space.";
    IsCntrl ["iscntrl"] "Tells whether a character is a control character.";
    IsXdigit ["isxdigit"] "Tells whether a character is a hexadecimal digit.";
    ToUpper ["toupper"] "Returns the upper-case letter.";
    ToLower ["tolower"] "Returns the lower-case letter.";
    CtypeClasses ["__ctype_b_loc"] "Returns the table of character classes behind glibc's macros.";
    CtypeToUpper ["__ctype_toupper_loc"] "Returns the table of upper-case characters of glibc.";
    CtypeToLower ["__ctype_tolower_loc"] "Returns the table of lower-case characters of glibc.";
    Unsupported ["strerror_r", "__xpg_strerror_r", "strsignal", "strsep", "strxfrm"]
        "Not supported: there is no model of it yet.";
};
