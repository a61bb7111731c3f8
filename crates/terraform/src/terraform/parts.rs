//! Parts of `for` expressions that have several lines, which Terraform takes and the parser refuses: what is gone through, the
//! key, the value and the condition. In parentheses they may have several.

use super::chains::{heredoc, length_to, quoted};

/// The source with such parts in parentheses; `None` if there is none. Lines stay where they are.
pub fn with_closed_parts(text: &str) -> Option<String> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
        inside: Vec::new(),
        marks: Vec::new(),
    };
    while reader.at < text.len() {
        reader.step();
    }
    let mut marks = reader.marks;
    marks.sort_unstable();
    let (mut closed, mut copied) = (String::with_capacity(text.len() + marks.len()), 0);
    for (at, mark) in &marks {
        closed.push_str(text.get(copied..*at)?);
        closed.push(*mark);
        copied = *at;
    }
    closed.push_str(text.get(copied..)?);
    (!marks.is_empty()).then_some(closed)
}

/// Where a bracket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing is in it yet.
    Start,
    /// In what is not a `for` expression.
    Other,
    /// Among the names of a `for` expression.
    Names,
    /// In one of its parts.
    Part,
}

struct Bracket {
    state: State,
    /// The part as far as it is read: where it starts and ends.
    part: Option<(usize, usize)>,
    /// Whether a line has ended since, and whether something has followed in the same part.
    has_ended_line: bool,
    has_lines: bool,
    /// How many conditions wait for their `:`.
    conditions: usize,
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    inside: Vec<Bracket>,
    marks: Vec<(usize, char)>,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn state(&self) -> State {
        self.inside
            .last()
            .map_or(State::Other, |bracket| bracket.state)
    }

    /// Takes so many bytes as something in the current part.
    fn take(&mut self, bytes: usize) {
        let (start, end) = (self.at, self.at + bytes);
        self.at = end;
        let Some(bracket) = self.inside.last_mut() else {
            return;
        };
        if bracket.state == State::Start {
            bracket.state = State::Other;
        }
        bracket.has_lines |= bracket.has_ended_line && bracket.part.is_some();
        bracket.has_ended_line = false;
        let first = bracket.part.map_or(start, |(first, _)| first);
        bracket.part = Some((first, end));
    }

    /// Ends the current part, so that the next one may begin.
    fn end_part(&mut self) {
        if let Some(bracket) = self.inside.last_mut() {
            if let Some((start, end)) = bracket.part.filter(|_| bracket.has_lines) {
                self.marks.extend([(start, '('), (end, ')')]);
            }
            (bracket.part, bracket.has_lines, bracket.has_ended_line) = (None, false, false);
        }
    }

    /// Goes on with the next part after a separator of so many bytes.
    fn next_part(&mut self, bytes: usize) {
        self.end_part();
        self.at += bytes;
        if let Some(bracket) = self.inside.last_mut() {
            bracket.state = State::Part;
        }
    }

    fn step(&mut self) {
        let rest = self.rest();
        let (first, second) = (rest.first().copied(), rest.get(1).copied());
        let is_part = self.state() == State::Part;
        match (first.unwrap_or_default(), second.unwrap_or_default()) {
            (b'#', _) | (b'/', b'/') => self.at += length_to(rest, b"\n").max(1),
            (b'/', b'*') => self.at += length_to(rest, b"*/") + 2,
            (byte, _) if byte.is_ascii_whitespace() => {
                if let Some(bracket) = self.inside.last_mut() {
                    bracket.has_ended_line |= byte == b'\n';
                }
                self.at += 1;
            }
            (b'"', _) => self.take(quoted(rest)),
            (b'<', b'<') => self.take(heredoc(rest)),
            (b'(' | b'[' | b'{', _) => {
                self.take(1);
                self.inside.push(Bracket {
                    state: State::Start,
                    part: None,
                    has_ended_line: false,
                    has_lines: false,
                    conditions: 0,
                });
            }
            (b')' | b']' | b'}', _) => {
                if is_part {
                    self.end_part();
                }
                self.inside.pop();
                self.take(1);
            }
            (b':', b':') => self.take(2),
            (b'?', _) => {
                if let Some(bracket) = self.inside.last_mut() {
                    bracket.conditions += 1;
                }
                self.take(1);
            }
            (b':', _) => self.colon(),
            (b'=', b'>') if is_part => self.next_part(2),
            (b'.', b'.') if is_part && rest.starts_with(b"...") => self.next_part(3),
            (b'=' | b'!' | b'<' | b'>', b'=') | (b'|', b'|') | (b'&', b'&') => self.take(2),
            _ => self.word(),
        }
    }

    /// The `:` of a condition, or the one after what a `for` expression goes through.
    fn colon(&mut self) {
        let is_part = self.state() == State::Part;
        match self.inside.last_mut() {
            Some(bracket) if bracket.conditions > 0 => {
                bracket.conditions -= 1;
                self.take(1);
            }
            Some(_) if is_part => self.next_part(1),
            _ => self.take(1),
        }
    }

    fn word(&mut self) {
        let is_part =
            |byte: &&u8| byte.is_ascii_alphanumeric() || **byte >= 0x80 || b"_-".contains(*byte);
        let rest = self.rest();
        let length = rest.iter().take_while(is_part).count().max(1);
        let word = rest.get(..length).unwrap_or_default();
        let state = self.state();
        // The name of an attribute may be one of these words.
        let is_attribute = self.at > 0 && self.text.get(self.at - 1) == Some(&b'.');
        match (word, state) {
            (b"for", State::Start) => {
                // The parser knows the word by what follows.
                if rest.get(length).is_some_and(|next| b"\r\n".contains(next)) {
                    self.marks.push((self.at + length, ' '));
                }
                self.at += length;
                if let Some(bracket) = self.inside.last_mut() {
                    bracket.state = State::Names;
                }
            }
            (b"in", State::Names) => self.next_part(length),
            (_, State::Names) => self.at += length,
            (b"if", State::Part) if !is_attribute => self.next_part(length),
            _ => self.take(length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::with_closed_parts;

    #[test]
    fn parts_with_several_lines_are_in_parentheses() {
        for (text, closed) in [
            (
                "a = { for k in x : k =>\n b &&\n c }\n",
                "a = { for k in x : k =>\n (b &&\n c) }\n",
            ),
            (
                "a = [for k, v in p ?\n q : {\n r = 1\n} : f.if[k]\n if v # no\n && w\n]",
                "a = [for k, v in (p ?\n q : {\n r = 1\n}) : f.if[k]\n if (v # no\n && w)\n]",
            ),
            ("a = { for k in x : k => k\n... if\n k != \"\" }", ""),
            ("a = { for = 1\n b = 2 }", ""),
            ("a = {\n for k in x :\n k => k\n}", ""),
        ] {
            assert_eq!(with_closed_parts(text).unwrap_or_default(), closed);
        }
    }
}
