//! The reader of LLVM IR accepts or refuses any text, but never panics.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = llvm::read(&[("fuzz.ll".to_owned(), text.to_owned())]);
});
