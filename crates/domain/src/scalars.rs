//! Custom scalars. As input they carry any text of theirs to the domain, which names the field in its
//! error; as output they hold only what the domain let through.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};

fn text(value: Value) -> Result<String, Value> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(other),
    }
}

macro_rules! text_scalar {
    ($(#[$doc:meta])* $type:ident, $name:literal, $source:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $type(pub String);

        $(#[$doc])*
        #[Scalar(name = $name, specified_by_url = $source)]
        impl ScalarType for $type {
            fn parse(value: Value) -> InputValueResult<Self> {
                text(value).map(Self).map_err(InputValueError::expected_type)
            }

            fn to_value(&self) -> Value {
                Value::String(self.0.clone())
            }
        }
    };
}

text_scalar!(
    /// A calendar date without a time zone: `2026-11-20`.
    Date, "Date", "https://scalars.graphql.org/andimarek/local-date.html"
);
text_scalar!(
    /// A moment in UTC with milliseconds: `2026-11-20T09:30:00.000Z`.
    DateTime, "DateTime", "https://scalars.graphql.org/andimarek/date-time.html"
);
text_scalar!(
    /// A date and time with an offset from UTC: `2026-11-20T09:30:00+01:00`.
    OffsetDateTime, "OffsetDateTime", "https://www.rfc-editor.org/rfc/rfc3339"
);
text_scalar!(
    /// A UUID: `f47ac10b-58cc-4372-a567-0e02b2c3d479`.
    Uuid, "UUID", "https://www.rfc-editor.org/rfc/rfc9562"
);
text_scalar!(
    /// An absolute web address with the scheme http or https.
    Url, "URL", "https://url.spec.whatwg.org/"
);

/// An integer that JavaScript represents exactly: -9007199254740991 to 9007199254740991.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SafeInt(pub i64);

impl SafeInt {
    /// The scalar's name. It is read from a number; all others are read from strings.
    pub const NAME: &str = "SafeInt";
}

/// An integer that JavaScript represents exactly: -9007199254740991 to 9007199254740991.
#[Scalar(
    name = "SafeInt",
    specified_by_url = "https://tc39.es/ecma262/#sec-number.issafeinteger"
)]
impl ScalarType for SafeInt {
    fn parse(value: Value) -> InputValueResult<Self> {
        match &value {
            Value::Number(number) => number.as_i64().map(Self),
            _ => None,
        }
        .ok_or_else(|| InputValueError::expected_type(value))
    }

    fn to_value(&self) -> Value {
        Value::from(self.0)
    }
}
