//! The files of applications: in the data folder, in backups, and in what a check looks for.

use std::fs;

use serde_json::{Value, json};

use crate::commands::run::Folder;
use crate::commands::store::{create, serve};
use crate::process::Process;

const BYTES: &str = "A resume";

async fn asked(server: &Process, query: &str, variables: Value) -> Value {
    let body = json!({ "query": query, "variables": variables });
    server.post(&body, &[]).await.body()["data"].clone()
}

/// The ids of the applications, and the URLs of their files.
async fn urls(server: &Process) -> Vec<(String, Vec<String>)> {
    let query = "{ applications(first: 10) { edges { node { id files { url } } } } }";
    let data = asked(server, query, json!({})).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let edges = data["applications"]["edges"].as_array().unwrap().iter();
    let node = |edge: &Value| {
        let files = edge["node"]["files"].as_array().unwrap().iter();
        let urls = files.map(|file| text(&file["url"])).collect();
        (text(&edge["node"]["id"]), urls)
    };
    edges.map(node).collect()
}

async fn read(url: &str) -> (u16, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(url).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Adds a file to an application.
async fn add(server: &Process, id: &str) {
    let upload = "mutation($id: ID!, $bytes: Int!) { createFileUpload(input: { applicationId: $id,
        contentType: \"text/plain\", bytes: $bytes }) { upload { uploadId url } } }";
    let data = asked(server, upload, json!({ "id": id, "bytes": BYTES.len() })).await;
    let upload = &data["createFileUpload"]["upload"];
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.put(upload["url"].as_str().unwrap());
    let request = request.header("content-type", "text/plain").body(BYTES);
    assert_eq!(request.send().await.unwrap().status(), 200);
    let add = "mutation($id: ID!, $upload: String!) { addFile(input: { applicationId: $id, uploadId: $upload,
        name: \"resume.txt\", kind: RESUME }) { userErrors { message } } }";
    let variables = json!({ "id": id, "upload": upload["uploadId"] });
    let data = asked(server, add, variables).await;
    assert_eq!(data["addFile"]["userErrors"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_applications_are_in_backups_and_are_checked() {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    create(&server, "Acme").await.unwrap();
    let [(id, _)] = &urls(&server).await[..] else {
        panic!("one application");
    };
    let artifacts = folder.data().join("artifacts");
    assert!(!artifacts.exists(), "nobody has used files");
    add(&server, id).await;
    server.stop().await;

    let archive = folder.path("backup.tar");
    let archive = archive.to_str().unwrap();
    folder.good(&["store", "backup", archive]);
    let to = folder.path("restored");
    folder.good(&["store", "restore", archive, "--data", to.to_str().unwrap()]);
    let server = serve(&to).await;
    let [(_, files)] = &urls(&server).await[..] else {
        panic!("one application");
    };
    assert_eq!(read(&files[0]).await, (200, BYTES.to_owned()));

    // Deleting the application deletes its object in the restored folder, and not in the other one.
    let delete =
        "mutation($id: ID!) { deleteApplication(input: { id: $id }) { userErrors { message } } }";
    asked(&server, delete, json!({ "id": id })).await;
    assert_eq!(read(&files[0]).await.0, 404);
    server.stop().await;
    let checked = folder.good(&["store", "check"]);
    assert_eq!(checked.out, "Nothing is damaged.\n");
    fs::remove_dir_all(artifacts.join("files/applications")).unwrap();
    let found = folder.run(&["store", "check"]);
    assert_eq!(found.code, 2, "{found:?}");
    assert!(
        found
            .out
            .contains("TRESTLE#FILES: the file applications/all/"),
        "{found:?}"
    );
}
