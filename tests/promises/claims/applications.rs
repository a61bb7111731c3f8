//! Every mutation of applications.

use serde_json::json;
use trestle_service::Registered;
use uuid::Uuid;

use super::story::{Indexes, Story};

pub async fn story(service: &'static Registered, indexes: Indexes) -> Story {
    let mut story = Story::start(service, indexes, &["--tenancy=owner"]).await;
    let ada = "ada write owner=ada";
    let new = |company: &str| json!({ "companyName": company, "positionTitle": "Engineer", "status": "APPLIED" });
    let made = story.step(ada, "createApplication", new("Acme")).await;
    let id = made["application"]["id"].clone();
    let mut with_id = new("Bolt");
    with_id["id"] = json!(Uuid::new_v4());
    let second = story.step(ada, "createApplication", with_id).await;
    let second = second["application"]["id"].clone();
    let input = json!({ "applications": [new("Corp"), new("Dyne")] });
    let many = story.step(ada, "createApplications", input).await;
    let [third, fourth] = [0, 1].map(|at| many["results"][at]["application"]["id"].clone());
    let row = json!({ "application": new("Ever"), "content": "a row", "otherIds": [] });
    story
        .step(ada, "importApplications", json!({ "rows": [row] }))
        .await;
    let input = json!({ "id": id, "notes": "x", "expectedVersion": 1 });
    story.step(ada, "updateApplication", input).await;
    story
        .step(
            ada,
            "updateApplication",
            json!({ "id": id, "status": "INTERVIEWING" }),
        )
        .await;
    let input =
        json!({ "applications": [{ "id": second, "notes": "y" }, { "id": third, "notes": "z" }] });
    story.step(ada, "updateApplications", input).await;
    let stage = json!({ "applicationId": id, "name": "Phone" });
    let stage = story.step(ada, "addInterviewStage", stage).await["interviewStage"]["id"].clone();
    let other = json!({ "applicationId": id, "name": "Site", "stageId": Uuid::new_v4() });
    let other = story.step(ada, "addInterviewStage", other).await["interviewStage"]["id"].clone();
    story
        .step(
            ada,
            "updateInterviewStage",
            json!({ "id": stage, "notes": "x" }),
        )
        .await;
    let input = json!({ "applicationId": id, "stageIds": [other, stage] });
    story.step(ada, "reorderInterviewStages", input).await;
    story
        .step(ada, "completeInterviewStage", json!({ "id": stage }))
        .await;
    story
        .step(ada, "removeInterviewStage", json!({ "id": other }))
        .await;
    story
        .step(ada, "archiveApplication", json!({ "id": id }))
        .await;
    story
        .step(ada, "unarchiveApplication", json!({ "id": id }))
        .await;
    story
        .step(
            ada,
            "archiveApplications",
            json!({ "ids": [second, third] }),
        )
        .await;
    story
        .step(
            ada,
            "unarchiveApplications",
            json!({ "ids": [second, third] }),
        )
        .await;
    story
        .step(
            ada,
            "restoreApplication",
            json!({ "id": id, "sequence": 1 }),
        )
        .await;
    let contact = Uuid::new_v4();
    let input = json!({ "applicationId": id, "contactId": contact, "name": "Grace" });
    story.step(ada, "addContact", input).await;
    let input = json!({ "applicationId": id, "contactId": contact, "role": "ally" });
    story.step(ada, "updateContact", input).await;
    let input = json!({ "applicationId": id, "contactId": contact });
    story.step(ada, "removeContact", input).await;
    let bytes = "%PDF-1.7 a resume";
    let input =
        json!({ "applicationId": id, "contentType": "application/pdf", "bytes": bytes.len() });
    let upload = story.step(ada, "createFileUpload", input).await["upload"].clone();
    story.upload(&upload, bytes).await;
    let input =
        json!({ "applicationId": id, "uploadId": upload["uploadId"], "name": "resume.pdf" });
    story.step(ada, "addFile", input).await;
    let query = "query($id: ID!) { application(id: $id) { files { fileId } } }";
    let data = story.server.data(ada, query, json!({ "id": id })).await;
    let file = data["application"]["files"][0]["fileId"].clone();
    story
        .step(
            ada,
            "removeFile",
            json!({ "applicationId": id, "fileId": file }),
        )
        .await;
    story.step(ada, "createCalendarAddress", json!({})).await;
    story.step(ada, "renewCalendarAddress", json!({})).await;
    story.step(ada, "revokeCalendarAddress", json!({})).await;
    story
        .step(ada, "deleteApplications", json!({ "ids": [second, third] }))
        .await;
    story
        .step(ada, "deleteApplication", json!({ "id": fourth }))
        .await;
    story
        .step(ada, "deleteApplication", json!({ "id": id }))
        .await;
    story
}
