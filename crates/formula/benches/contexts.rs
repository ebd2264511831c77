//! Gates as an encoder uses them: the bounded-context encoding of one program,
//! Vyukov's safestack, built directly from literals.
//!
//! Prints the size of the formula; with `--dimacs FILE` also writes it. Usage:
//! `cargo bench -p threadbare-formula --bench contexts -- CONTEXTS UNWIND WIDTH [rr] [full]`.

use formula::words::constant_bits;
use formula::{ClauseList, Cnf, Gates, Lit, Mode};
use std::collections::BTreeMap;
use std::time::Instant;

type Word = Vec<Lit>;

/// A write: at which literals (by context), if what, which value.
type Write = (Vec<Lit>, Lit, Word);

struct Encoding {
    gates: Gates,
    contexts: usize,
    width: usize,
    clauses: Vec<Vec<Lit>>,
    run: Vec<Vec<Lit>>,
    memory: BTreeMap<String, Vec<Word>>,
    writes: BTreeMap<String, Vec<Write>>,
    errors: Vec<Lit>,
}

impl Encoding {
    fn new(contexts: usize, threads: usize, width: usize, round_robin: bool) -> Encoding {
        let mut gates = Gates::new();
        let mut clauses = Vec::new();
        let mut run: Vec<Vec<Lit>> = Vec::new();
        for context in 0..contexts {
            let row = gates.inputs(threads);
            clauses.push(vec![gates.exactly_one(&row)]);
            if round_robin {
                clauses.push(vec![row[context % threads]]);
            } else if let Some(previous) = run.last() {
                clauses.extend(previous.iter().zip(&row).map(|(a, b)| vec![!*a, !*b]));
            }
            run.push(row);
        }
        clauses.push(vec![run[0][0]]);
        Encoding {
            gates,
            contexts,
            width,
            clauses,
            run,
            memory: BTreeMap::new(),
            writes: BTreeMap::new(),
            errors: Vec::new(),
        }
    }

    fn constant(&self, value: i128) -> Word {
        constant_bits(value.cast_unsigned(), self.width)
    }

    fn cell(&mut self, name: &str, initial: i128) {
        let mut snapshots = vec![self.constant(initial)];
        for _ in 1..self.contexts {
            snapshots.push(self.gates.inputs(self.width));
        }
        self.memory.insert(name.into(), snapshots);
        self.writes.insert(name.into(), Vec::new());
    }

    /// Hands everything to a sink.
    fn finish(&mut self, mode: Mode) -> ClauseList {
        let mut sink = ClauseList::new();
        let mut equalities = Vec::new();
        for (name, snapshots) in &self.memory {
            for context in 0..self.contexts - 1 {
                let mut now = snapshots[context].clone();
                for (at, condition, value) in &self.writes[name] {
                    let writes = self.gates.and(at[context], *condition);
                    now = self.gates.ite_bits(writes, value, &now);
                }
                equalities.extend(snapshots[context + 1].iter().copied().zip(now));
            }
        }
        let mut cnf = Cnf::new(mode);
        for clause in &self.clauses {
            cnf.add_clause(&self.gates, clause, &mut sink);
        }
        for (snapshot, value) in equalities {
            cnf.equate(&self.gates, snapshot, value, &mut sink);
        }
        cnf.add_clause(&self.gates, &self.errors, &mut sink);
        sink
    }
}

struct Thread<'e> {
    encoding: &'e mut Encoding,
    id: usize,
    guard: Lit,
    created: Option<Vec<Lit>>,
    done: Vec<Vec<Lit>>,
    at: Vec<Vec<Lit>>,
    stay: Vec<Lit>,
    view: BTreeMap<String, (usize, Word)>,
}

impl<'e> Thread<'e> {
    fn new(encoding: &'e mut Encoding, id: usize, created: Option<Vec<Lit>>) -> Thread<'e> {
        Thread {
            encoding,
            id,
            guard: Lit::TRUE,
            created,
            done: Vec::new(),
            at: Vec::new(),
            stay: Vec::new(),
            view: BTreeMap::new(),
        }
    }

    fn position(&mut self) {
        let contexts = self.encoding.contexts;
        let Encoding {
            gates,
            clauses,
            run,
            ..
        } = &mut *self.encoding;
        let before = self.done.last().or(self.created.as_ref());
        let done = gates.inputs(contexts);
        clauses.extend(done.windows(2).map(|pair| vec![!pair[0], pair[1]]));
        if let Some(before) = before {
            clauses.extend(done.iter().zip(before).map(|(a, b)| vec![!*a, *b]));
        }
        let mut at = vec![done[0]];
        for context in 1..contexts {
            at.push(gates.and(done[context], !done[context - 1]));
        }
        clauses.extend((0..contexts).map(|c| vec![!at[c], run[c][self.id]]));
        let stay = match self.at.last() {
            Some(previous) => {
                let both: Vec<Lit> = previous
                    .iter()
                    .zip(&at)
                    .map(|(a, b)| gates.and(*a, *b))
                    .collect();
                gates.any(&both)
            }
            None => Lit::FALSE,
        };
        self.stay.push(stay);
        self.done.push(done);
        self.at.push(at);
    }

    fn live(&mut self) -> Lit {
        let done = self.done.last().and_then(|done| done.last());
        let done = *done.expect("a thread should have a position");
        self.encoding.gates.and(self.guard, done)
    }

    /// The cell's value here: the thread's own view, unless it was switched out.
    fn look(&mut self, cell: &str) -> Word {
        let now = self.at.len() - 1;
        let own = self.view.get(cell).cloned();
        if let Some((position, value)) = &own
            && *position == now
        {
            return value.clone();
        }
        let Encoding { gates, memory, .. } = &mut *self.encoding;
        let snapshots: Vec<&[Lit]> = memory[cell].iter().map(Vec::as_slice).collect();
        let mut value = gates.select(&self.at[now], &snapshots);
        if let Some((position, own)) = own {
            let stayed = gates.all(&self.stay[position + 1..=now]);
            value = gates.ite_bits(stayed, &own, &value);
        }
        self.view.insert(cell.into(), (now, value.clone()));
        value
    }

    fn hits(&mut self, cells: &[String], index: Option<&Word>) -> Vec<Lit> {
        let Some(index) = index else {
            return vec![Lit::TRUE];
        };
        (0..cells.len())
            .map(|cell| {
                let number = self.encoding.constant(cell as i128);
                self.encoding.gates.equal_bits(index, &number)
            })
            .collect()
    }

    fn load(&mut self, cells: &[String], index: Option<&Word>) -> Word {
        let hits = self.hits(cells, index);
        let values: Vec<Word> = cells.iter().map(|cell| self.look(cell)).collect();
        let values: Vec<&[Lit]> = values.iter().map(Vec::as_slice).collect();
        self.encoding.gates.select(&hits, &values)
    }

    fn store(&mut self, cells: &[String], value: &Word, index: Option<&Word>, condition: Lit) {
        let now = self.at.len() - 1;
        let hits = self.hits(cells, index);
        for (cell, hit) in cells.iter().zip(hits) {
            let all = [self.guard, condition, hit];
            let condition = self.encoding.gates.all(&all);
            if condition == Lit::FALSE {
                continue;
            }
            let old = self.look(cell);
            let new = self.encoding.gates.ite_bits(condition, value, &old);
            self.view.insert(cell.clone(), (now, new));
            let write = (self.at[now].clone(), condition, value.clone());
            self.encoding.writes.get_mut(cell).unwrap().push(write);
        }
    }

    fn forbid(&mut self) {
        let live = self.live();
        self.encoding.clauses.push(vec![!live]);
    }

    fn and(&mut self, lits: &[Lit]) -> Lit {
        self.encoding.gates.all(lits)
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        self.encoding.gates.equal_bits(a, b)
    }

    fn ite(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Word {
        self.encoding.gates.ite_bits(condition, a, b)
    }
}

fn safestack(encoding: &mut Encoding, unwind: usize) {
    const ITEMS: usize = 3;
    let names = |prefix: &str| -> Vec<String> {
        (0..ITEMS).map(|item| format!("{prefix}{item}")).collect()
    };
    let (nexts, values) = (names("next"), names("value"));
    for item in 0..ITEMS {
        let next = if item + 1 < ITEMS {
            item as i128 + 1
        } else {
            -1
        };
        encoding.cell(&nexts[item], next);
        encoding.cell(&values[item], 0);
    }
    let (head_cell, count_cell) = (["head".to_string()], ["count".to_string()]);
    encoding.cell("head", 0);
    encoding.cell("count", ITEMS as i128);
    let created = {
        let mut main = Thread::new(encoding, 0, None);
        main.position();
        main.done.remove(0)
    };
    for id in 1..=3 {
        let (one, minus_one) = (encoding.constant(1), encoding.constant(-1));
        let zero = encoding.constant(0);
        let own = encoding.constant(id as i128 - 1);
        let mut t = Thread::new(encoding, id, Some(created.clone()));
        for _ in 0..2 {
            let (mut elem, mut need, mut base) = (zero.clone(), Lit::TRUE, t.guard);
            for _ in 0..unwind {
                let mut active = t.and(&[base, need]);
                let mut result = minus_one.clone();
                for _ in 0..unwind {
                    t.guard = active;
                    t.position();
                    let count = t.load(&count_cell, None);
                    let more = t.encoding.gates.signed_less_bits(&one, &count);
                    active = t.and(&[active, more]);
                    t.guard = active;
                    t.position();
                    let head = t.load(&head_cell, None);
                    t.position();
                    let next = t.load(&nexts, Some(&head));
                    t.store(&nexts, &minus_one, Some(&head), Lit::TRUE);
                    let took = t.and(&[active, !next[next.len() - 1]]);
                    t.guard = took;
                    t.position();
                    let now = t.load(&head_cell, None);
                    let same = t.equal(&now, &head);
                    t.store(&head_cell, &next, None, same);
                    let success = t.and(&[took, same]);
                    t.guard = success;
                    t.position();
                    let count = t.load(&count_cell, None);
                    let count = t.encoding.gates.sub_bits(&count, &one);
                    t.store(&count_cell, &count, None, Lit::TRUE);
                    result = t.ite(success, &head, &result);
                    t.guard = t.and(&[took, !same]);
                    t.position();
                    t.store(&nexts, &next, Some(&head), Lit::TRUE);
                    active = t.and(&[active, !success]);
                }
                t.guard = active;
                t.forbid();
                elem = t.ite(need, &result, &elem);
                need = t.and(&[need, result[result.len() - 1]]);
            }
            t.guard = t.and(&[base, need]);
            t.forbid();
            base = t.and(&[base, !need]);
            t.guard = base;
            t.position();
            t.store(&values, &own, Some(&elem), Lit::TRUE);
            t.position();
            let value = t.load(&values, Some(&elem));
            let is_own = t.equal(&value, &own);
            let live = t.live();
            let error = t.and(&[live, !is_own]);
            t.encoding.errors.push(error);
            t.position();
            let mut head = t.load(&head_cell, None);
            let mut active = base;
            for _ in 0..unwind {
                t.guard = active;
                t.position();
                t.store(&nexts, &head, Some(&elem), Lit::TRUE);
                t.position();
                let now = t.load(&head_cell, None);
                let same = t.equal(&now, &head);
                t.store(&head_cell, &elem, None, same);
                head = t.ite(same, &head, &now);
                active = t.and(&[active, !same]);
            }
            t.guard = active;
            t.forbid();
            t.guard = base;
            t.position();
            let count = t.load(&count_cell, None);
            let count = t.encoding.gates.add_bits(&count, &one);
            t.store(&count_cell, &count, None, Lit::TRUE);
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|w| w != "--bench")
        .collect();
    let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    let (contexts, unwind, width) = match numbers.as_slice() {
        [contexts, unwind, width, ..] => (*contexts, *unwind, *width),
        _ => (6, 3, 4),
    };
    let mode = if has("full") {
        Mode::Full
    } else {
        Mode::ByPolarity
    };
    let start = Instant::now();
    let mut encoding = Encoding::new(contexts, 4, width, has("rr"));
    safestack(&mut encoding, unwind);
    let clauses = encoding.finish(mode);
    println!(
        "safestack, {contexts} contexts, unwinding {unwind}, {width} bits, {mode:?}: {} gates, \
         {} variables, {} clauses, {} literals in {:.2} s",
        encoding.gates.len(),
        clauses.variable_count(),
        clauses.clause_count(),
        clauses.literal_count(),
        start.elapsed().as_secs_f64()
    );
    if let Some(index) = words.iter().position(|word| word == "--dimacs") {
        let path = words.get(index + 1).expect("--dimacs needs a file");
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        clauses::dimacs::write(&clauses, &[], &mut file).unwrap();
    }
}
