//! Answers of rules and tests.

/// Whether a test holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// The files do not tell: the reason.
    Unknown(String),
}

impl Answer {
    /// Both hold.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Answer::No, _) | (_, Answer::No) => Answer::No,
            (Answer::Unknown(reason), _) | (_, Answer::Unknown(reason)) => Answer::Unknown(reason),
            (Answer::Yes, Answer::Yes) => Answer::Yes,
        }
    }

    /// One of them holds.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
            (Answer::Unknown(reason), _) | (_, Answer::Unknown(reason)) => Answer::Unknown(reason),
            (Answer::No, Answer::No) => Answer::No,
        }
    }
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        if holds { Answer::Yes } else { Answer::No }
    }
}

/// The one answer that all of these are; `None` if they differ, or if there are none.
pub fn same(mut answers: impl Iterator<Item = Answer>) -> Option<Answer> {
    let first = answers.next()?;
    answers.all(|other| other == first).then_some(first)
}

/// Whether a test does not hold.
pub fn not(answer: Answer) -> Answer {
    match answer {
        Answer::Yes => Answer::No,
        Answer::No => Answer::Yes,
        unknown => unknown,
    }
}
