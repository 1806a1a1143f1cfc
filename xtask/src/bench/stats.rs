//! Least, median and greatest of a series.

use std::fmt;

/// A series of one figure, in its unit.
#[derive(Debug)]
pub(crate) struct Series {
    unit: &'static str,
    values: Vec<f64>,
}

impl Series {
    pub(crate) fn new(unit: &'static str, mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self { unit, values }
    }

    /// The middle value; of an even number the lower of the two in the middle. NaN for none, which meets no target.
    pub(crate) fn median(&self) -> f64 {
        let middle = self.values.len().saturating_sub(1) / 2;
        self.values.get(middle).copied().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = self.values.first().copied().unwrap_or(f64::NAN);
        let greatest = self.values.last().copied().unwrap_or(f64::NAN);
        write!(f, "{least:.2} / {:.2} / {greatest:.2} {}", self.median(), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_shown_by_its_least_median_and_greatest() {
        assert_eq!(Series::new("ms", vec![9.0, 1.0, 4.0]).to_string(), "1.00 / 4.00 / 9.00 ms");
        assert_eq!(Series::new("ms", vec![1.0, 2.0, 3.0, 4.0]).median().to_string(), "2");
        assert!(Series::new("ms", vec![]).median().is_nan());
    }
}
