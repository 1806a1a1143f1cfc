//! Points in time as ECMA-262 writes them: ISO 8601 in UTC with milliseconds, six digits and a sign for years that four
//! digits don't hold, and the words `Invalid Date` beyond 100 million days from 1970.

use std::fmt;

/// The furthest millisecond from 1970 that is a date.
const FURTHEST: u64 = 8_640_000_000_000_000;
const MILLIS_OF_A_DAY: i64 = 86_400_000;

/// A point in time, in milliseconds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Date(Option<i64>);

impl Date {
    /// No date. All of these are equal.
    pub const INVALID: Self = Self(None);

    /// The date that is so many milliseconds after 1970 began; [`Date::INVALID`] beyond 100 million days.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        if millis.unsigned_abs() <= FURTHEST { Self(Some(millis)) } else { Self::INVALID }
    }

    /// Milliseconds since 1970; `None` when it is no date.
    #[must_use]
    pub const fn millis(self) -> Option<i64> {
        self.0
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(millis) = self.0 else { return f.write_str("Invalid Date") };
        let (year, month, day) = civil(millis.div_euclid(MILLIS_OF_A_DAY));
        if (0..=9999).contains(&year) {
            write!(f, "{year:04}")?;
        } else {
            write!(f, "{year:+07}")?;
        }
        let part = |unit: i64, of: i64| millis.div_euclid(unit).rem_euclid(of);
        let (hour, minute) = (part(3_600_000, 24), part(60_000, 60));
        let (second, millisecond) = (part(1_000, 60), part(1, 1_000));
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
    }
}

/// Year, month and day of the proleptic Gregorian calendar, from days since 1970.
///
/// Years are counted from March, so that the leap day is the last of its year, in eras of 400 years, which all have the
/// same number of days.
#[expect(clippy::arithmetic_side_effects, reason = "days are within 100 million of 1970")]
fn civil(days: i64) -> (i64, i64, i64) {
    // Days between 0000-03-01 and 1970-01-01.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March are 31, 30, 31, 30, 31 days long, twice, and begin again: 153 days for five.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_javascript_writes_them() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_800_000_600_000, "2027-01-15T08:10:00.000Z"),
            (1_704_067_199_000, "2023-12-31T23:59:59.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
            (8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"),
            (-8_640_000_000_000_000, "-271821-04-20T00:00:00.000Z"),
            (8_640_000_000_000_001, "Invalid Date"),
            (i64::MIN, "Invalid Date"),
        ] {
            assert_eq!(Date::from_millis(millis).to_string(), text);
        }
        assert_eq!(Date::INVALID.to_string(), "Invalid Date");
        assert_eq!((Date::from_millis(5).millis(), Date::INVALID.millis()), (Some(5), None));
    }

    #[test]
    fn each_day_follows_the_one_before() {
        // 800 years and more, both ways from 1970: every kind of year and the ends of two eras.
        let mut before = civil(-400_001);
        for day in -400_000..400_000 {
            let (year, month, date) = civil(day);
            let (last_year, last_month, last_date) = before;
            let leap = last_year % 4 == 0 && (last_year % 100 != 0 || last_year % 400 == 0);
            let length = match last_month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            let expected = match (last_date == length, last_month) {
                (false, _) => (last_year, last_month, last_date + 1),
                (true, 12) => (last_year + 1, 1, 1),
                (true, _) => (last_year, last_month + 1, 1),
            };
            assert_eq!((year, month, date), expected, "day {day}");
            before = (year, month, date);
        }
    }
}
