//! Damaged modules: whatever the text, reading must come back without panic, in
//! reasonable time and memory.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A module with a bit of everything, for machines without clang.
const SAMPLE: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.s = type { i32, [4 x i64], ptr }
%union.u = type { <{ i8, i128 }> }
$group = comdat any
@a = dso_local global [2 x %struct.s] [%struct.s { i32 1, [4 x i64] zeroinitializer, ptr @b }, %struct.s zeroinitializer], align 16, !dbg !0
@b = internal thread_local(initialexec) constant [3 x i8] c"a\00\FF", section "x", comdat($group), align 1
@c = weak alias i32, getelementptr inbounds (%struct.s, ptr @a, i64 1, i32 2)
@d = global i64 sub (i64 ptrtoint (ptr blockaddress(@f, %loop) to i64), i64 ptrtoint (ptr @a to i64))
@e = global x86_fp80 0xK3FFF8000000000000000
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @g, ptr null }]
declare i32 @printf(ptr noundef, ...) #0
define internal void @g() section ".text" {
  ret void
}
define dso_local signext i32 @f(ptr byval(%struct.s) align 8 %p, i32 noundef %n, <2 x float> %v) #0 personality ptr @printf !dbg !5 {
entry:
  %x = alloca %struct.s, i32 %n, align 8
    #dbg_declare(ptr %x, !6, !DIExpression(), !7)
  br label %loop, !dbg !7
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ], [ undef, %more ]
  %next = add nuw nsw i32 %i, 1
  %q = getelementptr inbounds %struct.s, ptr %p, i32 %i, i32 1, i64 2
  %old = atomicrmw add ptr %q, i64 3 seq_cst, align 8
  %pair = cmpxchg weak ptr %q, i64 %old, i64 7 acquire monotonic
  %flag = extractvalue { i64, i1 } %pair, 1
  %w = fadd <2 x float> %v, <float 1.0, float 0x3FF0000000000000>
  %e = extractelement <2 x float> %w, i32 %i
  %t = insertvalue { float, ptr } poison, float %e, 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %x, ptr align 8 %p, i64 48, i1 false)
  %r = call i32 (ptr, ...) @printf(ptr @b, i32 %i, { float, ptr } %t) #1, !dbg !7
  call void asm sideeffect "mfence", "~{memory}"()
  switch i32 %i, label %more [
    i32 1, label %done
    i32 -1, label %more
  ]
more:
  br i1 %flag, label %loop, label %loop
done:
  %s = select i1 %flag, i32 %r, i32 trunc (i64 ptrtoint (ptr @a to i64) to i32)
  ret i32 %s
}
define i32 @main() {
  %1 = call i32 @f(ptr byval(%struct.s) @a, i32 2, <2 x float> zeroinitializer)
  ret i32 %1
}
attributes #0 = { nounwind "k"="v" }
attributes #1 = { nounwind }
!llvm.dbg.cu = !{!2}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "a", scope: !2, file: !3, line: 1, type: !4)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "x", emissionKind: FullDebug)
!3 = !DIFile(filename: "a.c", directory: "/")
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "s", file: !3, line: 1, size: 384, elements: !8)
!5 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 3, unit: !2)
!6 = !DILocalVariable(name: "x", scope: !5, file: !3, line: 4, type: !4)
!7 = !DILocation(line: 4, column: 2, scope: !5)
!8 = !{!9}
!9 = !DIDerivedType(tag: DW_TAG_member, name: "next", baseType: !10, size: 64, flags: DIFlagA | DIFlagB)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
"#;

fn samples() -> Vec<String> {
    let mut samples = vec![SAMPLE.to_owned()];
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for clang in common::clangs() {
        for file in ["features.c", "features.cpp"] {
            let output = Command::new(&clang)
                .args(["-O0", "-g", "-w", "-S", "-emit-llvm", "-o", "-"])
                .arg(data.join(file))
                .output()
                .unwrap();
            samples.push(String::from_utf8_lossy(&output.stdout).into_owned());
        }
    }
    samples
}

/// Texts that are likely to lead somewhere strange.
const FRAGMENTS: &[&str] = &[
    "0",
    "-1",
    "99999999999999999999",
    "4294967295",
    "i1",
    "i8",
    "i129",
    "ptr",
    "void",
    "label",
    "metadata",
    "float",
    "x86_fp80",
    "<4 x i1>",
    "[0 x i8]",
    "[99999999 x i64]",
    "{}",
    "<{ }>",
    "null",
    "undef",
    "poison",
    "zeroinitializer",
    "true",
    "none",
    "%0",
    "%x",
    "%1",
    "@a",
    "@main",
    "@f",
    "!0",
    "!4",
    "!{",
    "!DIExpression()",
    "#0",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    "=",
    "*",
    "\"",
    "c\"",
    "...",
    "global",
    "alias",
    "define",
    "declare",
    "external",
    "internal",
    "appending",
    "common",
    "align",
    "byval(i8)",
    "to",
    "x",
    "phi",
    "ret",
    "br",
    "load",
    "store",
    "getelementptr",
    "bitcast",
    "asm",
    "call",
    "select",
    "é",
    "\u{0}",
    "0x7FF",
    "0xK12",
    "1.5e9999",
];

/// Splits into words, numbers and single characters, so that pieces can be moved.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut previous = ' ';
    for (index, c) in text.char_indices() {
        if !(is_word(previous) && is_word(c)) && index > start {
            pieces.push(&text[start..index]);
            start = index;
        }
        previous = c;
    }
    pieces.push(&text[start..]);
    pieces
}

fn mutate(random: &mut fastrand::Rng, text: &str) -> String {
    // Work on a stretch of the text, or large inputs would hide the damage.
    let mut pieces = pieces(text);
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..pieces.len());
        let other = pieces[random.usize(..pieces.len())];
        match random.u32(..6) {
            0 => {
                pieces.remove(at);
            }
            1 => pieces.insert(at, pieces[at]),
            2 => pieces[at] = other,
            3 => pieces[at] = FRAGMENTS[random.usize(..FRAGMENTS.len())],
            4 => pieces.insert(at, FRAGMENTS[random.usize(..FRAGMENTS.len())]),
            _ => {
                let end = (at + random.usize(..40)).min(pieces.len());
                pieces.drain(at..end);
            }
        }
        if pieces.is_empty() {
            pieces.push("");
        }
    }
    pieces.concat()
}

fn damage_bytes(random: &mut fastrand::Rng, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..bytes.len());
        bytes[at] = random.u8(..);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn truncate<'t>(random: &mut fastrand::Rng, text: &'t str) -> &'t str {
    let mut end = random.usize(..text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[test]
fn damaged_modules_are_read_or_refused() {
    let samples = samples();
    let mut random = fastrand::Rng::with_seed(14);
    let mut slowest = Duration::ZERO;
    let mut accepted = 0;
    for round in 0..4000 {
        // The small sample is quick, so it gets most of the rounds.
        let sample = match round % 4 {
            0 => &samples[random.usize(..samples.len())],
            _ => &samples[0],
        };
        let text = match round % 8 {
            1 => truncate(&mut random, sample).to_owned(),
            2 => damage_bytes(&mut random, sample),
            _ => mutate(&mut random, sample),
        };
        let start = Instant::now();
        match common::read(&text) {
            Ok(_) => accepted += 1,
            // Which value reaches which use is not the reader's to check.
            Err(
                error @ llvm::Error::InvalidIr {
                    is_order: false, ..
                },
            ) => {
                panic!("round {round}: {error}\n{text}")
            }
            Err(_) => {}
        }
        slowest = slowest.max(start.elapsed());
    }
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    assert!(
        accepted > 100,
        "mutations must not always destroy the module"
    );
}

#[test]
fn the_sample_itself_is_read() {
    common::read(SAMPLE).unwrap();
}
