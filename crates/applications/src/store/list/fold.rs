//! Text as it is compared.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Text without case and accents, for comparing.
pub(in crate::store) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let decomposed = text.nfkd().filter(|c| !is_combining_mark(*c));
    let folded = decomposed.flat_map(char::to_lowercase).collect::<String>();
    // These have no decomposition.
    folded
        .replace('ß', "ss")
        .replace('ø', "o")
        .replace('ł', "l")
        .replace('æ', "ae")
        .replace('œ', "oe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_compared_without_case_and_accents() {
        for (text, folded) in [
            ("Zürich", "zurich"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Łódź", "lodz"),
            ("ﬁn", "fin"),
        ] {
            assert_eq!(fold(text), folded);
        }
    }
}
