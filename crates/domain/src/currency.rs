//! Currencies: ISO 4217, and the one of each country.

use super::{Rule, is_text};

const NO_CODE: Rule = Rule::Invalid("a currency code of ISO 4217, three letters such as EUR");

/// Currencies of several countries. Other codes that begin with X are none that pay is in.
const PAID_WITH_X: [&str; 4] = ["XAF", "XCD", "XOF", "XPF"];

/// A currency's code in ISO 4217: `EUR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Currency(&'static str);

impl Currency {
    /// Parses a code of three letters.
    ///
    /// # Errors
    /// [`Rule::Invalid`].
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let code = text.trim().to_ascii_uppercase();
        // No currency, a code for tests, and what is not paid in: metals and units of account.
        if code.starts_with('X') && !PAID_WITH_X.contains(&code.as_str()) {
            return Err(NO_CODE);
        }
        let known = iso_currency::Currency::from_code(&code).ok_or(NO_CODE)?;
        Ok(Self(known.code()))
    }

    /// The currency of a country, by its code in ISO 3166-1.
    pub fn of_country(code: &str) -> Option<Self> {
        let country: iso_currency::Country = code.parse().ok()?;
        Some(Self(iso_currency::Currency::from(country).code()))
    }

    /// The currency that countries have in common; `None` if they have several.
    pub fn shared(countries: impl IntoIterator<Item = impl AsRef<str>>) -> Option<Self> {
        let mut currencies = countries
            .into_iter()
            .map(|code| Self::of_country(code.as_ref()));
        let first = currencies.next()??;
        currencies
            .all(|other| other == Some(first))
            .then_some(first)
    }
}

is_text!([] Currency);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_has_a_currency() {
        for (country, code) in [
            ("US", "USD"),
            ("CA", "CAD"),
            ("GB", "GBP"),
            ("DE", "EUR"),
            ("BG", "EUR"),
            ("HR", "EUR"),
            ("CH", "CHF"),
            ("IN", "INR"),
            ("MX", "MXN"),
            ("BR", "BRL"),
            ("PL", "PLN"),
            ("JP", "JPY"),
            ("AU", "AUD"),
            ("UY", "UYU"),
            ("CL", "CLP"),
            ("CO", "COP"),
        ] {
            let found = Currency::of_country(country).map(|found| found.0);
            assert_eq!(found, Some(code));
        }
        assert_eq!(Currency::shared(["DE", "AT"]), Some(Currency("EUR")));
        assert_eq!(Currency::shared(["DE", "CH"]), None);
        assert_eq!(Currency::shared([""; 0]), None);
        assert_eq!(Currency::parse(" usd "), Ok(Currency("USD")));
        assert!(Currency::parse("dollars").is_err());
    }
}
