//! Dates of a column. A date of numbers such as 11/3/2026 has two readings, and the other dates of its column say which one is
//! meant.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::cells;

/// What comes first in a date of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// As in 11/20/2026.
    MonthFirst,
    /// As in 20/11/2026.
    DayFirst,
}

/// How the dates of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// No date of the column depends on an order.
    Any,
    /// Every date of the column can be read in this order alone.
    Of(DateOrder),
    /// Every date of the column can be read in both orders, and some mean another day in each.
    Ambiguous,
    /// Neither order fits every date of the column.
    Mixed,
}

/// A date of numbers whose year is at its end.
struct Numbers {
    first: u32,
    second: u32,
    year: i32,
    has_dots: bool,
}

impl Numbers {
    fn read(text: &str) -> Option<Self> {
        let (date, rest) = match text.find([',', 'T']) {
            Some(at) => text.split_at(at),
            None => split_time(text),
        };
        if !is_time(rest) {
            return None;
        }
        let mark = date.chars().find(|c| !c.is_ascii_digit())?;
        if !['/', '-', '.'].contains(&mark) {
            return None;
        }
        let mut parts = date.split(mark).map(str::trim);
        let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        if [first, second].iter().any(|text| text.len() > 2) {
            return None;
        }
        Some(Self {
            first: first.parse().ok()?,
            second: second.parse().ok()?,
            year: cells::year(year)?,
            has_dots: mark == '.',
        })
    }

    fn day(&self, order: DateOrder) -> Option<NaiveDate> {
        let (month, day) = match order {
            DateOrder::MonthFirst => (self.first, self.second),
            DateOrder::DayFirst => (self.second, self.first),
        };
        NaiveDate::from_ymd_opt(self.year, month, day)
    }
}

/// The date and what stands after its last number, as in `20. 11. 2026 08:15`.
fn split_time(text: &str) -> (&str, &str) {
    let Some(colon) = text.find(':') else {
        return (text, "");
    };
    let before = &text[..colon];
    match before.rfind(char::is_whitespace) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    }
}

/// Whether a text is a time of day, or nothing: `, 8:15 AM`, `T08:15:00+01:00`.
fn is_time(text: &str) -> bool {
    let text = text.trim_start_matches([',', 'T', ' ']).trim();
    let Some((hour, rest)) = text.split_once(':') else {
        return text.is_empty();
    };
    let hour = hour.parse::<u32>().is_ok_and(|hour| hour < 24);
    let minute = rest.get(..2).and_then(|minute| minute.parse::<u32>().ok());
    hour && minute.is_some_and(|minute| minute < 60)
}

/// The order in which all of these can be read that are dates of numbers. What is a day in neither order decides nothing.
pub fn order_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> ColumnOrder {
    let numbers = texts
        .into_iter()
        .filter_map(|text| Numbers::read(text.trim()));
    let mut dates: Vec<_> = numbers
        .filter(|date| {
            date.day(DateOrder::MonthFirst).is_some() || date.day(DateOrder::DayFirst).is_some()
        })
        .collect();
    // Wherever dates have dots, the day is first. That says nothing of dates with slashes.
    if dates.iter().any(|date| !date.has_dots) {
        dates.retain(|date| !date.has_dots);
    }
    let fits = |order: DateOrder| dates.iter().all(|date| date.day(order).is_some());
    let mut both = dates.iter();
    let are_same =
        both.all(|date| date.day(DateOrder::MonthFirst) == date.day(DateOrder::DayFirst));
    match (fits(DateOrder::MonthFirst), fits(DateOrder::DayFirst)) {
        _ if dates.is_empty() => ColumnOrder::Any,
        (true, false) => ColumnOrder::Of(DateOrder::MonthFirst),
        (false, true) => ColumnOrder::Of(DateOrder::DayFirst),
        (true, true) if are_same => ColumnOrder::Any,
        (true, true) if dates.iter().all(|date| date.has_dots) => {
            ColumnOrder::Of(DateOrder::DayFirst)
        }
        (true, true) => ColumnOrder::Ambiguous,
        (false, false) => ColumnOrder::Mixed,
    }
}

/// How many days a date of numbers can be; none if a text is no date in either order.
pub fn readings(text: &str) -> usize {
    let Some(numbers) = Numbers::read(text.trim()) else {
        return 0;
    };
    let orders = [DateOrder::MonthFirst, DateOrder::DayFirst];
    let days: BTreeSet<_> = orders
        .into_iter()
        .filter_map(|order| numbers.day(order))
        .collect();
    days.len()
}

/// A date as `YYYY-MM-DD`, if it has one reading: in an order, in a format of [`cells::date_format`], or in any form of
/// [`cells::date`].
pub fn date(text: &str, order: Option<DateOrder>, format: Option<&str>) -> Option<String> {
    let text = text.trim();
    if let Some(day) = cells::date(text, format).or_else(|| year_first(text)) {
        return Some(day);
    }
    let numbers = Numbers::read(text)?;
    let day = match order {
        Some(order) => numbers.day(order)?,
        None if numbers.has_dots => numbers.day(DateOrder::DayFirst)?,
        None => {
            let day = numbers.day(DateOrder::MonthFirst)?;
            (numbers.day(DateOrder::DayFirst) == Some(day)).then_some(day)?
        }
    };
    Some(day.to_string())
}

/// A date whose year is first: `2026/1/5 08:15`, `2026.01.05`.
fn year_first(text: &str) -> Option<String> {
    let end = text.find(|c: char| c.is_whitespace() || c == 'T' || c == ',');
    let (date, rest) = text.split_at(end.unwrap_or(text.len()));
    let mut parts = date.split(['-', '/', '.']);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_date = year.len() == 4 && parts.next().is_none() && is_time(rest);
    let day = NaiveDate::from_ymd_opt(
        year.parse().ok()?,
        month.parse().ok().filter(|_| month.len() <= 2)?,
        day.parse().ok().filter(|_| day.len() <= 2)?,
    )?;
    is_date.then(|| day.to_string())
}

#[cfg(test)]
mod tests {
    use chrono::Datelike as _;

    use super::*;

    /// How a day is written in one order, or in none.
    struct Form {
        format: &'static str,
        order: Option<DateOrder>,
    }

    const fn form(format: &'static str, order: Option<DateOrder>) -> Form {
        Form { format, order }
    }

    const MONTH: Option<DateOrder> = Some(DateOrder::MonthFirst);
    const DAY: Option<DateOrder> = Some(DateOrder::DayFirst);

    const FORMS: [Form; 27] = [
        form("%Y-%m-%d", None),
        form("%Y-%m-%dT08:15:00Z", None),
        form("%Y-%m-%d 08:15", None),
        form("%Y/%m/%d", None),
        form("%Y/%-m/%-d 8:15", None),
        form("%Y.%m.%d", None),
        form("%B %-d, %Y", None),
        form("%b %d, %Y", None),
        form("%-d %B %Y", None),
        form("%d-%b-%Y", None),
        form("%d-%b-%y", None),
        form("%-d %B %y", None),
        form("%-d-%b-%y 08:15", None),
        form("%a %b %d %Y 09:30:00 GMT+0100 (CET)", None),
        form("%a, %d %b %Y 08:15:00 GMT", None),
        form("%m/%d/%Y", MONTH),
        form("%-m/%-d/%Y", MONTH),
        form("%-m/%-d/%y, 8:15 AM", MONTH),
        form("%m/%d/%Y 08:15", MONTH),
        form("%m-%d-%Y", MONTH),
        form("%d/%m/%Y", DAY),
        form("%-d/%-m/%y", DAY),
        form("%d/%m/%Y, 08:15:00", DAY),
        form("%d-%m-%Y", DAY),
        form("%d.%m.%Y", DAY),
        form("%-d. %-m. %Y 08:15", DAY),
        form("%d.%m.%y", DAY),
    ];

    #[test]
    fn a_column_is_read_in_the_one_order_that_fits_all_of_it() {
        let start = NaiveDate::from_ymd_opt(2025, 12, 1).unwrap();
        let days: Vec<_> = start.iter_days().take(200).collect();
        for Form { format, order } in FORMS {
            for (size, step) in [(1, 1), (2, 11), (5, 40), (12, 17), (200, 1)] {
                for from in [0, 3, 12, 40] {
                    let column = days.iter().cycle().skip(from).step_by(step).take(size);
                    let column: Vec<_> = column.copied().collect();
                    let texts: Vec<_> = column
                        .iter()
                        .map(|day| day.format(format).to_string())
                        .collect();
                    let found = order_of(texts.iter().map(String::as_str));
                    let is_same = column.iter().all(|day| day.day() == day.month());
                    // A day after the 12th settles it, and so do dots.
                    let is_told = column.iter().any(|day| day.day() > 12) || format.contains('.');
                    let expected = match order {
                        None => ColumnOrder::Any,
                        Some(_) if is_same => ColumnOrder::Any,
                        Some(order) if is_told => ColumnOrder::Of(order),
                        Some(_) => ColumnOrder::Ambiguous,
                    };
                    assert_eq!(found, expected, "{format}: {texts:?}");
                    for (day, text) in column.iter().zip(&texts) {
                        let read = date(text, order, None);
                        assert_eq!(read, Some(day.to_string()), "{text}");
                        let alone = date(text, None, None);
                        let is_dotted = format.contains('.') && order.is_some();
                        let has_one = order.is_none() || is_dotted || day.day() == day.month();
                        assert_eq!(alone, has_one.then(|| day.to_string()), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_cell_that_is_not_a_date_is_none_in_any_order() {
        for text in [
            "",
            "soon",
            "11/20",
            "13/13/2026",
            "31/2/2026",
            "0/1/2026",
            "1/2/026",
            "1/2/3/2026",
            "11/20/2026 or later",
            "20.11",
            "1.5",
            "11/20/2026, 25:00",
            "2026-13-01",
            "2026/1",
            "120000",
        ] {
            for order in [None, MONTH, DAY] {
                assert_eq!(date(text, order, None), None, "{text}");
            }
            // It does not decide how the others are read.
            let found = order_of([text, "12/31/2026"]);
            assert_eq!(found, ColumnOrder::Of(DateOrder::MonthFirst), "{text}");
        }
        assert_eq!(order_of(["12/31/2026", "31/12/2026"]), ColumnOrder::Mixed);
    }
}
