//! Whether something is so.

/// Whether something is so. What is not known is never no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// The files do not decide it.
    Unknown,
}

impl Verdict {
    /// As an inventory has it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Unknown => "unknown",
        }
    }
}
