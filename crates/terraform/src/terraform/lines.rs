//! Lines that begin with `?` or `:` inside of brackets, which Terraform takes and the parser refuses.

use super::chains::{heredoc, length_to, quoted};

/// The source with such lines at the ends of those before them; `None` if there is none. Every other line stays where it
/// is: the line breaks follow at the next end of a line.
pub fn with_joined_lines(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut out, mut copied, mut at) = (String::with_capacity(text.len()), 0, 0);
    let (mut depth, mut pending) = (0_usize, 0_usize);
    let mut is_joined = false;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let second = rest.get(1);
        let length = match rest.first().copied().unwrap_or_default() {
            b'#' => length_to(rest, b"\n"),
            b'/' if second == Some(&b'/') => length_to(rest, b"\n"),
            b'/' if second == Some(&b'*') => length_to(rest, b"*/") + 2,
            b'"' => quoted(rest),
            b'<' if second == Some(&b'<') => heredoc(rest),
            b'(' | b'[' | b'{' => {
                depth += 1;
                1
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                1
            }
            b'\n' if depth > 0 && continues(rest) => {
                out.push_str(text.get(copied..at)?);
                out.push(' ');
                copied = at + 1;
                pending += 1;
                is_joined = true;
                1
            }
            b'\n' if pending > 0 => {
                out.push_str(text.get(copied..at)?);
                out.push_str(&"\n".repeat(pending));
                copied = at;
                pending = 0;
                1
            }
            _ => 1,
        };
        at += length.max(1);
    }
    out.push_str(text.get(copied..)?);
    is_joined.then_some(out)
}

/// Whether the next line that is not empty begins with `?` or `:`, and not with `::`.
fn continues(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    match rest.first() {
        Some(b'?') => true,
        Some(b':') => rest.get(1) != Some(&b':'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_stay_where_they_are() {
        let text = "a = [for b in c :\n  b\n  ? \"\n?\"\n  : 2\n]\nd = 1\n";
        let joined = "a = [for b in c :\n  b   ? \"\n?\"   : 2\n\n\n]\nd = 1\n";
        assert_eq!(with_joined_lines(text).as_deref(), Some(joined));
        assert_eq!(with_joined_lines("a = 1\n? 2"), None);
    }
}
