//! The fuzz targets as ordinary tests: over their corpora, and over random bytes from a fixed seed, among which are
//! changed pieces of the corpora.

#![expect(clippy::arithmetic_side_effects, reason = "a test may end in an overflow")]

mod payload;
mod token;

pub(crate) use payload::reads_back;

/// A few seconds; `fuzz/` is for longer runs.
const RUNS: u32 = 4_000;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("corpus").join(target);
    let mut files: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10, "a corpus of {}", files.len());
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// `SplitMix64`: the same numbers every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ mixed >> 31) % limit.max(1) as u64).unwrap()
    }
}

fn run(target: &str, check: fn(&[u8])) {
    let corpus = corpus(target);
    for input in &corpus {
        check(input);
    }
    let mut random = Random(7);
    let mut below = |limit: usize| random.below(limit);
    for _ in 0..RUNS {
        let mut input = if below(4) == 0 { Vec::new() } else { corpus[below(corpus.len())].clone() };
        for _ in 0..below(6) {
            let (at, piece) = (below(input.len() + 1), &corpus[below(corpus.len())]);
            match below(5) {
                0 => input.truncate(at),
                1 => input.insert(at, below(256).try_into().unwrap()),
                2 if at < input.len() => input[at] ^= 1 << below(8),
                3 if at < input.len() => drop(input.remove(at)),
                _ => drop(input.splice(at..at, piece[..below(piece.len() + 1)].iter().copied())),
            }
        }
        check(&input);
    }
}

#[test]
fn payloads_are_read_back_from_any_bytes() {
    run("payload", payload::check);
}

#[test]
fn no_bytes_are_a_token_that_was_not_signed() {
    run("token", token::check);
}
