//! What a CSV file looks like, before its rows are read: what divides its cells, and whether its quotes
//! close. Knows no column.

/// What may divide cells, the most usual first. Spreadsheets write semicolons where a comma is a decimal mark.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Where a quote opens. Both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The line.
    pub line: u64,
    /// Which of its row's cells it is in.
    pub column: u64,
}

/// What divides the cells: of what may, the one that the header line has the most of outside quotes.
pub fn delimiter(file: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for byte in file {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            byte if !quoted => {
                let one = DELIMITERS.iter().position(|delimiter| delimiter == byte);
                one.into_iter().for_each(|one| counts[one] += 1);
            }
            _ => {}
        }
    }
    let ranked = DELIMITERS.into_iter().zip(counts).rev();
    ranked
        .max_by_key(|(_, count)| *count)
        .map_or(b',', |(delimiter, _)| delimiter)
}

enum At {
    /// Where a quote would open.
    Start,
    Cell,
    Quoted,
    /// Behind a quote that closes, or is the first of two that stand for one.
    Closed,
    /// Behind spaces that follow one.
    After,
}

/// The first quote that is never closed: it reaches to the file's end, or over a line's end to another
/// quote that opens or stands inside of a cell.
pub fn unclosed_quote(file: &[u8], delimiter: u8) -> Option<Opened> {
    let (mut line, mut column) = (1, 1);
    let (mut at, mut opened) = (At::Start, None::<Opened>);
    for byte in file.iter().copied() {
        at = match (at, byte) {
            (At::Start, b'"') => {
                opened = Some(Opened { line, column });
                At::Quoted
            }
            (At::Quoted, b'"') => At::Closed,
            (At::Quoted, _) | (At::Closed, b'"') => At::Quoted,
            (_, b'\n' | b'\r') => {
                column = 1;
                At::Start
            }
            (_, byte) if byte == delimiter => {
                column += 1;
                At::Start
            }
            (At::Closed | At::After, b' ' | b'\t') => At::After,
            (At::Closed | At::After, _) if opened.is_some_and(|opened| opened.line < line) => {
                return opened;
            }
            _ => At::Cell,
        };
        line += u64::from(byte == b'\n');
    }
    opened.filter(|_| matches!(at, At::Quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_tells_what_divides_cells() {
        for (header, expected) in [
            ("Company,Title", b','),
            ("Company;Title, as written;Link\n,,,,", b';'),
            ("Company\tTitle;Role\tLink", b'\t'),
            ("\"a;b;c\",Title", b','),
            ("Company", b','),
            ("", b','),
        ] {
            assert_eq!(delimiter(header.as_bytes()), expected, "{header}");
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_is_found_where_it_opens() {
        let at = |line, column| Some(Opened { line, column });
        for (file, expected) in [
            ("a,b\n1,\"two\nlines\"\n3,4\n", None),
            ("a,b\n1,\"a \"\"quote\"\"\"\n3,4\"", None),
            ("a,b\n1,\"x\" and y\n", None),
            ("a,b\n1,\"x\ny\" \n", None),
            ("a,b\n1,\"x\n3,4\n5,6\n", at(2, 2)),
            ("a,b\n\"1,x\n3,\"4\"\n5,6\n", at(2, 1)),
            ("a,b\n1,x\n3,\"", at(3, 2)),
            ("\"a,b\n1,x\n", at(1, 1)),
        ] {
            assert_eq!(unclosed_quote(file.as_bytes(), b','), expected, "{file}");
        }
    }
}
