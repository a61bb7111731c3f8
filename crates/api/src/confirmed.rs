//! Answers after a write that the database did not confirm. Whatever a later call answered, they say neither that nothing was
//! changed nor that the request can be repeated.

use async_graphql::{Context, Guard, PathSegment, Response, Value};

use super::{ApiError, Code, session};
use trestle_table::{Meter, TableError};

/// Answers OUTCOME_UNKNOWN instead of a user error, which says that nothing was changed, if a write of the request is not
/// confirmed.
pub(crate) struct Confirmed;

impl Guard for Confirmed {
    async fn check(&self, ctx: &Context<'_>) -> async_graphql::Result<()> {
        if session(ctx)?.tables.meter().unconfirmed_writes() == 0 {
            return Ok(());
        }
        Err(ApiError::outcome_unknown(TableError::Unknown).into())
    }
}

/// Gives errors that say that nothing was changed the code OUTCOME_UNKNOWN: all of them if a write of the request is not
/// confirmed, and those instead of a result if one was applied, after which another one failed.
pub(crate) fn correct(response: &mut Response, meter: &Meter) {
    let is_unconfirmed = meter.unconfirmed_writes() > 0;
    if !is_unconfirmed && meter.applied_writes() == 0 {
        return;
    }
    for error in &mut response.errors {
        let is_instead = replaces_result(&error.path, &response.data);
        let extensions = error.extensions.get_or_insert_default();
        let Some(Value::String(code)) = extensions.get("code") else {
            continue;
        };
        let mut codes = Code::ALL.iter().copied();
        let says_unchanged = match codes.find(|known| known.as_str() == code) {
            // What is applied may contain a value of another program that cannot be shown.
            Some(Code::Unreadable) => is_unconfirmed,
            Some(code) => code.says_unchanged() && (is_unconfirmed || is_instead),
            None => false,
        };
        if says_unchanged {
            extensions.set("code", Code::OutcomeUnknown.as_str());
            extensions.unset("retryAfter");
            error.message = ApiError::UNKNOWN.to_owned();
        }
    }
}

/// Whether an error is there instead of the result of a mutation, or of one entry of a batch. Another one is of a field that
/// cannot be read after the write.
fn replaces_result(path: &[PathSegment], data: &Value) -> bool {
    let [PathSegment::Field(mutation), below @ ..] = path else {
        return true;
    };
    let result = match data {
        Value::Object(fields) => fields.get(mutation.as_str()),
        _ => None,
    };
    let is_entry = matches!(below, [PathSegment::Field(_), PathSegment::Index(_)]);
    is_entry || result.is_none_or(|result| *result == Value::Null)
}
