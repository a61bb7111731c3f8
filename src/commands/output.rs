//! Texts on the standard output.

use std::io::{self, Write as _};

/// Writes to the standard output. Whoever reads it may stop before the end.
///
/// # Errors
/// When the output cannot be written for another reason.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
