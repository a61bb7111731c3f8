//! Cells that a spreadsheet would take for formulas. Source: OWASP, CSV Injection.

use std::borrow::Cow;

const BEGINNINGS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// Ahead of a cell, it makes spreadsheets take the rest for text.
const SHIELD: char = '\'';

fn is_formula(text: &str) -> bool {
    text.trim_start_matches(SHIELD).starts_with(BEGINNINGS)
}

/// A cell that no spreadsheet takes for a formula.
pub fn shielded(text: &str) -> Cow<'_, str> {
    if is_formula(text) {
        format!("{SHIELD}{text}").into()
    } else {
        text.into()
    }
}

/// The text that [`shielded`] was given.
pub fn unshielded(cell: &str) -> &str {
    match cell.strip_prefix(SHIELD) {
        Some(text) if is_formula(text) => text,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cell_goes_round_and_is_no_formula(text in "['=+@a\t\r-]{0,4}") {
            let cell = shielded(&text).into_owned();
            prop_assert!(!cell.starts_with(BEGINNINGS));
            prop_assert_eq!(unshielded(&cell), text);
        }
    }
}
