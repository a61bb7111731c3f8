//! The people of an application.

use serde_json::{Value, json};
use trestle_applications::{Applications, Import, Imported, Scope, TABLE};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};
use uuid::Uuid;

use crate::ask::{NOBODY, named, start, with};
use crate::support::Api;

const CONTACT: &str = "contactId name role email link lastContact";
const LIST: &str = "TRESTLE#CONTACTS";

/// The payload of a mutation of a contact.
async fn payload(api: &Api, name: &str, input: Value) -> Value {
    let own = match name {
        "removeContact" => "removedContactId".to_owned(),
        _ => format!("contact {{ {CONTACT} }}"),
    };
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let document = format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{
           {own} contacts {{ {CONTACT} }} userErrors {{ code field message }} }} }}"
    );
    let data = api.data(&document, json!({ "input": input })).await;
    data[name].clone()
}

/// The payload of one that has to be done.
async fn done(api: &Api, name: &str, input: Value) -> Value {
    let payload = payload(api, name, input).await;
    assert_eq!(payload["userErrors"], json!([]), "{name}");
    payload
}

/// The codes and fields of one that has to be refused.
async fn refused(api: &Api, name: &str, input: Value) -> Vec<(String, String)> {
    let payload = payload(api, name, input).await;
    for (field, value) in payload.as_object().unwrap() {
        assert!(field == "userErrors" || value.is_null(), "{payload}");
    }
    let errors = payload["userErrors"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    errors
        .map(|error| (text(&error["code"]), text(&error["field"][0])))
        .collect()
}

async fn contacts(api: &Api, id: &str) -> Value {
    let document =
        format!("query($id: ID!) {{ application(id: $id) {{ contacts {{ {CONTACT} }} }} }}");
    let data = api.data(&document, json!({ "id": id })).await;
    data["application"]["contacts"].clone()
}

async fn application(api: &Api) -> String {
    let made = api.create(named("Visa")).await;
    made["id"].as_str().unwrap().to_owned()
}

async fn add(api: &Api, id: &str, more: Value) -> Value {
    let input = with(json!({ "applicationId": id, "name": "Ann" }), more);
    done(api, "addContact", input).await["contact"].clone()
}

fn store(api: &Api) -> Applications {
    let table = Table::new(api.dynamodb.clone(), &TABLE, &api.table);
    Applications::new(table, Scope::Single, Meter::default(), Clock::system())
}

#[tokio::test]
async fn contacts_are_added_changed_and_removed() {
    let (api, _) = start().await;
    let id = application(&api).await;
    assert_eq!(contacts(&api, &id).await, json!([]));
    let ann = json!({ "name": " Ann Ó Briain ", "role": "Recruiter", "email": "Ann@Example.com",
        "link": "https://example.com/ann", "lastContact": "2026-11-18" });
    let ann = add(&api, &id, ann).await;
    let expected = json!({ "contactId": ann["contactId"], "name": "Ann Ó Briain", "role": "Recruiter",
        "email": "ann@example.com", "link": "https://example.com/ann", "lastContact": "2026-11-18" });
    assert_eq!(ann, expected);
    let bob = add(&api, &id, json!({ "name": "Bob" })).await;
    assert_eq!(contacts(&api, &id).await, json!([ann, bob]));

    let changes = json!({ "applicationId": id, "contactId": ann["contactId"], "email": null,
        "lastContact": "2026-11-20" });
    let changed = done(&api, "updateContact", changes).await;
    let after = with(
        ann.clone(),
        json!({ "email": null, "lastContact": "2026-11-20" }),
    );
    assert_eq!(changed["contact"], after);
    assert_eq!(changed["contacts"], json!([after, bob]));
    assert_eq!(contacts(&api, &id).await, json!([after, bob]));

    let of = |contact: &Value| json!({ "applicationId": id, "contactId": contact["contactId"] });
    let removed = done(&api, "removeContact", of(&ann)).await;
    assert_eq!(removed["removedContactId"], ann["contactId"]);
    assert_eq!(removed["contacts"], json!([bob]));
    done(&api, "removeContact", of(&bob)).await;
    assert_eq!(contacts(&api, &id).await, json!([]));
    assert!(!api.stored(&id).await.contains_key(LIST), "nothing is left");
}

#[tokio::test]
async fn an_application_does_not_change_with_its_contacts() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let before = api.stored(&id).await;
    add(&api, &id, json!({})).await;
    let mut after = api.stored(&id).await;
    assert!(after.remove(LIST).is_some());
    assert_eq!(after, before);
    // Whatever is changed, restored and archived, they stay.
    api.update(&id, json!({ "notes": "a" })).await;
    api.done("restoreApplication", json!({ "id": id, "sequence": 1 }))
        .await;
    api.done("archiveApplication", json!({ "id": id })).await;
    assert_eq!(contacts(&api, &id).await[0]["name"], "Ann");
}

#[tokio::test]
async fn a_contact_is_added_once_however_often_it_is_sent() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let contact = Uuid::new_v4();
    let own = json!({ "contactId": contact, "role": "Recruiter" });
    let first = add(&api, &id, own.clone()).await;
    api.calls.reset();
    assert_eq!(add(&api, &id, own).await, first);
    assert_eq!(api.calls.counts().get("TransactWriteItems"), None);
    assert_eq!(contacts(&api, &id).await, json!([first]));
    let other = json!({ "applicationId": id, "contactId": contact, "name": "Bob" });
    assert_eq!(
        refused(&api, "addContact", other).await,
        [("CONFLICT".to_owned(), "contactId".to_owned())]
    );
}

#[tokio::test]
async fn links_of_contacts_and_of_applications_are_taken_as_they_are_pasted() {
    let (api, _) = start().await;
    let id = application(&api).await;
    for pasted in [
        "linkedin.com/in/ann",
        " www.example.com:8080/ann ",
        "https://example.com/ann?utm_source=mail&a=b",
        "http://example.com/ann#top",
    ] {
        let of_application = api.update(&id, json!({ "companyUrl": pasted })).await;
        let added = add(&api, &id, json!({ "link": pasted })).await;
        assert_eq!(added["link"], of_application["companyUrl"], "{pasted}");
        let changes = json!({ "applicationId": id, "contactId": added["contactId"] });
        for link in [json!(null), json!(pasted)] {
            let changes = with(changes.clone(), json!({ "link": link }));
            let changed = payload(&api, "updateContact", changes).await["contact"].clone();
            let expected = if link.is_null() {
                &link
            } else {
                &added["link"]
            };
            assert_eq!(changed["link"], *expected);
        }
    }
}

#[tokio::test]
async fn every_rule_that_a_contact_breaks_is_reported() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let wrong = json!({ "applicationId": id, "contactId": "nope", "name": " ", "role": "r".repeat(201),
        "email": "ann", "link": "ftp://example.com", "lastContact": "soon" });
    let fields = |errors: Vec<(String, String)>| -> Vec<String> {
        errors.into_iter().map(|(_, field)| field).collect()
    };
    let all = ["contactId", "name", "role", "email", "link", "lastContact"];
    assert_eq!(fields(refused(&api, "addContact", wrong).await), all);
    let contact = add(&api, &id, json!({})).await["contactId"].clone();
    let wrong = json!({ "applicationId": id, "contactId": contact, "name": null, "email": "ann" });
    assert_eq!(
        refused(&api, "updateContact", wrong).await,
        [
            ("REQUIRED".to_owned(), "name".to_owned()),
            ("INVALID".to_owned(), "email".to_owned())
        ]
    );
    let nobody = json!({ "applicationId": id, "contactId": NOBODY });
    let missing = [("NOT_FOUND".to_owned(), "contactId".to_owned())];
    for name in ["updateContact", "removeContact"] {
        assert_eq!(refused(&api, name, nobody.clone()).await, missing, "{name}");
    }
    let nothing = json!({ "applicationId": NOBODY, "name": "Ann" });
    assert_eq!(
        refused(&api, "addContact", nothing).await,
        [("NOT_FOUND".to_owned(), "applicationId".to_owned())]
    );
}

#[tokio::test]
async fn an_application_has_at_most_20_contacts() {
    let (api, _) = start().await;
    let id = application(&api).await;
    for _ in 0..20 {
        add(&api, &id, json!({})).await;
    }
    let input = json!({ "applicationId": id, "name": "Ann" });
    assert_eq!(
        refused(&api, "addContact", input).await,
        [("LIMIT_REACHED".to_owned(), "applicationId".to_owned())]
    );
    assert_eq!(contacts(&api, &id).await.as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn contacts_that_are_added_at_once_are_all_there() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let adding = (0..8).map(|_| add(&api, &id, json!({})));
    futures_util::future::join_all(adding).await;
    assert_eq!(contacts(&api, &id).await.as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn deleting_an_application_deletes_its_contacts() {
    let (api, _) = start().await;
    let id = application(&api).await;
    add(&api, &id, json!({})).await;
    api.done("deleteApplication", json!({ "id": id })).await;
    assert!(api.stored(&id).await.is_empty());
    let input = json!({ "applicationId": id, "name": "Ann" });
    assert_eq!(
        refused(&api, "addContact", input).await,
        [("NOT_FOUND".to_owned(), "applicationId".to_owned())]
    );
    assert!(api.stored(&id).await.is_empty());
}

#[tokio::test]
async fn an_export_has_the_contacts_and_an_import_restores_them() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let ann = add(&api, &id, json!({ "role": "Recruiter" })).await;
    let exported = store(&api).export(10, None).await.unwrap();
    let [(_, record)] = &exported[..] else {
        panic!("one application");
    };
    let record = record.as_ref().unwrap().clone().unwrap();
    // As a line of a file.
    let line = serde_json::to_string(&record).unwrap();
    assert!(line.contains("Recruiter"), "{line}");
    api.done("deleteApplication", json!({ "id": id })).await;
    let read: trestle_applications::Record = serde_json::from_str(&line).unwrap();
    let records = vec![read.keyed().unwrap()];
    let imported = store(&api).import_records(records, Import::Write).await;
    assert_eq!(imported.unwrap(), [Imported::Created]);
    assert_eq!(contacts(&api, &id).await, json!([ann]));
    let bob = add(&api, &id, json!({ "name": "Bob" })).await;
    assert_eq!(contacts(&api, &id).await, json!([ann, bob]));
}

#[tokio::test]
async fn who_does_not_ask_for_contacts_does_not_pay_for_them() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let whole = "query($id: ID!) { application(id: $id) { notes interviewStages { name }
      history(first: 20) { edges { node { description } } } } }";
    let cost = async || {
        api.calls.reset();
        let answer = api.run(whole, json!({ "id": id })).await;
        (api.calls.counts(), answer.cost().read_units)
    };
    let before = cost().await;
    for _ in 0..20 {
        add(&api, &id, json!({ "role": "r".repeat(200) })).await;
    }
    assert_eq!(cost().await, before);
}

#[tokio::test]
async fn the_contacts_of_a_page_are_read_together() {
    let (api, _) = start().await;
    for _ in 0..5 {
        let id = application(&api).await;
        add(&api, &id, json!({ "name": format!("Contact of {id}") })).await;
    }
    application(&api).await;
    api.calls.reset();
    let list = "{ applications(first: 10) { edges { node { id contacts { name } } } } }";
    let data = api.data(list, json!({})).await;
    let expected = [("BatchGetItem", 1), ("Query", 1)];
    let expected = expected.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(api.calls.counts(), expected.into());
    let edges = data["applications"]["edges"].as_array().unwrap();
    let mut with_contacts = 0;
    for edge in edges {
        let node = &edge["node"];
        match node["contacts"].as_array().unwrap().as_slice() {
            [] => {}
            [contact] => {
                with_contacts += 1;
                let name = format!("Contact of {}", node["id"].as_str().unwrap());
                assert_eq!(contact["name"], name);
            }
            others => panic!("{others:?}"),
        }
    }
    assert_eq!((edges.len(), with_contacts), (6, 5));
}

#[tokio::test]
async fn a_list_that_cannot_be_read_fails_alone() {
    let (api, _) = start().await;
    let id = application(&api).await;
    add(&api, &id, json!({})).await;
    let mut item = api.stored(&id).await[LIST].clone();
    item.insert("entries".to_owned(), crate::ask::text("none"));
    api.put(item).await;
    let document = "query($id: ID!) { application(id: $id) { companyName contacts { name } } }";
    let answer = api.run(document, json!({ "id": id })).await;
    assert_eq!(answer.code(), "UNREADABLE");
    let expected = json!({ "companyName": "Visa", "contacts": null });
    assert_eq!(answer.body["data"]["application"], expected);
    // A change does not replace what it cannot read.
    let document = "mutation($id: ID!) { addContact(input: { applicationId: $id, name: \"Ann\" }) {
        userErrors { code } } }";
    let answer = api.run(document, json!({ "id": id })).await;
    assert_eq!(answer.code(), "UNREADABLE");
}

/// The next event of a subscription.
async fn next(events: &mut reqwest::Response) -> Value {
    let mut read = String::new();
    while !read.contains("event: next") || !read.ends_with("\n\n") {
        let chunk = events.chunk().await.unwrap().expect("an event");
        read += std::str::from_utf8(&chunk).unwrap();
    }
    let data = read.lines().find_map(|line| line.strip_prefix("data:"));
    serde_json::from_str(data.expect("its data")).unwrap()
}

#[tokio::test]
async fn every_mutation_answers_what_a_cache_needs_and_is_reported() {
    const SHOWN: &str = "id version contacts { id name } files { id name }";
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let watch = format!(
        "subscription {{ applicationChanged {{ kind version application {{ {SHOWN} }} }} }}"
    );
    let mut events = api.events(&watch).await;
    let contact = Uuid::new_v4();
    let of = json!({ "applicationId": id, "contactId": contact });
    let mut nodes = Vec::new();
    for (mutation, input, count) in [
        ("addContact", with(of.clone(), json!({ "name": "Ann" })), 1),
        (
            "updateContact",
            with(of.clone(), json!({ "name": "Bea" })),
            1,
        ),
        ("removeContact", of, 0),
    ] {
        let kind = format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]);
        let document = format!(
            "mutation($input: {kind}!) {{ {mutation}(input: $input) {{ contacts {{ id }} application {{ {SHOWN} }}
               userErrors {{ code }} }} }}"
        );
        let answer = api.data(&document, json!({ "input": input })).await[mutation].clone();
        let read = format!("query($id: ID!) {{ application(id: $id) {{ {SHOWN} }} }}");
        let read = api.data(&read, json!({ "id": id })).await["application"].clone();
        // The payload and the event are what a fresh read answers.
        assert_eq!(answer["application"], read, "{mutation}");
        assert_eq!(read["contacts"].as_array().unwrap().len(), count);
        let event = next(&mut events).await["data"]["applicationChanged"].clone();
        let expected =
            json!({ "kind": "UPDATED", "version": made["version"], "application": read });
        assert_eq!(event, expected, "{mutation}");
        const NODE: &str =
            "query($id: ID!) { node(id: $id) { __typename id ... on Contact { name contactId } } }";
        nodes.extend(
            read["contacts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|contact| contact["id"].clone()),
        );
        let node = api.data(NODE, json!({ "id": nodes[0] })).await["node"].clone();
        let expected = read["contacts"].get(0).map(|shown| {
            json!({ "__typename": "Contact", "id": shown["id"], "name": shown["name"], "contactId": contact })
        });
        assert_eq!(node, expected.unwrap_or_default(), "{mutation}");
        // It is the same object, whatever it is called.
        assert!(nodes.iter().all(|node| *node == nodes[0]));
    }
    // Nothing is reported of what changes nothing, and a rejected one answers nothing.
    let refused = refused(
        &api,
        "removeContact",
        json!({ "applicationId": id, "contactId": contact }),
    )
    .await;
    assert_eq!(refused.len(), 1);
}
