//! Long chains of operators, which the parser refuses because it makes one level of each: in groups they are flat.

/// How many operators a group has.
const GROUP: usize = 48;
/// The most operators of a chain. The levels of a group and of all groups together are what the parser takes.
const MAX: usize = 3_000;

/// The source with long chains of `||` or `&&` in groups that have the same value: `(a || b) || (c || d)`; `None` if there
/// is none. Lines stay where they are.
pub fn with_groups(text: &str) -> Option<String> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
        inside: vec![Chain::new(true)],
        marks: Vec::new(),
    };
    while reader.at < text.len() {
        reader.step();
    }
    reader.end();
    let mut marks = reader.marks;
    marks.sort_unstable();
    let (mut grouped, mut copied) = (String::with_capacity(text.len() + marks.len()), 0);
    for (at, mark) in &marks {
        grouped.push_str(text.get(copied..*at)?);
        grouped.push(*mark);
        copied = *at;
    }
    grouped.push_str(text.get(copied..)?);
    (!marks.is_empty()).then_some(grouped)
}

/// An expression, as far as it is read.
struct Chain {
    ends_with_line: bool,
    start: Option<usize>,
    end: usize,
    operators: Vec<usize>,
    ors: Vec<usize>,
    ands: Vec<usize>,
}

impl Chain {
    fn new(ends_with_line: bool) -> Self {
        Self {
            ends_with_line,
            start: None,
            end: 0,
            operators: Vec::new(),
            ors: Vec::new(),
            ands: Vec::new(),
        }
    }

    /// Where parentheses go.
    fn marks(&self) -> Vec<(usize, char)> {
        // The operator that binds least separates the groups.
        let between = if self.ors.is_empty() {
            &self.ands
        } else {
            &self.ors
        };
        // The parser takes a shorter chain as it is, and a longer one not even in groups.
        let is_long = (GROUP + 1..=MAX).contains(&self.operators.len());
        let (Some(start), true, false) = (self.start, is_long, between.is_empty()) else {
            return Vec::new();
        };
        let mut marks = vec![(start, '(')];
        let (mut count, mut between) = (0, between.iter().peekable());
        for at in &self.operators {
            count += 1;
            if between.next_if_eq(&at).is_some() && count > GROUP {
                marks.extend([(*at, ')'), (at + 2, '(')]);
                count = 0;
            }
        }
        marks.push((self.end, ')'));
        marks
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    inside: Vec<Chain>,
    marks: Vec<(usize, char)>,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Ends the expression; another one may begin.
    fn end(&mut self) {
        if let Some(chain) = self.inside.last_mut() {
            let ended = std::mem::replace(chain, Chain::new(chain.ends_with_line));
            self.marks.extend(ended.marks());
        }
    }

    /// Takes so many bytes as a part of an operand.
    fn operand(&mut self, bytes: usize) {
        let at = self.at;
        self.at += bytes;
        if let Some(chain) = self.inside.last_mut() {
            chain.start.get_or_insert(at);
            chain.end = self.at;
        }
    }

    fn operator(&mut self, bytes: usize) {
        let (at, is_or, is_and) = (
            self.at,
            self.rest().starts_with(b"||"),
            self.rest().starts_with(b"&&"),
        );
        if let Some(chain) = self.inside.last_mut() {
            chain.operators.push(at);
            chain.ors.extend(is_or.then_some(at));
            chain.ands.extend(is_and.then_some(at));
        }
        self.at += bytes;
    }

    fn step(&mut self) {
        let rest = self.rest();
        let (first, second) = (rest.first().copied(), rest.get(1).copied());
        let ends_with_line = self.inside.last().is_some_and(|chain| chain.ends_with_line);
        match (first.unwrap_or_default(), second.unwrap_or_default()) {
            (b'#', _) | (b'/', b'/') => self.at += length_to(rest, b"\n"),
            (b'/', b'*') => self.at += length_to(rest, b"*/") + 2,
            (b'\n', _) if ends_with_line => {
                self.end();
                self.at += 1;
            }
            (byte, _) if byte.is_ascii_whitespace() => self.at += 1,
            (b'"', _) => self.operand(quoted(rest)),
            (b'<', b'<') => self.operand(heredoc(rest)),
            (b'(' | b'[' | b'{', _) => {
                // Only in braces does a line end an expression; in other brackets it goes on.
                let is_brace = first == Some(b'{');
                self.operand(1);
                self.inside.push(Chain::new(is_brace));
            }
            (b')' | b']' | b'}', _) => {
                self.end();
                if self.inside.len() > 1 {
                    self.inside.pop();
                }
                self.operand(1);
            }
            (b':', b':') => self.operand(2),
            (b'=', b'=') | (b'!' | b'<' | b'>', b'=') | (b'|', b'|') | (b'&', b'&') => {
                self.operator(2);
            }
            (b'=', b'>') => {
                self.end();
                self.at += 2;
            }
            (b'=' | b',' | b'?' | b':', _) => {
                self.end();
                self.at += 1;
            }
            (b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%', _) => self.operator(1),
            _ => self.word(),
        }
    }

    fn word(&mut self) {
        let is_part =
            |byte: &&u8| byte.is_ascii_alphanumeric() || **byte >= 0x80 || b"_-.".contains(*byte);
        let rest = self.rest();
        let length = rest.iter().take_while(is_part).count().max(1);
        // In a `for` expression, these words separate expressions.
        if matches!(rest.get(..length), Some(b"for" | b"in" | b"if")) {
            self.end();
            self.at += length;
        } else {
            self.operand(length);
        }
    }
}

/// How many bytes there are before a word, or at all.
pub fn length_to(text: &[u8], word: &[u8]) -> usize {
    let mut windows = text.windows(word.len());
    windows.position(|w| w == word).unwrap_or(text.len())
}

/// How many bytes a quoted template has that begins here.
pub fn quoted(text: &[u8]) -> usize {
    let (mut at, mut inside) = (1, vec![b'"']);
    while let (Some(byte), Some(end)) = (text.get(at), inside.last().copied()) {
        let is_text = end == b'"';
        let next = text.get(at + 1);
        match byte {
            b'\\' if is_text => at += 1,
            b'$' | b'%' if is_text && next == Some(byte) => at += 1,
            b'$' | b'%' if is_text && next == Some(&b'{') => {
                at += 1;
                inside.push(b'}');
            }
            byte if *byte == end => drop(inside.pop()),
            b'"' | b'{' if !is_text => inside.push(if *byte == b'"' { b'"' } else { b'}' }),
            _ => {}
        }
        at += 1;
    }
    at
}

/// How many bytes a heredoc has that begins here.
pub fn heredoc(text: &[u8]) -> usize {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let head = lines.next().unwrap_or_default();
    let word = head.strip_prefix(b"<<").unwrap_or_default();
    let word = word.strip_prefix(b"-").unwrap_or(word).trim_ascii();
    let mut length = head.len();
    for line in lines {
        if line.trim_ascii() == word {
            return length + line.trim_ascii_end().len();
        }
        length += line.len();
    }
    length
}
