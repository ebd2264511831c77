//! Breaks texts at random.

/// Numbers that look random, and are the same for the same seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Words that mean something in IR, and numbers at the edges.
const WORDS: [&str; 48] = [
    "i1",
    "i8",
    "i32",
    "i64",
    "i128",
    "i7",
    "i0",
    "i99999999",
    "ptr",
    "float",
    "double",
    "void",
    "null",
    "undef",
    "poison",
    "zeroinitializer",
    "true",
    "0",
    "-1",
    "4294967296",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
    "align",
    "volatile",
    "atomic",
    "seq_cst",
    "inbounds",
    "nsw",
    "[0 x i8]",
    "[999999999999 x i8]",
    "{",
    "}",
    "<2 x i32>",
    "%0",
    "%1",
    "@main",
    "!0",
    "label",
    "phi",
    "switch",
    "unreachable",
    "ret",
    "br",
    "call",
    "load",
    "store",
    "getelementptr",
    "alloca",
];

/// One of the texts, with a few things wrong.
pub(super) fn mutate(seeds: &[String], random: &mut Random) -> String {
    let mut lines: Vec<String> = (seeds[random.below(seeds.len())].lines())
        .map(str::to_owned)
        .collect();
    for _ in 0..1 + random.below(4) {
        let line = random.below(lines.len());
        match random.below(9) {
            0 => drop(lines.remove(line)),
            1 => lines.insert(line, lines[line].clone()),
            2 => {
                let other = random.below(lines.len());
                lines.swap(line, other);
            }
            3 => lines.truncate(line + 1),
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let all: Vec<&str> = other.lines().collect();
                lines[line] = all[random.below(all.len())].to_owned();
            }
            5 => break_bytes(&mut lines[line], random),
            _ => replace_word(&mut lines[line], random),
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
    }
    lines.join("\n")
}

/// Replaces, removes or doubles a word.
fn replace_word(line: &mut String, random: &mut Random) {
    let mut words: Vec<&str> = line.split(' ').collect();
    let index = random.below(words.len());
    match random.below(4) {
        0 => drop(words.remove(index)),
        1 => words.insert(index, words[index]),
        _ => words[index] = WORDS[random.below(WORDS.len())],
    }
    *line = words.join(" ");
}

/// Replaces a character by another.
fn break_bytes(line: &mut String, random: &mut Random) {
    let mut characters: Vec<char> = line.chars().collect();
    if characters.is_empty() {
        return;
    }
    let index = random.below(characters.len());
    characters[index] = match random.below(3) {
        0 => char::from(random.below(128) as u8),
        1 => '(',
        _ => char::from(b'0' + random.below(10) as u8),
    };
    *line = characters.into_iter().collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_breaks_texts_in_the_same_way() {
        let seeds = ["one two\nthree\n".to_owned(), "four\nfive six\n".to_owned()];
        let texts = |seed: u64| {
            let mut random = Random::new(seed);
            (0..50)
                .map(|_| mutate(&seeds, &mut random))
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(3), texts(3));
        assert_ne!(texts(3), texts(4));
    }
}
