//! Files, whose list is one item: of none, and of 9. Requests to the object store are not DynamoDB's.

use serde_json::{Value, json};

use crate::ask::{named, start};
use crate::support::Api;

use super::{BATCH, GET, Line, Measured, WRITE, lines, measure, mutation, query};

/// Uploads a file for an application; the upload's id.
async fn uploaded(api: &Api, id: &Value) -> Value {
    let input = json!({ "applicationId": id, "contentType": "text/plain", "bytes": 1 });
    let document = "mutation($input: CreateFileUploadInput!) { createFileUpload(input: $input) {
        upload { uploadId url } } }";
    let data = api.data(document, json!({ "input": input })).await;
    let upload = &data["createFileUpload"]["upload"];
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.put(upload["url"].as_str().unwrap());
    let request = request.header("content-type", "text/plain").body("a");
    assert_eq!(request.send().await.unwrap().status(), 200);
    upload["uploadId"].clone()
}

async fn of(api: &Api, count: usize) -> Measured {
    let id = api.create(named("Visa")).await["id"].clone();
    let add = async |label| {
        let name = "A resume, of the length that names have.txt";
        let input =
            json!({ "applicationId": id, "uploadId": uploaded(api, &id).await, "name": name });
        mutation(label, "addFile", input, &[("GetItem", 2), WRITE])
    };
    for _ in 0..count {
        let add = add("").await;
        measure(api, "a file more", &[add]).await;
    }
    let upload = json!({ "applicationId": id, "contentType": "text/plain", "bytes": 1 });
    let upload = mutation(
        "`createFileUpload` ⁵",
        "createFileUpload",
        upload,
        &[("GetItem", 2)],
    );
    let add = add("`addFile` ⁵").await;
    let mut measured = measure(api, "files", &[upload, add]).await;
    const FILES: &str = "query($id: ID!) { application(id: $id) { files { fileId } } }";
    let data = api.data(FILES, json!({ "id": id })).await;
    let file = data["application"]["files"][0]["fileId"].clone();
    let read = query(
        "`application` with files ⁵",
        "application",
        FILES,
        json!({ "id": id }),
        &[GET, BATCH],
    );
    let it = json!({ "applicationId": id, "fileId": file });
    let remove = mutation("`removeFile` ⁵", "removeFile", it, &[GET, WRITE]);
    measured.extend(measure(api, "files", &[read, remove]).await);
    measured
}

/// The lines of these operations.
pub async fn measured() -> Vec<Line> {
    let (api, _) = start().await;
    lines(of(&api, 0).await, of(&api, 9).await)
}
