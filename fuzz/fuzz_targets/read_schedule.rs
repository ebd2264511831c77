//! The reader of schedules accepts or refuses any text, but never panics.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = replay::Schedule::parse(text);
});
