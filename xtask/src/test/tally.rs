//! The sum over all test binaries, read from the runner's own result lines.

use std::fmt;

/// Counted tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    /// Binaries (or the build) that ended without a result.
    pub(crate) unfinished: usize,
    /// Binaries that began and whose result is still to come.
    open: usize,
}

impl Tally {
    /// Takes in one line of output: `running N tests`, or `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    ///
    /// The runner writes both at the start of a line; a test that prints such a line on its own would have to defeat the
    /// runner's capture first.
    pub(crate) fn read(&mut self, line: &str) {
        let line = line.trim();
        if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.open = self.open.saturating_add(1);
        }
        let Some(counts) = line.strip_prefix("test result: ") else { return };
        self.open = self.open.saturating_sub(1);
        let (_, counts) = counts.split_once(". ").unwrap_or_default();
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            let sum = match what {
                "passed" => &mut self.passed,
                "failed" => &mut self.failed,
                "ignored" => &mut self.skipped,
                _ => continue,
            };
            *sum = sum.saturating_add(number);
        }
    }

    /// The end of the run: a failure that no result line tells of (no build, a binary that died) is counted as one.
    pub(crate) fn finish(&mut self, success: bool) {
        self.unfinished = self.open;
        if !success && self.failed == 0 && self.unfinished == 0 {
            self.unfinished = 1;
        }
        self.failed = self.failed.saturating_add(self.unfinished);
        self.open = 0;
    }

    /// Tests that said that they did not run were counted as passed by the runner.
    pub(crate) fn move_to_skipped(&mut self, count: usize) {
        self.passed = self.passed.saturating_sub(count);
        self.skipped = self.skipped.saturating_add(count);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(output: &str, success: bool) -> Tally {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.read(line));
        tally.finish(success);
        tally
    }

    #[test]
    fn results_of_all_binaries_are_summed() {
        let tally = after(
            "running 3 tests\ntest a ... ok\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.01s\n\
             running 1 test\ntest result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n",
            false,
        );
        assert_eq!(tally.to_string(), "3 passed, 1 failed, 2 skipped");
        assert_eq!(tally.unfinished, 0);
    }

    #[test]
    fn a_binary_that_dies_and_a_build_that_fails_are_failures() {
        assert_eq!(
            after("running 2 tests\ntest a ... ok\n", false).to_string(),
            "0 passed, 1 failed, 0 skipped"
        );
        assert_eq!(after("", false).to_string(), "0 passed, 1 failed, 0 skipped");
        let died = "running 1 test\nrunning 1 test\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        assert_eq!(after(died, false).to_string(), "0 passed, 2 failed, 0 skipped");
    }

    #[test]
    fn a_skipped_test_is_not_a_passed_one() {
        let mut tally = after("running 5 tests\ntest result: ok. 5 passed; 0 failed; 0 ignored\n", true);
        tally.move_to_skipped(2);
        assert_eq!(tally.to_string(), "3 passed, 0 failed, 2 skipped");
    }
}
