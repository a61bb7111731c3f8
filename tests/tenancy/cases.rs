//! How each root field of the schema names something of an owner. A field without a case fails the matrix.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::tenancy::world::Thing;

/// What an operation is asked with, and what its sender may learn.
pub struct Case {
    /// The arguments of the root field.
    pub arguments: &'static str,
    /// The variables, with their types.
    pub variables: Vec<(&'static str, String, Value)>,
    /// What the field answers to someone who owns nothing that it names.
    pub to_others: ToOthers,
}

/// What a field answers to a viewer about something of another owner.
#[derive(Clone, Debug, PartialEq)]
pub enum ToOthers {
    /// This value.
    Value(Value),
    /// Their own data, in which nothing of the other owner is.
    TheirOwn,
    /// A user error with the code NOT_FOUND.
    NotFound,
    /// One payload for each entry of the input, each with such an error.
    EachNotFound,
    /// Something of their own, with the same id.
    Created,
    /// The one thing of its kind that each owner has, or that there is none or one already.
    TheirOnly,
}

/// How a query names `thing`.
pub fn query(field: &str, thing: &Thing) -> Case {
    let id = || vec![("id", "ID!".to_owned(), json!(thing.application))];
    let (arguments, variables, to_others) = match field {
        "application" => ("id: $id", id(), ToOthers::Value(Value::Null)),
        "applications" => (
            "first: 50, filter: { archived: INCLUDE, text: \"of\" }",
            Vec::new(),
            ToOthers::TheirOwn,
        ),
        "agenda" => (
            "from: \"2026-11-01\", to: \"2026-12-01\"",
            Vec::new(),
            ToOthers::TheirOwn,
        ),
        "stale" => (
            "days: 1, on: \"2027-11-20\"",
            Vec::new(),
            ToOthers::TheirOwn,
        ),
        "searchApplications" => (
            "text: \"of\", archived: INCLUDE",
            Vec::new(),
            ToOthers::TheirOwn,
        ),
        "applicationStats" | "applicationInsight" | "viewer" => {
            ("", Vec::new(), ToOthers::TheirOwn)
        }
        "importColumns" => (
            "columns: [{ header: \"Company\" }]",
            Vec::new(),
            ToOthers::TheirOwn,
        ),
        "calendarAddress" => ("", Vec::new(), ToOthers::TheirOnly),
        "node" => ("id: $id", id(), ToOthers::Value(Value::Null)),
        "nodes" => (
            "ids: $ids",
            vec![(
                "ids",
                "[ID!]!".to_owned(),
                json!([thing.application, thing.stage, thing.entry]),
            )],
            ToOthers::Value(json!([null, null, null])),
        ),
        other => panic!("The query `{other}` has no case: add it to the matrix."),
    };
    Case {
        arguments,
        variables,
        to_others,
    }
}

/// How a mutation names `thing`.
pub fn mutation(field: &str, thing: &Thing) -> Case {
    let application = &thing.application;
    let new = |id: &str| {
        json!({ "id": id, "companyName": thing.text(), "positionTitle": "Engineer",
                "status": "APPLIED", "dateApplied": "2026-11-02" })
    };
    let with_id = |more: Value| merged(json!({ "id": application }), more);
    let of_stage = |more: Value| merged(json!({ "id": thing.stage }), more);
    let one = ToOthers::NotFound;
    let each = ToOthers::EachNotFound;
    let (input, to_others) = match field {
        "createApplication" => (new(application), ToOthers::Created),
        "createApplications" => (
            json!({ "applications": [new(application)] }),
            ToOthers::Created,
        ),
        "importApplications" => (
            json!({ "rows": [{ "application": new(application) }] }),
            ToOthers::Created,
        ),
        "updateApplication" => (with_id(json!({ "notes": "changed" })), one),
        "updateApplications" => (
            json!({ "applications": [with_id(json!({ "notes": "changed" }))] }),
            each,
        ),
        "archiveApplication" | "unarchiveApplication" | "deleteApplication" => {
            (with_id(json!({})), one)
        }
        "archiveApplications" | "unarchiveApplications" | "deleteApplications" => {
            (json!({ "ids": [application] }), each)
        }
        "restoreApplication" => (with_id(json!({ "sequence": 1 })), one),
        "addInterviewStage" => (
            json!({ "applicationId": application, "name": "Another", "stageId": Uuid::new_v4() }),
            one,
        ),
        "updateInterviewStage" => (of_stage(json!({ "notes": "changed" })), one),
        "completeInterviewStage" | "removeInterviewStage" => (of_stage(json!({})), one),
        "reorderInterviewStages" => (
            json!({ "applicationId": application, "stageIds": [thing.stage] }),
            one,
        ),
        "addContact" => (
            json!({ "applicationId": application, "name": "Ann", "contactId": Uuid::new_v4() }),
            one,
        ),
        "createFileUpload" => (
            json!({ "applicationId": application, "contentType": "text/plain", "bytes": 1 }),
            one,
        ),
        // Nobody's application has these.
        "addFile" => (
            json!({ "applicationId": application, "name": "a", "uploadId": format!("{}.txt", Uuid::new_v4()) }),
            ToOthers::TheirOnly,
        ),
        "removeFile" => (
            json!({ "applicationId": application, "fileId": Uuid::new_v4() }),
            ToOthers::TheirOnly,
        ),
        "updateContact" | "removeContact" => (
            json!({ "applicationId": application, "contactId": Uuid::new_v4() }),
            ToOthers::TheirOnly,
        ),
        "createCalendarAddress" | "renewCalendarAddress" | "revokeCalendarAddress" => {
            (json!({}), ToOthers::TheirOnly)
        }
        other => panic!("The mutation `{other}` has no case: add it to the matrix."),
    };
    let mut kind = format!("{field}Input!");
    kind[..1].make_ascii_uppercase();
    Case {
        arguments: "input: $input",
        variables: vec![("input", kind, input)],
        to_others,
    }
}

/// How a subscription names `thing` and other things.
pub fn subscription(field: &str, things: &[&Thing]) -> Vec<Case> {
    let ids: Vec<_> = things.iter().map(|thing| &thing.application).collect();
    let case = |arguments, variables| Case {
        arguments,
        variables,
        to_others: ToOthers::TheirOwn,
    };
    match field {
        "applicationChanged" => vec![
            case("", Vec::new()),
            case("ids: $ids", vec![("ids", "[ID!]".to_owned(), json!(ids))]),
        ],
        other => panic!("The subscription `{other}` has no case: add it to the matrix."),
    }
}

fn merged(mut value: Value, more: Value) -> Value {
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}

impl Case {
    /// The whole document, of this kind and with this selection.
    pub fn document(&self, kind: &str, selected: &str) -> String {
        let variables: Vec<_> = self
            .variables
            .iter()
            .map(|(name, of, _)| format!("${name}: {of}"))
            .collect();
        let variables = if variables.is_empty() {
            String::new()
        } else {
            format!("({})", variables.join(", "))
        };
        format!("{kind}{variables} {{ {selected} }}")
    }

    /// The values of the variables.
    pub fn values(&self) -> Value {
        let values = self.variables.iter();
        values
            .map(|(name, _, value)| ((*name).to_owned(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}
