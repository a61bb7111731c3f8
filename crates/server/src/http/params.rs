//! A request's parameters, from a body or from a query string.
//! Source: the GraphQL over HTTP specification, "Request Parameters".

use apollo_compiler::response::{JsonMap, JsonValue};

use crate::persisted::PersistedQueryRef;

/// What a client asks for.
#[derive(Debug, Default)]
pub struct Params {
    /// Which document.
    pub wanted: PersistedQueryRef,
    /// Which of its operations.
    pub operation_name: Option<String>,
    /// The variables.
    pub variables: JsonMap,
    /// Bytes that they were read from, with everything else.
    pub bytes: usize,
}

/// Why parameters cannot be read, for the client.
#[derive(Debug)]
pub struct Unreadable(pub String);

impl Params {
    /// Reads a JSON body.
    ///
    /// # Errors
    /// When it is not a JSON object of parameters. An array is a batch, which is not served.
    pub fn from_body(body: &[u8]) -> Result<Self, Unreadable> {
        let value: JsonValue = serde_json::from_slice(body)
            .map_err(|error| Unreadable(format!("The body is not JSON: {error}.")))?;
        Self::from_value(value, body.len())
    }

    /// Reads JSON, which had so many bytes.
    ///
    /// # Errors
    /// As [`Params::from_body`].
    pub fn from_value(value: JsonValue, bytes: usize) -> Result<Self, Unreadable> {
        match value {
            JsonValue::Object(fields) => Self::from_fields(fields, bytes),
            JsonValue::Array(_) => Err(Unreadable(
                "Batches are not served: send one request.".into(),
            )),
            _ => Err(Unreadable("The body is not a JSON object.".into())),
        }
    }

    /// Reads a query string, in which `variables` and `extensions` are JSON.
    ///
    /// # Errors
    /// When one of them is not.
    pub fn from_query(query: &str) -> Result<Self, Unreadable> {
        let mut fields = JsonMap::new();
        for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
            let value = match &*name {
                "query" | "operationName" | "documentId" => JsonValue::from(text.into_owned()),
                "variables" | "extensions" if text.is_empty() => JsonValue::Null,
                "variables" | "extensions" => serde_json::from_str(&text)
                    .map_err(|error| Unreadable(format!("`{name}` is not JSON: {error}.")))?,
                _ => continue,
            };
            fields.insert(name.as_ref(), value);
        }
        // A form sends what was left empty, too.
        if fields.get("operationName").and_then(JsonValue::as_str) == Some("") {
            fields.remove("operationName");
        }
        Self::from_fields(fields, query.len())
    }

    fn from_fields(mut fields: JsonMap, bytes: usize) -> Result<Self, Unreadable> {
        let query = text(&mut fields, "query")?;
        let document_id = text(&mut fields, "documentId")?;
        let operation_name = text(&mut fields, "operationName")?;
        let variables = object(&mut fields, "variables")?.unwrap_or_default();
        let extensions = object(&mut fields, "extensions")?.unwrap_or_default();
        let sha256 = persisted_hash(extensions)?;
        if query.is_none() && document_id.is_none() && sha256.is_none() {
            return Err(Unreadable("`query` is missing: send a document.".into()));
        }
        Ok(Self {
            wanted: PersistedQueryRef {
                query,
                sha256,
                document_id,
            },
            operation_name,
            variables,
            bytes,
        })
    }
}

/// Apollo's `persistedQuery: { version: 1, sha256Hash }`.
fn persisted_hash(mut extensions: JsonMap) -> Result<Option<String>, Unreadable> {
    let Some(mut persisted) = object(&mut extensions, "persistedQuery")? else {
        return Ok(None);
    };
    if persisted
        .get("version")
        .is_some_and(|version| version.as_u64() != Some(1))
    {
        return Err(Unreadable(
            "Only version 1 of `persistedQuery` is served.".into(),
        ));
    }
    match text(&mut persisted, "sha256Hash")? {
        Some(hash) => Ok(Some(hash)),
        None => Err(Unreadable("`persistedQuery` has no `sha256Hash`.".into())),
    }
}

fn text(fields: &mut JsonMap, name: &str) -> Result<Option<String>, Unreadable> {
    match fields.remove(name) {
        None | Some(JsonValue::Null) => Ok(None),
        Some(JsonValue::String(text)) => Ok(Some(text.as_str().to_owned())),
        Some(_) => Err(Unreadable(format!("`{name}` is not a string."))),
    }
}

fn object(fields: &mut JsonMap, name: &str) -> Result<Option<JsonMap>, Unreadable> {
    match fields.remove(name) {
        None | Some(JsonValue::Null) => Ok(None),
        Some(JsonValue::Object(object)) => Ok(Some(object)),
        Some(_) => Err(Unreadable(format!("`{name}` is not an object."))),
    }
}
