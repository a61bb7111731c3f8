//! A request's parameters, from a body or from a query string. Nothing of them becomes a tree of values before it is known
//! how large that is, and no part ever does that nobody asks for.
//! Source: the GraphQL over HTTP specification, "Request Parameters".

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::{Instant, timeout_at};

use super::json_size::JsonSize;
use super::refusal::Refusal;
use crate::body_budget::{BodyBudget, BodyPermit};
use crate::overload::Admission;
use crate::persisted::PersistedQueryRef;

/// What a client asks for.
#[derive(Debug, Default)]
pub struct Params {
    /// Which document.
    pub wanted: PersistedQueryRef,
    /// Which of its operations.
    pub operation_name: Option<String>,
    /// The variables, a JSON object if its values can be read.
    variables: Option<Box<RawValue>>,
    /// Bytes that all of the parameters take at most.
    bytes: usize,
    /// Room for them.
    room: Option<BodyPermit>,
}

/// Why parameters cannot be read, for the client.
#[derive(Debug)]
pub enum Unreadable {
    /// They are not parameters.
    Text(String),
    /// They have more values than this.
    TooManyValues(usize),
}

impl From<Unreadable> for Refusal {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Text(text) => Self::unreadable(text),
            Unreadable::TooManyValues(most) => Self::too_many_values(most),
        }
    }
}

/// The parameters as JSON texts.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    #[serde(borrow)]
    query: Option<&'a RawValue>,
    document_id: Option<&'a RawValue>,
    operation_name: Option<&'a RawValue>,
    variables: Option<&'a RawValue>,
    extensions: Option<&'a RawValue>,
}

/// The extensions that mean something.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extensions<'a> {
    #[serde(borrow)]
    persisted_query: Option<&'a RawValue>,
}

/// Apollo's `persistedQuery: { version: 1, sha256Hash }`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PersistedQuery<'a> {
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    sha256_hash: Option<&'a RawValue>,
}

impl Params {
    /// Reads a JSON body of at most so many values.
    ///
    /// # Errors
    /// When it is not a JSON object of parameters. An array is a batch, which is not served.
    pub fn from_body(body: &[u8], most_values: usize) -> Result<Self, Unreadable> {
        let tree_bytes = measured(body, most_values)?.tree_bytes;
        if body.trim_ascii_start().starts_with(b"[") {
            let text = "Batches are not served: send one request.";
            return Err(Unreadable::Text(text.into()));
        }
        let fields = serde_json::from_slice(body).map_err(|error| {
            let is_object = body.trim_ascii_start().starts_with(b"{");
            Unreadable::Text(match error.classify() {
                Category::Data if !is_object => "The body is not a JSON object.".into(),
                Category::Data => format!("The body cannot be read: {error}."),
                _ => format!("The body is not JSON: {error}."),
            })
        })?;
        Self::from_fields(&fields, tree_bytes + body.len())
    }

    /// Reads a query string, in which `variables` and `extensions` are JSON of at most so many values.
    ///
    /// # Errors
    /// When one of them is not.
    pub fn from_query(query: &str, most_values: usize) -> Result<Self, Unreadable> {
        let mut texts: HashMap<String, Box<RawValue>> = HashMap::new();
        let mut tree_bytes = 0;
        for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
            let value = match &*name {
                "query" | "operationName" | "documentId" => to_raw_value(&text),
                "variables" | "extensions" if text.is_empty() => to_raw_value(&()),
                "variables" | "extensions" => {
                    tree_bytes += measured(text.as_bytes(), most_values)?.tree_bytes;
                    RawValue::from_string(text.into_owned())
                }
                _ => continue,
            };
            let value = value
                .map_err(|error| Unreadable::Text(format!("`{name}` is not JSON: {error}.")))?;
            // The last one counts, as in a form.
            texts.insert(name.into_owned(), value);
        }
        let fields = Fields {
            query: texts.get("query").map(AsRef::as_ref),
            document_id: texts.get("documentId").map(AsRef::as_ref),
            operation_name: texts.get("operationName").map(AsRef::as_ref),
            variables: texts.get("variables").map(AsRef::as_ref),
            extensions: texts.get("extensions").map(AsRef::as_ref),
        };
        Self::from_fields(&fields, tree_bytes + query.len())
    }

    fn from_fields(fields: &Fields<'_>, bytes: usize) -> Result<Self, Unreadable> {
        let query = text(fields.query, "query")?;
        let document_id = text(fields.document_id, "documentId")?;
        // Forms and some clients send what was left empty, too.
        let operation_name = text(fields.operation_name, "operationName")?;
        let operation_name = operation_name.filter(|name| !name.is_empty());
        let variables = object(fields.variables, "variables")?;
        let sha256 = match object(fields.extensions, "extensions")? {
            Some(extensions) => persisted_hash(extensions)?,
            None => None,
        };
        if query.is_none() && document_id.is_none() && sha256.is_none() {
            let text = "`query` is missing: send a document.";
            return Err(Unreadable::Text(text.into()));
        }
        Ok(Self {
            wanted: PersistedQueryRef {
                query,
                sha256,
                document_id,
            },
            operation_name,
            variables: variables.map(ToOwned::to_owned),
            bytes,
            room: None,
        })
    }

    /// Waits for room for them until the deadline.
    ///
    /// # Errors
    /// There is none.
    pub async fn held_in(
        self,
        budget: &Arc<BodyBudget>,
        from: Option<IpAddr>,
        deadline: Instant,
    ) -> Result<Self, Refusal> {
        let room = timeout_at(deadline, budget.room(from, self.bytes)).await;
        let room = room.map_err(|_| Refusal::overloaded(Admission::COME_BACK))?;
        Ok(Self { room, ..self })
    }

    /// Bytes that the variables take at most.
    pub fn variable_bytes(&self) -> usize {
        self.variables.as_ref().map_or(0, |_| self.bytes)
    }

    /// What the variables are read from, and the room that they take.
    pub fn take_variables(&mut self) -> (GivenVariables, Option<BodyPermit>) {
        (GivenVariables(self.variables.take()), self.room.take())
    }
}

/// The variables of a request before they are read.
#[derive(Debug)]
pub struct GivenVariables(Option<Box<RawValue>>);

impl GivenVariables {
    /// Reads them, which takes a while if they are many.
    ///
    /// # Errors
    /// They nest too deeply, or one of them is a number or a text that cannot be held.
    pub fn read(self) -> Result<JsonMap, Unreadable> {
        let Some(variables) = self.0 else {
            return Ok(JsonMap::new());
        };
        serde_json::from_str(variables.get())
            .map_err(|error| Unreadable::Text(format!("`variables` is not JSON: {error}.")))
    }
}

fn measured(text: &[u8], most_values: usize) -> Result<JsonSize, Unreadable> {
    let size = JsonSize::of(text);
    if size.values > most_values {
        return Err(Unreadable::TooManyValues(most_values));
    }
    Ok(size)
}

fn persisted_hash(extensions: &RawValue) -> Result<Option<String>, Unreadable> {
    let Extensions { persisted_query } = fields_of(extensions, "extensions")?;
    let Some(persisted) = object(persisted_query, "persistedQuery")? else {
        return Ok(None);
    };
    let persisted: PersistedQuery<'_> = fields_of(persisted, "persistedQuery")?;
    if persisted
        .version
        .is_some_and(|version| version.get() != "1")
    {
        let text = "Only version 1 of `persistedQuery` is served.";
        return Err(Unreadable::Text(text.into()));
    }
    match text(persisted.sha256_hash, "sha256Hash")? {
        Some(hash) => Ok(Some(hash)),
        None => Err(Unreadable::Text(
            "`persistedQuery` has no `sha256Hash`.".into(),
        )),
    }
}

fn text(value: Option<&RawValue>, name: &str) -> Result<Option<String>, Unreadable> {
    let text = value.map(|value| serde_json::from_str::<Option<String>>(value.get()));
    match text.transpose() {
        Ok(text) => Ok(text.flatten()),
        Err(error) if error.is_data() => {
            Err(Unreadable::Text(format!("`{name}` is not a string.")))
        }
        Err(error) => Err(Unreadable::Text(format!("`{name}` is not JSON: {error}."))),
    }
}

fn object<'a>(value: Option<&'a RawValue>, name: &str) -> Result<Option<&'a RawValue>, Unreadable> {
    match value.filter(|value| value.get() != "null") {
        Some(value) if !value.get().starts_with('{') => {
            Err(Unreadable::Text(format!("`{name}` is not an object.")))
        }
        value => Ok(value),
    }
}

fn fields_of<'a, T: Deserialize<'a>>(object: &'a RawValue, name: &str) -> Result<T, Unreadable> {
    serde_json::from_str(object.get())
        .map_err(|error| Unreadable::Text(format!("`{name}` cannot be read: {error}.")))
}
