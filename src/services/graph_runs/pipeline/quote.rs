//! Expressions as the report quotes them.

use hcl::expr::Expression;

/// The longest text that an unknown value is quoted with, in characters.
const QUOTED: usize = 120;

/// An expression on one line, shortened.
pub fn quote(expression: &Expression) -> String {
    let whole = without_sensitive(&expression.to_string());
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

/// A text without what `sensitive(...)` hides in it.
fn without_sensitive(text: &str) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("sensitive(") {
        whole.push_str(before);
        whole.push_str("sensitive(…)");
        // `nonsensitive(...)` hides as much. What is not closed hides everything.
        rest = closing(inside)
            .and_then(|end| inside.get(end + 1..))
            .unwrap_or_default();
    }
    whole + rest
}

/// Where the parenthesis ends in which a text begins. One in a literal only hides more, or everything.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sensitive_is_not_quoted() {
        for (text, quoted) in [
            (r#"upper(sensitive("a)\"b"))"#, "upper(sensitive(…))"),
            (r#""x${sensitive(f("a"))}-y""#, r#""x${sensitive(…)}-y""#),
            ("var.a", "var.a"),
        ] {
            assert_eq!(without_sensitive(text), quoted);
        }
    }
}
