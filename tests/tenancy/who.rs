//! Who asks, how, what they are told, and what they own.

use serde_json::Value;

/// Who sends an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// With a token that may write.
    Alice,
    /// With a token that may write.
    Bob,
    /// Alice, with a token without roles.
    AliceWithoutRoles,
    /// With a token of nobody's: its claim names no owner.
    Ownerless,
    /// With an API key that may only read Alice's applications.
    AlicesReader,
    /// Without credentials.
    Nobody,
}

impl Who {
    pub const ALL: [Self; 6] = [
        Who::Alice,
        Who::Bob,
        Who::AliceWithoutRoles,
        Who::Ownerless,
        Who::AlicesReader,
        Who::Nobody,
    ];

    /// The code of the error that every operation of this viewer ends with, if one does.
    pub fn refused(self) -> Option<&'static str> {
        match self {
            Who::Alice | Who::Bob | Who::AlicesReader => None,
            Who::AliceWithoutRoles | Who::Ownerless => Some("FORBIDDEN"),
            Who::Nobody => Some("UNAUTHENTICATED"),
        }
    }

    /// The same, for mutations.
    pub fn refused_to_write(self) -> Option<&'static str> {
        match self {
            Who::AlicesReader => Some("FORBIDDEN"),
            other => other.refused(),
        }
    }

    /// The owner of what this viewer sees.
    pub fn owner(self) -> &'static str {
        match self {
            Who::Bob => BOB,
            _ => ALICE,
        }
    }
}

/// Owners whose names could be mistaken for parts of keys, and for each other.
pub const ALICE: &str = "auth0|a#APP";
pub const BOB: &str = "auth0|a";

/// How an operation is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Http,
    Events,
    WebSocket,
}

/// What an operation was answered.
#[derive(Debug)]
pub struct Answer {
    pub data: Value,
    pub codes: Vec<String>,
    pub text: String,
}

impl Answer {
    pub fn of(body: &Value) -> Self {
        Self {
            data: body["data"].clone(),
            codes: codes(&body["errors"]),
            text: body.to_string(),
        }
    }

    pub fn refused(code: &str) -> Self {
        Self {
            data: Value::Null,
            codes: vec![code.to_owned()],
            text: String::new(),
        }
    }
}

pub fn codes(errors: &Value) -> Vec<String> {
    let errors = errors.as_array().into_iter().flatten();
    errors
        .map(|error| {
            error["extensions"]["code"]
                .as_str()
                .expect("a code")
                .to_owned()
        })
        .collect()
}

/// An application of an owner, with a stage.
#[derive(Clone, Debug)]
pub struct Thing {
    pub of: Who,
    pub application: String,
    pub stage: String,
    pub entry: String,
}

impl Thing {
    /// The text that every attribute of it has, and nothing of anyone else.
    pub fn text(&self) -> String {
        secret(self.of)
    }
}

pub fn secret(of: Who) -> String {
    match of {
        Who::Bob => "of-bob-alone".to_owned(),
        _ => "of-alice-alone".to_owned(),
    }
}
