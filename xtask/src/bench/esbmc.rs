//! `lazy`, `whole` and `widen` on the programs of the ESBMC paper, or on versions of
//! our own where they are not in the corpus.

use super::Settings;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Threads that enter blocks into a table at their own places, each place under
/// its own lock; in the second version the table has one place too few.
const FSBENCH: &str = r#"
#include <assert.h>
#include <pthread.h>
#define N 5
pthread_mutex_t inode_lock[N], block_lock[N];
int inode[N], is_used[N];
static void *worker(void *arg) {
    int i = (int)(long)arg;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = (i * 2 + EXTRA) % (N + EXTRA);
        assert(b < N);
        pthread_mutex_lock(&block_lock[b]);
        if (!is_used[b]) { is_used[b] = 1; inode[i] = b + 1; }
        pthread_mutex_unlock(&block_lock[b]);
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < N; i++) { pthread_mutex_init(&inode_lock[i], 0); pthread_mutex_init(&block_lock[i], 0); }
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, (void *)(i + EXTRA));
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
"#;

/// Threads that put messages into a hash table, looking for the next free slot.
/// If a slot is taken without claiming it, two threads may take the same.
const INDEXER: &str = r#"
#include <assert.h>
#include <pthread.h>
#define SIZE 8
int table[SIZE];
static int claim(int h, int w) {
    if (CLAIMS) return __sync_bool_compare_and_swap(&table[h], 0, w);
    if (table[h]) return 0;
    table[h] = w;
    return 1;
}
static void *worker(void *arg) {
    int tid = (int)(long)arg;
    for (int m = 0; m < 2; m++) {
        int w = (m + 1) * 11 + tid * 8, h = (w * 7) % SIZE;
        for (int i = 0; i < SIZE && !claim(h, w); i++) h = (h + 1) % SIZE;
    }
    return 0;
}
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    int entries = 0;
    for (int i = 0; i < SIZE; i++) entries += table[i] != 0;
    assert(entries == 4);
    return 0;
}
"#;

/// One thread holds the right lock while it works, the others hold another one.
const WRONGLOCK: &str = r#"
#include <assert.h>
#include <pthread.h>
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
int value;
static void *careful(void *arg) {
    pthread_mutex_lock(&right);
    int before = value;
    value++;
    assert(value == before + 1);
    pthread_mutex_unlock(&right);
    return 0;
}
static void *careless(void *arg) {
    pthread_mutex_lock(&wrong);
    value += 2;
    pthread_mutex_unlock(&wrong);
    return 0;
}
int main(void) {
    pthread_t t[1 + OTHERS];
    pthread_create(&t[0], 0, careful, 0);
    for (int i = 1; i <= OTHERS; i++) pthread_create(&t[i], 0, careless, 0);
    for (int i = 0; i <= OTHERS; i++) pthread_join(t[i], 0);
    return 0;
}
"#;

/// A number of questions; none if nothing had to be asked.
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

pub(super) fn esbmc(settings: &Settings) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok::<PathBuf, String>(path)
    };
    let sct = settings.corpus.join("sct/concurrent-software-benchmarks");
    let rows = [
        (
            "fsbench_ok",
            write("fsbench_ok.c", &FSBENCH.replace("EXTRA", "0"))?,
            4,
        ),
        (
            "fsbench_bad",
            write("fsbench_bad.c", &FSBENCH.replace("EXTRA", "1"))?,
            4,
        ),
        (
            "indexer_ok",
            write("indexer_ok.c", &INDEXER.replace("CLAIMS", "1"))?,
            6,
        ),
        (
            "indexer_bad",
            write("indexer_bad.c", &INDEXER.replace("CLAIMS", "0"))?,
            6,
        ),
        (
            "wronglock_bad",
            write("wronglock_bad.c", &WRONGLOCK.replace("OTHERS", "1"))?,
            4,
        ),
        (
            "wronglock_3_bad",
            write("wronglock_3_bad.c", &WRONGLOCK.replace("OTHERS", "3"))?,
            4,
        ),
        ("reorder_4_bad", sct.join("reorder_4_bad.c"), 5),
        ("reorder_5_bad", sct.join("reorder_5_bad.c"), 6),
        ("twostage_100_bad", sct.join("twostage_100_bad.c"), 4),
        ("stateful06_ok", sct.join("stateful06_ok.c"), 5),
    ];
    let mut page = format!(
        "# The three approaches of ESBMC\n\nMade by `cargo xtask bench esbmc`: seconds on one core, at \
         most {} each; for `lazy` the complete schedules that were asked about, for `widen` the \
         questions.\n\n| program | contexts | result | lazy | schedules | whole | widen | questions |\n\
         |---|---|---|---|---|---|---|---|\n",
        settings.time
    );
    for (name, program, contexts) in rows {
        if !settings.is_wanted(name) || !program.exists() {
            continue;
        }
        let run = |strategy: &str| {
            let options =
                format!("--unwind 10 --contexts {contexts} --cores 1 --strategy {strategy}");
            settings.check(&program, &options)
        };
        let (lazy, whole, widen) = (run("lazy")?, run("whole")?, run("widen")?);
        let _ = writeln!(
            page,
            "| {name} | {contexts} | {} | {} | {} | {} | {} | {} |",
            whole.verdict,
            lazy.time(),
            count(&lazy.search["schedules"]),
            whole.time(),
            widen.time(),
            count(&widen.search["calls"]),
        );
    }
    let _ = fs::remove_dir_all(&folder);
    settings.write("bench-esbmc.md", &page)
}
