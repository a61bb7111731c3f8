//! What a cell with a salary says beside the amount: the currency, and the time that it is paid for.

use crate::model::SalaryPeriod;
use trestle_domain::Currency;

use super::words::value;
use trestle_rows::cells::money_range;

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

/// Words beside an amount that change nothing of it.
const BESIDE: [&str; 16] = [
    "k", "to", "from", "up", "per", "a", "an", "p", "us", "ca", "c", "gross", "brutto", "net",
    "base", "salary",
];

/// An amount, or the two of a range. A word that is not known may be a unit, as in 12 LPA, so that is not understood.
pub fn amounts(text: &str) -> Option<(i64, Option<i64>)> {
    let mut words = text.split(|c: char| !c.is_alphabetic());
    if words.any(|word| !word.is_empty() && !stands_beside(word)) {
        return None;
    }
    money_range(text)
}

fn stands_beside(word: &str) -> bool {
    BESIDE.contains(&&*word.to_lowercase())
        || period(word).is_some()
        || Currency::parse(word).is_ok()
}

/// Currencies whose sign is `$`.
const DOLLARS: [&str; 11] = [
    "USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP",
];

/// What is understood as a period.
pub const PERIODS: &str = "year, month, day and hour are, and words such as annual or per hour";

/// The currency that a cell names, by its code in capitals or by a sign.
pub fn currency(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    let named = words.find_map(|word| {
        let is_code = word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase());
        Currency::parse(word).ok().filter(|_| is_code)
    });
    if let Some(code) = named {
        return Some(code.to_string());
    }
    let (_, code) = SIGNS.iter().find(|(sign, _)| text.contains(sign))?;
    Some((*code).to_owned())
}

/// The currency of an amount: the one that it names, or else that of its list. A lone `$` is the list's if that is a dollar, and
/// otherwise the one that most lists mean, if the list names a currency at all.
pub fn currency_of(text: &str, of_list: Option<&Currency>) -> Option<String> {
    if let Some(named) = currency(text) {
        return Some(named);
    }
    let of_list = of_list?.to_string();
    if text.contains('$') && !DOLLARS.contains(&&*of_list) {
        return Some("USD".to_owned());
    }
    Some(of_list)
}

/// A period, by its own word or one that people use for it.
pub fn period(text: &str) -> Option<SalaryPeriod> {
    value("period", text, SalaryPeriod::ALL, SalaryPeriod::word)
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
