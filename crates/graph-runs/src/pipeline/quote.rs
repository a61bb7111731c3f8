//! Expressions as the report quotes them.

use hcl::expr::Expression;

use super::secret::has_secret;

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

/// A quoted expression without the text of its literals, any of which may be a secret. The keys of maps are names.
pub fn without_literals(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    // Ends of what is open: of a literal, or of an interpolation in one.
    let mut open: Vec<char> = Vec::new();
    while let Some(c) = rest.chars().next() {
        let is_literal = open.last() == Some(&'"');
        let mut length = c.len_utf8();
        if is_literal {
            match c {
                '\\' => length += rest.chars().nth(1).map_or(0, char::len_utf8),
                _ if rest.starts_with("$${") || rest.starts_with("%%{") => length = 3,
                '$' | '%' if rest.get(1..).is_some_and(|rest| rest.starts_with('{')) => {
                    length = 2;
                    shown.push_str(rest.get(..2).unwrap_or_default());
                    open.push('}');
                }
                '"' => {
                    shown.push('"');
                    open.pop();
                }
                _ => {}
            }
            if !matches!(c, '"') && open.last() == Some(&'"') && !shown.ends_with('…') {
                shown.push('…');
            }
        } else if rest.starts_with("<<") {
            return shown + "<<…";
        } else if let Some(key) = key(rest).filter(|_| shown.ends_with(is_name)) {
            shown.push_str(key);
            length = key.len();
        } else {
            shown.push(c);
            match c {
                '"' | '{' => open.push(if c == '{' { '}' } else { '"' }),
                '}' => drop(open.pop()),
                _ => {}
            }
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    shown
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ']')
}

/// A key with which a text begins: `["name"]`.
fn key(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix("[\"")?.split_once("\"]")?;
    let is_plain = name.len() <= 64 && name.chars().all(|c| is_name(c) || c == '.');
    (is_plain && !has_secret(name)).then(|| text.get(..name.len() + 4))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_not_quoted() {
        for (text, quoted) in [
            (r#"upper("hunter2")"#, r#"upper("…")"#),
            (
                r#""a-${var.b["k"]}-${f("c")}-d""#,
                r#""…${var.b["k"]}…${f("…")}…""#,
            ),
            (r#""a\"b" == var.c"#, r#""…" == var.c"#),
            (r#"["a", { b = "c" }]"#, r#"["…", { b = "…" }]"#),
            (r#""$${a}" "b"#, r#""…" "…"#),
            ("<<EOT hunter2 EOT", "<<…"),
            ("var.a[0].b", "var.a[0].b"),
        ] {
            assert_eq!(without_literals(text), quoted);
        }
    }

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
