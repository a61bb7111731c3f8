//! What a cell with a salary says beside the amount: the currency, and the time that it is paid for.

use trestle_applications::SalaryPeriod;
use trestle_domain::Currency;

use super::values::plain;

/// Signs that stand for one currency. A lone `$` or `¥` stands for several.
const SIGNS: [(&str, &str); 10] = [
    ("US$", "USD"),
    ("CA$", "CAD"),
    ("C$", "CAD"),
    ("A$", "AUD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("₹", "INR"),
    ("₪", "ILS"),
    ("₩", "KRW"),
    ("₺", "TRY"),
];

/// What is understood as a period.
pub const PERIODS: &str = "year, month, day and hour are, and words such as annual or per hour";

/// The currency that a cell names, by its code in capitals or by a sign.
pub fn currency(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    let is_code = |word: &&str| word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase());
    let mut codes = words
        .by_ref()
        .filter(is_code)
        .filter_map(|word| Currency::parse(word).ok());
    let code = codes.next().map(|code| code.to_string());
    let sign = || SIGNS.iter().find(|(sign, _)| text.contains(sign));
    code.or_else(|| sign().map(|(_, code)| (*code).to_owned()))
}

/// A period, by its own word or one that people use for it.
pub fn period(text: &str) -> Option<SalaryPeriod> {
    Some(match plain(text).as_str() {
        "year" | "yearly" | "annual" | "annually" | "peryear" | "perannum" | "pa" | "yr" => {
            SalaryPeriod::Year
        }
        "month" | "monthly" | "permonth" | "pm" | "mo" => SalaryPeriod::Month,
        "day" | "daily" | "perday" | "dayrate" => SalaryPeriod::Day,
        "hour" | "hourly" | "perhour" | "hr" | "ph" => SalaryPeriod::Hour,
        _ => return None,
    })
}

/// The period that stands behind an amount: `60 / hour`, `£400 a day`, `50k p.a.`.
pub fn period_of(amount: &str) -> Option<SalaryPeriod> {
    let lower = amount.to_lowercase();
    let behind = ["/", " per ", " a ", " an "]
        .iter()
        .find_map(|between| lower.rsplit_once(between));
    let word = behind.map_or_else(
        || lower.rsplit(char::is_whitespace).next().unwrap_or_default(),
        |(_, word)| word,
    );
    period(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salary_names_its_currency_and_its_period() {
        for (text, code, of) in [
            ("£70k", Some("GBP"), None),
            ("70 000 EUR", Some("EUR"), None),
            ("US$ 90-110k / year", Some("USD"), Some(SalaryPeriod::Year)),
            ("$60 per hour", None, Some(SalaryPeriod::Hour)),
            ("CHF 9'000 monthly", Some("CHF"), Some(SalaryPeriod::Month)),
            ("£400 a day", Some("GBP"), Some(SalaryPeriod::Day)),
            ("120k", None, None),
            ("per hour", None, Some(SalaryPeriod::Hour)),
        ] {
            assert_eq!(currency(text).as_deref(), code, "{text}");
            assert_eq!(period_of(text), of, "{text}");
        }
    }
}
