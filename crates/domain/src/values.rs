//! The domain's values in GraphQL: as scalars in responses, and as given in inputs.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{
    ContextSelectionSet, InputType, InputValueError, InputValueResult, MaybeUndefined, OutputType,
    Positioned, ServerResult, Value,
};

use super::{Date, DateTime, SafeInt, Url};
use crate::{
    Amount, Bounded, Change, Currency, Day, Email, Id, Link, List, Moment, Precision, RawId, Rule,
    Text, UserId,
};

/// How GraphQL represents a value of the domain.
pub trait Scalar: Sized + Send + Sync {
    /// The GraphQL type.
    type As: InputType + OutputType;

    /// Parses an input.
    ///
    /// # Errors
    /// The rule that it breaks.
    fn read(given: Self::As) -> Result<Self, Rule>;

    /// The value for a response.
    fn show(&self) -> Self::As;
}

/// A value of an input, or the rule that it breaks. A broken rule becomes a user error with the field's path, not an
/// error of the request.
#[derive(Clone, Debug)]
pub struct Input<T>(Result<T, Rule>);

impl<T> Input<T> {
    /// A valid value.
    pub fn new(value: T) -> Self {
        Self(Ok(value))
    }
}

impl<T> From<Input<T>> for Result<T, Rule> {
    fn from(given: Input<T>) -> Self {
        given.0
    }
}

impl<T> From<MaybeUndefined<Input<T>>> for Change<Result<T, Rule>> {
    fn from(given: MaybeUndefined<Input<T>>) -> Self {
        match given {
            MaybeUndefined::Undefined => Change::Unchanged,
            MaybeUndefined::Null => Change::Clear,
            MaybeUndefined::Value(given) => Change::Set(given.0),
        }
    }
}

impl<T> From<MaybeUndefined<T>> for Change<Result<T, Rule>> {
    fn from(given: MaybeUndefined<T>) -> Self {
        match given {
            MaybeUndefined::Undefined => Change::Unchanged,
            MaybeUndefined::Null => Change::Clear,
            MaybeUndefined::Value(value) => Change::Set(Ok(value)),
        }
    }
}

impl<T> From<Option<Input<T>>> for Change<Result<T, Rule>> {
    fn from(given: Option<Input<T>>) -> Self {
        given.map_or(Change::Unchanged, |given| Change::Set(given.0))
    }
}

impl<T: Scalar> InputType for Input<T> {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        <T::As as InputType>::type_name()
    }

    fn qualified_type_name() -> String {
        <T::As as InputType>::qualified_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <T::As as InputType>::create_type_info(registry)
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let given = <T::As as InputType>::parse(value).map_err(InputValueError::propagate)?;
        Ok(Self(T::read(given)))
    }

    fn to_value(&self) -> Value {
        let value = self.0.as_ref().ok();
        value.map_or(Value::Null, |value| InputType::to_value(&value.show()))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}

/// A stored input, shown as it was given. A value that breaks a rule is null.
impl<T: Scalar> OutputType for Input<T> {
    fn type_name() -> Cow<'static, str> {
        <T::As as OutputType>::type_name()
    }

    fn qualified_type_name() -> String {
        <T::As as OutputType>::qualified_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <T::As as OutputType>::create_type_info(registry)
    }

    async fn resolve(
        &self,
        ctx: &ContextSelectionSet<'_>,
        field: &Positioned<Field>,
    ) -> ServerResult<Value> {
        match &self.0 {
            Ok(value) => value.show().resolve(ctx, field).await,
            Err(_) => Ok(Value::Null),
        }
    }
}

macro_rules! scalar {
    ([$($generics:tt)*] $type:ty, $as:ty, $read:expr, $show:expr) => {
        impl<$($generics)*> Scalar for $type {
            type As = $as;

            fn read(given: $as) -> Result<Self, Rule> {
                $read(given)
            }

            fn show(&self) -> $as {
                $show(self)
            }
        }

        impl<$($generics)*> OutputType for $type {
            fn type_name() -> Cow<'static, str> {
                <$as as OutputType>::type_name()
            }

            fn qualified_type_name() -> String {
                <$as as OutputType>::qualified_type_name()
            }

            fn create_type_info(registry: &mut Registry) -> String {
                <$as as OutputType>::create_type_info(registry)
            }

            async fn resolve(
                &self,
                ctx: &ContextSelectionSet<'_>,
                field: &Positioned<Field>,
            ) -> ServerResult<Value> {
                self.show().resolve(ctx, field).await
            }
        }
    };
}

scalar!([const MIN: usize, const MAX: usize] Text<MIN, MAX>, String,
    |text: String| Text::parse(&text), |text: &Self| text.to_string());
scalar!([] Link, Url, |url: Url| Link::parse(&url.0), |link: &Link| Url(link.as_str().to_owned()));
scalar!([const MIN: i32, const MAX: i32] Bounded<MIN, MAX>, i32,
    |number: i32| Bounded::parse(number.into()), |number: &Self| number.get());
scalar!([] Amount, SafeInt, |number: SafeInt| Amount::parse(number.0), |amount: &Self| SafeInt(amount.get()));
scalar!([P: Precision] Moment<P>, DateTime, |text: DateTime| Moment::parse(&text.0),
    |at: &Self| DateTime(Moment::<crate::Millis>::from_millis(at.millis())
        .map_or_else(|| at.to_string(), |at| at.to_string())));
scalar!([E, R: RawId] Id<E, R>, String, |text: String| Id::parse(&text), |id: &Self| id.to_string());
scalar!([] Email, String, |text: String| Email::parse(&text), |email: &Self| email.to_string());
scalar!([] Currency, String, |code: String| Currency::parse(&code), |code: &Self| code.to_string());
scalar!([] Day, Date, |text: Date| Day::parse(&text.0), |day: &Self| Date(day.to_string()));
scalar!([] UserId, String, |text: String| UserId::parse(&text), |id: &Self| id.to_string());
scalar!([T: Scalar, const MAX: usize] List<T, MAX>, Vec<T::As>,
    |given: Vec<T::As>| List::parse(given.into_iter().map(T::read)),
    |list: &Self| list.as_slice().iter().map(T::show).collect());

/// A version that a caller expects, as an `Int`. No object has a negative version: one that is given matches none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(u32);

impl From<Version> for u32 {
    fn from(version: Version) -> Self {
        version.0
    }
}

impl InputType for Version {
    type RawValueType = Self;

    fn type_name() -> Cow<'static, str> {
        <i32 as InputType>::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <i32 as InputType>::create_type_info(registry)
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        let given = <i32 as InputType>::parse(value).map_err(InputValueError::propagate)?;
        Ok(Self(u32::try_from(given).unwrap_or(u32::MAX)))
    }

    fn to_value(&self) -> Value {
        self.0.into()
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }
}
