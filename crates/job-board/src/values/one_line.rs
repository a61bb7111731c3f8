//! Text of one line, such as a title.

use trestle_domain::{Rule, Text};

/// Characters of no width that mean nothing between letters. Joiners belong to words of some languages.
const INVISIBLE: [char; 4] = ['\u{200B}', '\u{2060}', '\u{FEFF}', '\u{AD}'];

/// The text with one blank for line breaks, tabs and several blanks, and without invisible characters, which would make other
/// words of it.
pub fn one_line<const MIN: usize, const MAX: usize>(text: &Text<MIN, MAX>) -> Text<MIN, MAX> {
    parse_line(text.as_str()).unwrap_or_else(|_| text.clone())
}

/// As [`one_line`], of text that is not parsed yet.
///
/// # Errors
/// As those of [`Text::parse`].
pub fn parse_line<const MIN: usize, const MAX: usize>(text: &str) -> Result<Text<MIN, MAX>, Rule> {
    let visible = text.replace(INVISIBLE, "");
    let words: Vec<_> = visible.split_whitespace().collect();
    Text::parse(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_nothing_invisible() {
        for (written, line) in [
            ("Head\nChef", "Head Chef"),
            ("Data\u{200B} analyst", "Data analyst"),
            ("Da\u{AD}ta\t  analyst", "Data analyst"),
            ("👩\u{200D}🍳 Chef", "👩\u{200D}🍳 Chef"),
        ] {
            let text: Text<1, 50> = Text::parse(written).unwrap();
            assert_eq!(one_line(&text).as_str(), line);
        }
    }
}
