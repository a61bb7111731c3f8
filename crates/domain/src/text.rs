//! Text, web addresses and email addresses.

use super::{Rule, is_text};

/// Text of `MIN` to `MAX` characters, without white space at its ends and without control characters other than
/// line breaks and tabs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Parses text. White space and invisible characters at its ends are removed.
    ///
    /// # Errors
    /// [`Rule::Required`], [`Rule::TooShort`], [`Rule::TooLong`], or [`Rule::Invalid`] for control characters.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let text = text.trim_matches(is_space);
        let text = if is_blank(text) { "" } else { text };
        if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            return Err(Rule::Invalid("text without control characters"));
        }
        match text.chars().count() {
            0 if MIN > 0 => Err(Rule::Required),
            length if length < MIN => Err(Rule::TooShort(MIN)),
            length if length > MAX => Err(Rule::TooLong(MAX)),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// As much of `text` as fits, for text that is better shortened than refused.
    pub fn cut(text: &str) -> Option<Self> {
        let cut: String = text.trim().chars().take(MAX).collect();
        Self::parse(&cut).ok()
    }
}

is_text!([const MIN: usize, const MAX: usize] Text<MIN, MAX>);

/// White space and what has no width, which is cut off the ends of a text.
fn is_space(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}')
}

/// Whether a text shows nothing.
/// Source: Default_Ignorable_Code_Point of the Unicode Character Database, and the blank Braille pattern.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || matches!(c,
                '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
    })
}

/// An absolute http or https URL of at most 2048 characters, kept as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link(String);

impl Link {
    const MAX: usize = 2048;

    /// Parses a URL.
    ///
    /// # Errors
    /// [`Rule::Required`], [`Rule::TooLong`] or [`Rule::Invalid`].
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a web address such as https://example.com/jobs/1");
        let text = text.trim();
        if text.is_empty() {
            return Err(Rule::Required);
        }
        if text.chars().count() > Self::MAX {
            return Err(Rule::TooLong(Self::MAX));
        }
        Self::read(text).ok_or(FORM)
    }

    /// A stored URL, which may be longer than [`Link::parse`] accepts.
    pub fn read(text: &str) -> Option<Self> {
        // The parser accepts control characters, and a scheme without slashes. In a page that shows the text as it was
        // written, the latter is relative to the page's own address.
        let (scheme, _) = text.split_once("://")?;
        let url = url::Url::parse(text).ok()?;
        let is_absolute = scheme.eq_ignore_ascii_case(url.scheme()) && url.has_host();
        let is_web = matches!(url.scheme(), "http" | "https") && is_absolute;
        (is_web && !text.contains(char::is_control)).then(|| Self(text.to_owned()))
    }
}

is_text!([] Link);

/// An email address of at most 254 characters, in lower case: one address, one text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    const MAX: usize = 254;

    /// Parses an address. Only a message to it can show that it exists, so the form is checked loosely: one `@`, a name
    /// before it, a domain with a dot after it, no white space or control characters.
    ///
    /// # Errors
    /// [`Rule::Required`], [`Rule::TooLong`] or [`Rule::Invalid`].
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("an email address such as ann@example.com");
        let text = text.trim_matches(is_space).to_lowercase();
        if text.is_empty() {
            return Err(Rule::Required);
        }
        if text.chars().count() > Self::MAX {
            return Err(Rule::TooLong(Self::MAX));
        }
        let (name, domain) = text.split_once('@').ok_or(FORM)?;
        let labels_are_there =
            domain.contains('.') && domain.split('.').all(|label| !label.is_empty());
        let is_odd = text.contains(|c: char| c.is_whitespace() || c.is_control() || is_space(c));
        if name.is_empty() || domain.contains('@') || !labels_are_there || is_odd {
            Err(FORM)
        } else {
            Ok(Self(text))
        }
    }
}

is_text!([] Email);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_and_control_characters_are_rejected() {
        let parse = Text::<1, 5>::parse;
        assert_eq!(
            parse(" \u{200B}ab\u{FEFF} ").map(|t| t.to_string()),
            Ok("ab".to_owned())
        );
        for blank in ["\u{200B} \u{2060}", "\u{feff}\u{3000}\u{2800}", "\u{3164}"] {
            assert_eq!(parse(blank), Err(Rule::Required), "{blank:?}");
        }
        assert_eq!(
            parse("❤\u{fe0f}").map(|t| t.to_string()),
            Ok("❤\u{fe0f}".to_owned())
        );
        assert_eq!(parse("abcdef"), Err(Rule::TooLong(5)));
        assert!(parse("a\u{0}b").is_err());
        assert!(parse("a\nb").is_ok());
    }

    #[test]
    fn an_email_address_has_one_text() {
        assert_eq!(
            Email::parse(" Ann@Example.COM ").map(|e| e.to_string()),
            Ok("ann@example.com".to_owned())
        );
        for odd in [
            "ann",
            "@example.com",
            "ann@",
            "ann@localhost",
            "a b@example.com",
            "ann@ex@ample.com",
            "ann@example..com",
        ] {
            assert!(Email::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_link_is_an_absolute_web_address() {
        assert!(Link::parse("https://example.com/a?b#c").is_ok());
        for odd in [
            "",
            "example.com",
            "ftp://example.com",
            "javascript:alert(1)",
            "https:example.com",
            "https://",
            "/jobs",
            "https://exa\nmple.com",
        ] {
            assert!(Link::parse(odd).is_err(), "{odd}");
        }
    }
}
