//! Points in time and calendar days, as mail carries them.

use std::fmt;

use mail_parser::DateTime;

/// Seconds since 1970-01-01T00:00:00Z. Shown in UTC (RFC 3339).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The calendar day (UTC) that this moment falls on.
    pub fn day(self) -> Day {
        let date = DateTime::from_timestamp(self.0);
        Day { year: date.year, month: date.month, day: date.day }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&DateTime::from_timestamp(self.0).to_rfc3339())
    }
}

/// A calendar day without a time zone, as IMAP's SINCE and BEFORE take it (RFC 9051 §6.4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    /// Four digits, 1970 or later.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31, and a day that the month has.
    pub day: u8,
}

impl Day {
    /// Reads `2026-11-30` (a time after it, as in RFC 3339, is ignored).
    pub fn parse(text: &str) -> Option<Self> {
        let date = text.get(..10)?;
        let rest = text.get(10..)?;
        if !(rest.is_empty() || rest.starts_with(['T', 't', ' '])) {
            return None;
        }
        let mut fields = date.split('-');
        let mut digits = |count: usize| {
            fields.next().filter(|f| f.len() == count && f.bytes().all(|b| b.is_ascii_digit()))
        };
        let (year, month, day) = (digits(4)?, digits(2)?, digits(2)?);
        let found = Self { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        (found.year >= 1970 && found.start().day() == found && found.month >= 1).then_some(found)
    }

    /// Midnight UTC at the start of the day.
    pub fn start(self) -> Timestamp {
        let date = DateTime {
            year: self.year,
            month: self.month,
            day: self.day,
            hour: 0,
            minute: 0,
            second: 0,
            tz_before_gmt: false,
            tz_hour: 0,
            tz_minute: 0,
        };
        Timestamp(date.to_timestamp())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_real_days() {
        assert_eq!(Day::parse("2026-11-30"), Some(Day { year: 2026, month: 11, day: 30 }));
        assert_eq!(Day::parse("2024-02-29T10:00:00Z").map(|d| d.to_string()).as_deref(), Some("2024-02-29"));
        for bad in [
            "2026-02-30",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "yesterday",
            "2026-11-30x",
            "1969-12-31",
            "",
        ] {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn moments_are_shown_in_utc() {
        assert_eq!(Timestamp(1_700_000_000).to_string(), "2023-11-14T22:13:20Z");
        assert_eq!(Timestamp(1_700_000_000).day().to_string(), "2023-11-14");
    }
}
