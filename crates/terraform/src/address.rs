//! Addresses of instances, as Terraform writes them: `module.db["orders"].aws_db_instance.main[0]`.

/// How the address of an instance of `for_each` ends: `["web"]`.
pub fn named(key: &str) -> String {
    let mut end = String::with_capacity(key.len() + 4);
    end.push_str("[\"");
    for c in key.chars() {
        match c {
            '"' => end.push_str("\\\""),
            '\\' => end.push_str("\\\\"),
            '\n' => end.push_str("\\n"),
            '\r' => end.push_str("\\r"),
            '\t' => end.push_str("\\t"),
            c if c.is_control() => end.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => end.push(c),
        }
    }
    end.push_str("\"]");
    end
}

/// How the address of an instance of `count` ends: `[0]`.
pub fn numbered(at: usize) -> String {
    format!("[{at}]")
}

/// An address without the keys of instances.
pub fn plain(address: &str) -> String {
    let mut plain = String::with_capacity(address.len());
    let mut keys = Keys::default();
    for c in address.chars() {
        if !keys.has(c) {
            plain.push(c);
        }
    }
    plain
}

/// An address without the key at its end, and that key.
pub fn split(address: &str) -> (&str, &str) {
    if !address.ends_with(']') {
        return (address, "");
    }
    let (mut keys, mut start, mut was_in) = (Keys::default(), address.len(), false);
    for (at, c) in address.char_indices() {
        let is_in = keys.has(c);
        if is_in && !was_in {
            start = at;
        }
        // One key may follow another.
        was_in = is_in && keys.depth > 0;
    }
    address.split_at(start)
}

/// The parts of an address, each with its key: `module.db["a.b"]`, `aws_db_instance.main[0]`.
pub fn parts(address: &str) -> Vec<&str> {
    let (mut parts, mut keys, mut start) = (Vec::new(), Keys::default(), 0);
    for (at, c) in address.char_indices() {
        if !keys.has(c) && c == '.' {
            parts.extend(address.get(start..at));
            start = at + 1;
        }
    }
    parts.extend(address.get(start..));
    parts
}

/// Whether the characters of an address are in a key.
#[derive(Default)]
struct Keys {
    depth: usize,
    is_quoted: bool,
    is_escaped: bool,
}

impl Keys {
    /// Whether the next character is in a key, with its brackets.
    fn has(&mut self, c: char) -> bool {
        if self.is_quoted {
            match c {
                _ if self.is_escaped => self.is_escaped = false,
                '\\' => self.is_escaped = true,
                '"' => self.is_quoted = false,
                _ => {}
            }
            return true;
        }
        match c {
            '[' => self.depth += 1,
            ']' if self.depth > 0 => {
                self.depth -= 1;
                return true;
            }
            '"' if self.depth > 0 => self.is_quoted = true,
            _ => {}
        }
        self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_off_whatever_they_contain() {
        let odd = format!("module.a{}.aws_lb.b[0]", named("x]\"[.y"));
        assert_eq!(plain(&odd), "module.a.aws_lb.b");
        assert_eq!(split(&odd).1, "[0]");
        assert_eq!(split("aws_lb.b"), ("aws_lb.b", ""));
        assert_eq!(split("module.a[0].aws_lb.b"), ("module.a[0].aws_lb.b", ""));
        assert_eq!(
            parts("module.a[\"b.c\"].d.e[1]"),
            ["module", "a[\"b.c\"]", "d", "e[1]"]
        );
        assert_eq!(named("é\"\n"), "[\"é\\\"\\n\"]");
    }
}
