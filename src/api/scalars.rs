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

            // So that anything else is refused before a field is executed.
            fn is_valid(value: &Value) -> bool {
                matches!(value, Value::String(_))
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
    /// A UUID: `f47ac10b-58cc-4372-a567-0e02b2c3d479`.
    Uuid, "UUID", "https://www.rfc-editor.org/rfc/rfc9562"
);
text_scalar!(
    /// An absolute web address with the scheme http or https.
    Url, "URL", "https://url.spec.whatwg.org/"
);
