//! Names of people in inputs.

use crate::token::VoterName;
use trestle_api::Input;
use trestle_domain::{Check, Rule, Text};

/// What a person is called, in one line that reads as it is written.
pub fn voter_name(check: &mut Check, given: Option<Input<VoterName>>) -> Option<VoterName> {
    person(check, "voterName", given)
}

/// As [`voter_name`], in any field.
pub fn person(
    check: &mut Check,
    field: &'static str,
    given: Option<Input<VoterName>>,
) -> Option<VoterName> {
    let name = check.may(field, given)?;
    check.need(field, in_one_line(name))
}

/// A name or another text in one line that reads as it is written.
///
/// # Errors
/// It has characters that change that.
pub fn in_one_line<const MIN: usize, const MAX: usize>(
    name: Text<MIN, MAX>,
) -> Result<Text<MIN, MAX>, Rule> {
    const ODD: Rule =
        Rule::Invalid("in one line, without characters that change the direction of text");
    if name.as_str().contains(|c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    }) {
        Err(ODD)
    } else {
        Ok(name)
    }
}
