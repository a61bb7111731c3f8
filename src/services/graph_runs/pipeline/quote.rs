//! Expressions as the report quotes them.

use hcl::expr::Expression;

/// The longest text that an unknown value is quoted with, in characters.
const QUOTED: usize = 120;

/// An expression on one line, shortened.
pub fn quote(expression: &Expression) -> String {
    let whole = expression.to_string();
    let mut short = String::new();
    for word in whole.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if let Some((end, _)) = short.char_indices().nth(QUOTED) {
            short.truncate(end);
            short.push('…');
            break;
        }
    }
    short
}
