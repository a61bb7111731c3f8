//! Contacts, whose list is one item: of none, and of 20.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::ask::{named, start};
use crate::support::Api;

use super::fixture::filled;
use super::{BATCH, GET, Line, Measured, WRITE, lines, measure, mutation, query};

async fn of(api: &Api, count: usize) -> Measured {
    let id = api.create(named("Visa")).await["id"].clone();
    let (contact, first) = (Uuid::new_v4(), Uuid::new_v4());
    let new = |contact: Uuid| -> Value {
        json!({ "applicationId": id, "contactId": contact, "name": filled("n", 40), "role": filled("r", 20) })
    };
    for at in 0..count {
        let input = new(if at == 0 { first } else { Uuid::new_v4() });
        let add = mutation("", "addContact", input, &[GET, WRITE]);
        measure(api, "a contact more", &[add]).await;
    }
    let it = json!({ "applicationId": id, "contactId": contact });
    let mut changed = it.clone();
    changed["role"] = json!("Recruiter");
    let read = "query($id: ID!) { application(id: $id) { contacts { name } } }";
    let cases = [
        mutation("`addContact` ⁵", "addContact", new(contact), &[GET, WRITE]),
        query(
            "`application` with contacts ⁵",
            "application",
            read,
            json!({ "id": id }),
            &[GET, BATCH],
        ),
        mutation("`updateContact` ⁵", "updateContact", changed, &[GET, WRITE]),
        mutation("`removeContact` ⁵", "removeContact", it, &[GET, WRITE]),
    ];
    measure(api, "contacts", &cases).await
}

/// The lines of these operations.
pub async fn measured() -> Vec<Line> {
    let (api, _) = start().await;
    lines(of(&api, 0).await, of(&api, 19).await)
}
