//! The files of an application.

use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use trestle_applications::{Applications, Import, Imported, Record, Scope, TABLE};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};
use uuid::Uuid;

use crate::ask::{NOBODY, named, start, with};
use crate::support::Api;

const FILE: &str = "fileId name kind contentType bytes addedAt url";
const LIST: &str = "TRESTLE#FILES";
const BYTES: &[u8] = b"%PDF-1.7 a resume";

/// The payload of a mutation of a file.
async fn payload(api: &Api, name: &str, input: Value) -> Value {
    let own = match name {
        "createFileUpload" => "upload { uploadId url headers { name value } expiresAt }".to_owned(),
        "removeFile" => format!("removedFileId files {{ {FILE} }}"),
        _ => format!("file {{ {FILE} }} files {{ {FILE} }}"),
    };
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let document = format!(
        "mutation($input: {kind}!) {{ {name}(input: $input) {{ {own} userErrors {{ code field message }} }} }}"
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

fn one(code: &str, field: &str) -> [(String, String); 1] {
    [(code.to_owned(), field.to_owned())]
}

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// Asks for permission to upload bytes.
async fn permitted(api: &Api, id: &str, bytes: usize) -> Value {
    let input = json!({ "applicationId": id, "contentType": "application/pdf", "bytes": bytes });
    done(api, "createFileUpload", input).await["upload"].clone()
}

async fn put(upload: &Value, bytes: &'static [u8]) -> Response {
    let mut request = client().put(upload["url"].as_str().unwrap()).body(bytes);
    for header in upload["headers"].as_array().unwrap() {
        let text = |field: &str| header[field].as_str().unwrap().to_owned();
        request = request.header(text("name"), text("value"));
    }
    request.send().await.unwrap()
}

/// Uploads bytes; the upload's id.
async fn uploaded(api: &Api, id: &str) -> Value {
    let upload = permitted(api, id, BYTES.len()).await;
    assert_eq!(put(&upload, BYTES).await.status(), 200);
    upload["uploadId"].clone()
}

/// Adds a file.
async fn added(api: &Api, id: &str, name: &str) -> Value {
    let upload = uploaded(api, id).await;
    let input = json!({ "applicationId": id, "uploadId": upload, "name": name, "kind": "RESUME" });
    done(api, "addFile", input).await["file"].clone()
}

async fn files(api: &Api, id: &str) -> Vec<Value> {
    let document = format!("query($id: ID!) {{ application(id: $id) {{ files {{ {FILE} }} }} }}");
    let data = api.data(&document, json!({ "id": id })).await;
    data["application"]["files"].as_array().unwrap().clone()
}

async fn download(file: &Value) -> Response {
    let url = file["url"].as_str().unwrap();
    client().get(url).send().await.unwrap()
}

async fn application(api: &Api) -> String {
    let made = api.create(named("Visa")).await;
    made["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_file_is_uploaded_added_and_downloaded() {
    let (api, hands) = start().await;
    let id = application(&api).await;
    assert_eq!(files(&api, &id).await, [json!(null); 0]);
    let before = api.stored(&id).await;
    let file = added(&api, &id, "Résumé 2026.pdf").await;
    let expected = json!({ "fileId": file["fileId"], "name": "Résumé 2026.pdf", "kind": "RESUME",
        "contentType": "application/pdf", "bytes": BYTES.len(), "addedAt": "2026-11-20T09:30:00.000Z",
        "url": file["url"] });
    assert_eq!(file, expected);
    let [listed] = &files(&api, &id).await[..] else {
        panic!("one file");
    };
    assert_eq!(listed["fileId"], file["fileId"]);
    let answer = download(listed).await;
    assert_eq!(answer.status(), 200);
    let headers = answer.headers();
    assert_eq!(headers["content-type"], "application/pdf");
    assert_eq!(
        headers["content-disposition"],
        "inline; filename=\"R_sum_ 2026.pdf\"; filename*=UTF-8''R%C3%A9sum%C3%A9%202026.pdf"
    );
    assert_eq!(answer.bytes().await.unwrap(), BYTES);
    // The application is what it was.
    let mut after = api.stored(&id).await;
    assert!(after.remove(LIST).is_some());
    assert_eq!(after, before);
    hands.go(15 * 60_000);
    assert_eq!(download(listed).await.status(), 403, "it has expired");
    let again = &files(&api, &id).await[0];
    assert_eq!(download(again).await.status(), 200);
}

#[tokio::test]
async fn an_upload_is_added_once_and_then_cannot_be_replaced() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let upload = permitted(&api, &id, BYTES.len()).await;
    let input = json!({ "applicationId": id, "uploadId": upload["uploadId"], "name": "a.pdf" });
    let missing = one("NOT_FOUND", "uploadId");
    assert_eq!(refused(&api, "addFile", input.clone()).await, missing);
    assert_eq!(put(&upload, BYTES).await.status(), 200);
    let first = done(&api, "addFile", input.clone()).await;
    assert_eq!(first["file"]["kind"], "OTHER");
    let again = done(&api, "addFile", input.clone()).await;
    assert_eq!(again["file"]["fileId"], first["file"]["fileId"]);
    assert_eq!(again["files"].as_array().unwrap().len(), 1);
    for other in [json!({ "name": "b.pdf" }), json!({ "kind": "RESUME" })] {
        let taken = one("CONFLICT", "uploadId");
        let other = with(input.clone(), other);
        assert_eq!(refused(&api, "addFile", other).await, taken);
    }
    assert_eq!(files(&api, &id).await.len(), 1);
    // The URL still works, and leads elsewhere.
    assert_eq!(put(&upload, b"%PDF-1.7 replaced").await.status(), 200);
    let answer = download(&files(&api, &id).await[0]).await;
    assert_eq!(answer.bytes().await.unwrap(), BYTES);
}

#[tokio::test]
async fn an_upload_must_be_what_was_announced() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let wrong = json!({ "applicationId": id, "contentType": "text/html", "bytes": 10_485_761 });
    let errors = refused(&api, "createFileUpload", wrong).await;
    assert_eq!(
        errors,
        [one("INVALID", "contentType"), one("OUT_OF_RANGE", "bytes")].concat()
    );
    let upload = permitted(&api, &id, BYTES.len()).await;
    assert_eq!(
        put(&upload, b"more than was announced").await.status(),
        StatusCode::PAYLOAD_TOO_LARGE
    );
    let url = upload["url"].as_str().unwrap();
    let other = client().put(url).header("content-type", "text/html");
    let other = other.body(BYTES).send().await.unwrap();
    assert_eq!(other.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let input = json!({ "applicationId": id, "uploadId": upload["uploadId"], "name": "a" });
    assert_eq!(
        refused(&api, "addFile", input.clone()).await,
        one("NOT_FOUND", "uploadId")
    );
    let wrong = with(input, json!({ "uploadId": "../x.pdf", "name": " " }));
    let errors = refused(&api, "addFile", wrong).await;
    assert_eq!(
        errors,
        [one("NOT_FOUND", "uploadId"), one("REQUIRED", "name")].concat()
    );
}

#[tokio::test]
async fn an_upload_is_for_one_application() {
    let (api, _) = start().await;
    let (id, other) = (application(&api).await, application(&api).await);
    let upload = uploaded(&api, &id).await;
    let input = json!({ "applicationId": other, "uploadId": upload, "name": "a.pdf" });
    assert_eq!(
        refused(&api, "addFile", input).await,
        one("NOT_FOUND", "uploadId")
    );
    let nobody = one("NOT_FOUND", "applicationId");
    let input = json!({ "applicationId": NOBODY, "contentType": "text/plain", "bytes": 1 });
    assert_eq!(refused(&api, "createFileUpload", input).await, nobody);
}

#[tokio::test]
async fn a_file_that_is_removed_is_gone() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let file = added(&api, &id, "a.pdf").await;
    let other = added(&api, &id, "b.pdf").await;
    let input = json!({ "applicationId": id, "fileId": file["fileId"] });
    let removed = done(&api, "removeFile", input.clone()).await;
    assert_eq!(removed["removedFileId"], file["fileId"]);
    assert_eq!(removed["files"][0]["fileId"], other["fileId"]);
    assert_eq!(download(&file).await.status(), 404);
    assert_eq!(download(&other).await.status(), 200);
    assert_eq!(
        refused(&api, "removeFile", input).await,
        one("NOT_FOUND", "fileId")
    );
    let last = json!({ "applicationId": id, "fileId": other["fileId"] });
    done(&api, "removeFile", last).await;
    assert!(!api.stored(&id).await.contains_key(LIST), "nothing is left");
}

#[tokio::test]
async fn an_application_has_at_most_10_files() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let late = uploaded(&api, &id).await;
    for at in 0..10 {
        added(&api, &id, &format!("{at}.pdf")).await;
    }
    let full = one("LIMIT_REACHED", "applicationId");
    let input = json!({ "applicationId": id, "contentType": "text/plain", "bytes": 1 });
    assert_eq!(refused(&api, "createFileUpload", input).await, full);
    let input = json!({ "applicationId": id, "uploadId": late, "name": "late.pdf" });
    assert_eq!(refused(&api, "addFile", input.clone()).await, full);
    // Once there is room, the upload is still there.
    let first = files(&api, &id).await[0]["fileId"].clone();
    let first = json!({ "applicationId": id, "fileId": first });
    done(&api, "removeFile", first).await;
    done(&api, "addFile", input).await;
}

#[tokio::test]
async fn deleting_an_application_deletes_its_files() {
    let (api, _) = start().await;
    let (id, other) = (application(&api).await, application(&api).await);
    let file = added(&api, &id, "a.pdf").await;
    let kept = added(&api, &other, "b.pdf").await;
    let late = uploaded(&api, &id).await;
    api.done("deleteApplication", json!({ "id": id })).await;
    assert!(api.stored(&id).await.is_empty());
    assert_eq!(download(&file).await.status(), 404);
    assert_eq!(download(&kept).await.status(), 200);
    let input = json!({ "applicationId": id, "uploadId": late, "name": "late.pdf" });
    assert_eq!(
        refused(&api, "addFile", input).await,
        one("NOT_FOUND", "applicationId")
    );
    assert!(api.stored(&id).await.is_empty());
    let batch = "mutation($ids: [ID!]!) { deleteApplications(input: { ids: $ids }) {
        results { userErrors { code } } } }";
    api.data(batch, json!({ "ids": [other] })).await;
    assert_eq!(download(&kept).await.status(), 404);
}

#[tokio::test]
async fn an_export_has_the_list_of_files_and_an_import_elsewhere_reaches_none_of_them() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let file = added(&api, &id, "a.pdf").await;
    let table = Table::new(api.dynamodb.clone(), &TABLE, &api.table);
    let store = Applications::new(table, Scope::Single, Meter::default(), Clock::system());
    let exported = store.export(10, None).await.unwrap();
    let record = exported[0].1.as_ref().unwrap().clone().unwrap();
    let line = serde_json::to_string(&record).unwrap();
    // The same application under another id: as in the list of another owner.
    let copy = Uuid::new_v4().to_string();
    let copied: Record = serde_json::from_str(&line.replace(&id, &copy)).unwrap();
    let records = vec![copied.keyed().unwrap()];
    let imported = store.import_records(records, Import::Write).await;
    assert_eq!(imported.unwrap(), [Imported::Created]);
    let of_copy = files(&api, &copy).await;
    let expected = with(file.clone(), json!({ "url": null }));
    assert_eq!(of_copy, [expected]);
    // Deleting it does not delete the file of the other.
    api.done("deleteApplication", json!({ "id": copy })).await;
    assert_eq!(download(&file).await.status(), 200);
}

#[tokio::test]
async fn a_url_of_another_kind_is_refused() {
    let (api, _) = start().await;
    let id = application(&api).await;
    let file = added(&api, &id, "a.pdf").await;
    let url = file["url"].as_str().unwrap();
    let forged = client().get(url.replace(".pdf", ".png")).send().await;
    assert_eq!(forged.unwrap().status(), 403);
    let written = client().put(url).body(BYTES).send().await.unwrap();
    assert_eq!(written.status(), 405);
    let none = api.get("/applications/files").await;
    assert_eq!(none.status(), 403);
}
