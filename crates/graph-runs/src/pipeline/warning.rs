//! Something wrong with the analysis itself.

use std::sync::Arc;

/// Something wrong with the analysis itself that whoever wrote the files can correct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// The file.
    pub file: Arc<str>,
    /// The line.
    pub line: usize,
    /// What is wrong and what to do, for people.
    pub message: String,
}

impl Warning {
    /// A value in a file that no variable takes.
    pub fn of_value(file: &str, text: &str, name: &str) -> Self {
        let is_of = |line: &str| {
            let line = line.trim_start().trim_start_matches(['{', ' ', '"']);
            let rest = line.strip_prefix(name).unwrap_or_default();
            rest.trim_start_matches(['"', ' ', '\t'])
                .starts_with(['=', ':'])
        };
        let line = text.lines().position(is_of).unwrap_or_default() + 1;
        let message = format!(
            "`{name}` is not a variable of the root module, so its value counts for nothing. Correct the name, or declare the variable."
        );
        Self {
            file: Arc::from(file),
            line,
            message,
        }
    }
}
