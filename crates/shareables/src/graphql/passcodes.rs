//! Passcodes of inputs: given ones that are hard to guess, and those that the server makes.

use crate::opening;
use crate::passcode::{MadePasscodes, Passcode, Strength};
use trestle_api::Input;
use trestle_domain::{Check, Rule};

/// A view and an admin passcode, which differ; the server makes those that are not given.
pub fn passcodes(
    check: &mut Check,
    view: Option<Input<Passcode>>,
    admin: Option<Input<Passcode>>,
    words: &[String],
) -> Option<((Passcode, Passcode), MadePasscodes)> {
    let view = given_or_made(check, "viewPasscode", view, words);
    let admin = given_or_made(check, "adminPasscode", admin, words);
    let pair = view.zip(admin);
    let is_same = |((view, _), (admin, _)): &((Passcode, bool), (Passcode, bool))| view == admin;
    check.that(
        !pair.as_ref().is_some_and(is_same),
        "adminPasscode",
        opening::SAME,
    );
    let ((view, made_view), (admin, made_admin)) = pair?;
    let made = MadePasscodes {
        view: made_view.then(|| view.clone()),
        admin: made_admin.then(|| admin.clone()),
    };
    Some(((view, admin), made))
}

/// A passcode, and whether the server made it.
pub fn given_or_made(
    check: &mut Check,
    field: &'static str,
    given: Option<Input<Passcode>>,
    words: &[String],
) -> Option<(Passcode, bool)> {
    match given {
        Some(given) => Some((new_passcode(check, field, given, words)?, false)),
        None => Some((made_passcode(check, field)?, true)),
    }
}

pub fn made_passcode(check: &mut Check, field: &'static str) -> Option<Passcode> {
    const FAILED: Rule = Rule::Invalid("given: the server has no randomness to make one");
    check.need(field, Passcode::random().map_err(|_| FAILED))
}

/// A passcode that people chose, if it is hard enough to guess.
pub fn new_passcode(
    check: &mut Check,
    field: &'static str,
    given: Input<Passcode>,
    words: &[String],
) -> Option<Passcode> {
    let least = match field {
        "adminPasscode" => Strength::HundredMillion,
        _ => Strength::Million,
    };
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let given = Result::from(given);
    check.need(
        field,
        given.and_then(|passcode: Passcode| passcode.judged(least, &words)),
    )
}
