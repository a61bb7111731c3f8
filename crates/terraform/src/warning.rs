//! Warnings about the files of an analysis.

use std::sync::Arc;

/// A mistake in the files that limits the analysis, and that their author can correct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// The file.
    pub file: Arc<str>,
    /// The line.
    pub line: usize,
    /// The mistake and how to correct it.
    pub message: String,
}

impl Warning {
    /// A file of Terraform in whose place OpenTofu reads another one.
    pub fn of_replaced(file: &str, tofu: &str) -> Self {
        Self {
            file: Arc::from(file),
            line: 1,
            message: format!("The file is not read: OpenTofu reads `{tofu}` in its place."),
        }
    }

    /// A value in a file for a name that is not a variable.
    pub fn of_value(file: &str, text: &str, name: &str) -> Self {
        let place = text.lines().position(|line| assigns(line, name));
        let line = place.unwrap_or_default() + 1;
        let message = format!(
            "`{name}` is not a variable of the root module, so its value is ignored. Correct the name, or declare the variable."
        );
        Self {
            file: Arc::from(file),
            line,
            message,
        }
    }
}

/// Whether a line gives a name a value, in Terraform's own syntax or in JSON.
fn assigns(line: &str, name: &str) -> bool {
    let line = line.trim_start().trim_start_matches(['{', ' ', '"']);
    let rest = line.strip_prefix(name).unwrap_or_default();
    rest.trim_start_matches(['"', ' ', '\t'])
        .starts_with(['=', ':'])
}
