//! Rules, and all rules that an input breaks.

use std::fmt;

/// A broken rule, and the input field that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The input's field: `title`.
    pub field: &'static str,
    /// The rule.
    pub rule: Rule,
}

/// All rules that one input breaks; never empty.
pub type Violations = Vec<Violation>;

/// A rule that an input can break. Its sentence continues the field's name: "`title` must not be empty".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A value is required.
    Required,
    /// At least this many characters.
    TooShort(usize),
    /// At most this many characters.
    TooLong(usize),
    /// At most this many entries.
    TooMany(usize),
    /// An integer in this range, both ends included.
    OutOfRange(i64, i64),
    /// The value must have a form, which the text describes: "a date such as 2026-11-20".
    Invalid(&'static str),
    /// Entries of a list break rules, each with its index.
    Entries(Vec<(usize, Rule)>),
    /// Fields of a nested input break rules.
    Within(Violations),
    /// The value names something that does not exist. The text is the sentence.
    NotFound(&'static str),
    /// There are as many as there can be. The text is the sentence.
    LimitReached(&'static str),
    /// There would be more than a limit of what the text names, with what can be done about it.
    WouldExceed {
        /// The limit.
        limit: u64,
        /// What is limited: "invitations on this day, which ends at midnight UTC".
        of: &'static str,
    },
    /// What is stored does not allow it. The text is the sentence.
    Conflict(&'static str),
    /// What is stored does not allow it, because of one thing of several. The text is the sentence, which ends with the thing.
    ConflictWith {
        /// The sentence.
        text: &'static str,
        /// What is stored, as the user knows it.
        stored: String,
    },
    /// A status that cannot follow the present one, which these can follow.
    CannotFollow {
        /// The present status.
        now: &'static str,
        /// The statuses that can follow it.
        next: Vec<&'static str>,
        /// Whether the present status is final and what can be done, if none can.
        instead: &'static str,
    },
    /// The viewer may not do it. The text is the sentence.
    Forbidden(&'static str),
}

impl Rule {
    /// This rule, broken by one field.
    pub fn at(self, field: &'static str) -> Violations {
        vec![Violation { field, rule: self }]
    }
}

impl Violation {
    /// The broken rules one by one, each with its path: `["tags", "1"]`.
    pub fn flat(&self) -> Vec<(Vec<String>, &Rule)> {
        let mut found = Vec::new();
        flatten(vec![self.field.to_owned()], &self.rule, &mut found);
        found
    }
}

fn flatten<'r>(path: Vec<String>, rule: &'r Rule, found: &mut Vec<(Vec<String>, &'r Rule)>) {
    let below = |name: String| [path.clone(), vec![name]].concat();
    match rule {
        Rule::Entries(entries) => {
            for (at, rule) in entries {
                flatten(below(at.to_string()), rule, found);
            }
        }
        Rule::Within(violations) => {
            for violation in violations {
                flatten(below(violation.field.to_owned()), &violation.rule, found);
            }
        }
        rule => found.push((path, rule)),
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Required => f.write_str("must not be empty"),
            Rule::TooShort(min) => write!(f, "must have at least {min} characters"),
            Rule::TooLong(max) => write!(f, "must have at most {max} characters"),
            Rule::TooMany(max) => write!(f, "must have at most {max} entries"),
            Rule::OutOfRange(min, max) => {
                write!(f, "must be an integer from {min} to {max}")
            }
            Rule::Invalid(form) => write!(f, "must be {form}"),
            Rule::Entries(_) => f.write_str("has invalid entries"),
            Rule::Within(_) => f.write_str("has invalid fields"),
            Rule::CannotFollow { now, next, instead } => match next.split_last() {
                None => write!(f, "cannot follow {now}: {instead}"),
                Some((only, [])) => write!(f, "cannot follow {now}: it must be {only}"),
                Some((last, others)) => {
                    let others = others.join(", ");
                    write!(f, "cannot follow {now}: it must be {others} or {last}")
                }
            },
            Rule::WouldExceed { limit, of } => write!(f, "would exceed {limit} {of}"),
            Rule::ConflictWith { text, stored } => write!(f, "{text}: {stored}"),
            Rule::NotFound(text)
            | Rule::LimitReached(text)
            | Rule::Conflict(text)
            | Rule::Forbidden(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}.", self.field, self.rule)
    }
}

/// A patch of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Keep the value.
    #[default]
    Unchanged,
    /// Clear the value.
    Clear,
    /// Set this value.
    Set(T),
}

impl<T> Change<T> {
    /// Sets a value, or changes nothing.
    pub fn set(value: Option<T>) -> Self {
        value.map_or(Change::Unchanged, Change::Set)
    }

    /// Whether a value is set.
    pub fn is_set(&self) -> bool {
        matches!(self, Change::Set(_))
    }
}

/// Collects all rules that an input breaks.
#[derive(Debug, Default)]
pub struct Check {
    violations: Violations,
}

impl Check {
    /// A required value.
    pub fn need<T>(&mut self, field: &'static str, given: impl Into<Result<T, Rule>>) -> Option<T> {
        let given: Result<T, Rule> = given.into();
        match given {
            Ok(value) => Some(value),
            Err(rule) => {
                self.violations.push(Violation { field, rule });
                None
            }
        }
    }

    /// An optional value. `null` and blank text count as left out.
    pub fn may<T>(
        &mut self,
        field: &'static str,
        given: impl Into<Change<Result<T, Rule>>>,
    ) -> Option<T> {
        let mut value = None;
        self.set_opt(field, &mut value, given);
        value
    }

    /// An optional value that must not be blank if it is given.
    pub fn if_given<T>(
        &mut self,
        field: &'static str,
        given: Option<impl Into<Result<T, Rule>>>,
    ) -> Option<T> {
        given.and_then(|given| self.need(field, given))
    }

    /// An optional value with a default.
    pub fn may_or<T>(
        &mut self,
        field: &'static str,
        given: impl Into<Change<Result<T, Rule>>>,
        default: T,
    ) -> T {
        self.may(field, given).unwrap_or(default)
    }

    /// Patches a required value.
    pub fn set<T>(
        &mut self,
        field: &'static str,
        place: &mut T,
        change: impl Into<Change<Result<T, Rule>>>,
    ) {
        let given = match change.into() {
            Change::Unchanged => return,
            Change::Clear => Err(Rule::Required),
            Change::Set(given) => given,
        };
        if let Some(value) = self.need(field, given) {
            *place = value;
        }
    }

    /// Patches an optional value. Blank text clears it.
    pub fn set_opt<T>(
        &mut self,
        field: &'static str,
        place: &mut Option<T>,
        change: impl Into<Change<Result<T, Rule>>>,
    ) {
        match change.into() {
            Change::Unchanged => {}
            Change::Clear | Change::Set(Err(Rule::Required)) => *place = None,
            Change::Set(given) => {
                if let Some(value) = self.need(field, given) {
                    *place = Some(value);
                }
            }
        }
    }

    /// A rule over several fields.
    pub fn that(&mut self, holds: bool, field: &'static str, rule: Rule) {
        if !holds {
            self.violations.push(Violation { field, rule });
        }
    }

    /// The result that `made` builds from the values, if all of them are valid.
    ///
    /// # Errors
    /// All rules that are broken.
    pub fn finish<T>(self, made: impl FnOnce() -> Option<T>) -> Result<T, Violations> {
        if self.violations.is_empty() {
            made().ok_or(self.violations)
        } else {
            Err(self.violations)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_broken_rule_has_its_path() {
        let nested = Rule::Within(Rule::Required.at("name"));
        let violation = Violation {
            field: "items",
            rule: Rule::Entries(vec![(1, Rule::TooLong(5)), (3, nested)]),
        };
        let flat = violation.flat();
        let paths: Vec<_> = flat.iter().map(|(path, _)| path.join(".")).collect();
        assert_eq!(paths, ["items.1", "items.3.name"]);
        assert_eq!(flat[0].1, &Rule::TooLong(5));
    }
}
