//! What fields of inputs say: omitted keeps a value, null clears it.

use async_graphql::MaybeUndefined;

use crate::model::{Change, Rule, Violations};
use trestle_api::Uuid;

pub(super) fn change<R, T>(input: MaybeUndefined<R>, map: impl FnOnce(R) -> T) -> Change<T> {
    match input {
        MaybeUndefined::Undefined => Change::Unchanged,
        MaybeUndefined::Null => Change::Clear,
        MaybeUndefined::Value(value) => Change::Set(map(value)),
    }
}

pub(super) fn given<R, T>(input: Option<R>, map: impl FnOnce(R) -> T) -> Change<T> {
    Change::set(input.map(map))
}

pub(super) fn uuid(
    field: &'static str,
    given: Option<&Uuid>,
) -> Result<Option<uuid::Uuid>, Violations> {
    let parsed = given.map(|text| uuid::Uuid::try_parse(&text.0));
    parsed
        .transpose()
        .map_err(|_| Rule::Invalid("a UUID").at(field))
}
