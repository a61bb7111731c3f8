//! The services with what their creates need: owners, strangers, and every create with its input.

use serde_json::{Value, json};
use trestle_service::Registered;
use trestle_table::TableDefinition;
use trestle_testing::hosted::TestServer;

use super::create::{Create, Outcome, said, ulid, uuid};
use super::hub;
use crate::promises::ask::{Who, id_of, make, start};

/// Without credentials.
const NOBODY: &str = "";

/// A service with owners and strangers.
pub struct World {
    pub server: TestServer,
    pub tables: &'static [&'static TableDefinition],
    pub creates: Vec<Create>,
}

pub async fn of(service: &'static Registered) -> World {
    let (server, creates) = match service.name {
        "applications" => applications(service).await,
        "graph-runs" => graph_runs(service).await,
        "job-board" => job_board(service).await,
        "collab-hub" => hub::creates(service).await,
        "shareables" => shareables(service).await,
        other => panic!("{other} has no world here"),
    };
    World {
        server,
        tables: service.tables,
        creates,
    }
}

/// Of a table with owners: without them, every viewer owns everything.
async fn applications(service: &'static Registered) -> (TestServer, Vec<Create>) {
    let server = start(service, &["--tenancy=owner"]).await;
    let ada = said("ada write owner=ada");
    let fields = json!({ "companyName": "Acme", "positionTitle": "Engineer" });
    let application = id_of(&server, &ada, "createApplication", fields, "application").await;
    let strangers = || {
        [
            said("mallory write owner=mallory"),
            said("trudy write owner=trudy"),
        ]
    };
    let create = |mutation, input, outcome| Create {
        mutation,
        input,
        takes_id: true,
        id_of: uuid,
        owner: ada.clone(),
        strangers: vec![(strangers(), outcome)],
    };
    let one = json!({ "id": "$ID", "companyName": "Acme", "positionTitle": "Engineer", "notes": "salary is a secret" });
    // Another job each, so that none is tracked already by the same person.
    let (mut nurse, mut clerk) = (one.clone(), one.clone());
    nurse["positionTitle"] = json!("Nurse");
    clerk["positionTitle"] = json!("Clerk");
    let row = json!({ "application": clerk, "content": "a row", "otherIds": [] });
    let stage = json!({ "applicationId": application, "stageId": "$ID", "name": "Interview" });
    let added =
        json!({ "id": application, "addInterviewStages": [{ "stageId": "$ID", "name": "Call" }] });
    let contact = json!({ "applicationId": application, "contactId": "$ID", "name": "Grace", "role": "a secret ally" });
    let upload = uploaded(&server, &ada, &application).await;
    let file = json!({ "applicationId": application, "uploadId": upload, "name": "resume.pdf" });
    let creates = vec![
        create("createApplication", one.clone(), Outcome::Own),
        create(
            "createApplications",
            json!({ "applications": [nurse] }),
            Outcome::Own,
        ),
        create("importApplications", json!({ "rows": [row] }), Outcome::Own),
        create("addInterviewStage", stage, Outcome::Refused("NOT_FOUND")),
        create(
            "updateApplication",
            added.clone(),
            Outcome::Refused("NOT_FOUND"),
        ),
        create(
            "updateApplications",
            json!({ "applications": [added] }),
            Outcome::Refused("NOT_FOUND"),
        ),
        create("addContact", contact, Outcome::Refused("NOT_FOUND")),
        Create {
            takes_id: false,
            ..create("addFile", file, Outcome::Refused("NOT_FOUND"))
        },
        Create {
            takes_id: false,
            ..create("createCalendarAddress", json!({}), Outcome::Own)
        },
    ];
    (server, creates)
}

/// Uploads a file for an application; the upload's id.
async fn uploaded(server: &TestServer, who: &Who, application: &str) -> String {
    let bytes = "%PDF-1.7 a resume";
    let input = json!({ "applicationId": application, "contentType": "application/pdf", "bytes": bytes.len() });
    let selection = "upload { uploadId url headers { name value } }";
    let upload = make(server, who, "createFileUpload", input, selection).await["upload"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut request = server.http.put(text(&upload["url"])).body(bytes);
    for header in upload["headers"].as_array().unwrap() {
        request = request.header(text(&header["name"]), text(&header["value"]));
    }
    assert_eq!(request.send().await.unwrap().status(), 200);
    text(&upload["uploadId"])
}

async fn graph_runs(service: &'static Registered) -> (TestServer, Vec<Create>) {
    let server = start(service, &[]).await;
    let create = Create {
        mutation: "createRun",
        input: json!({ "environment": "DEV", "iacFormat": "HCL", "iacCommitSha": "0123456789abcdef0123456789abcdef01234567" }),
        takes_id: false,
        id_of: ulid,
        owner: said("ada write"),
        strangers: vec![([said("mallory write"), said("trudy write")], Outcome::Own)],
    };
    (server, vec![create])
}

async fn job_board(service: &'static Registered) -> (TestServer, Vec<Create>) {
    let server = start(service, &["--job-board-suggestions=none"]).await;
    let [ann, erin] = [said("ann write seeker"), said("erin write employer")];
    let seekers = || [said("bob write seeker"), said("bea write seeker")];
    let employers = || [said("eli write employer"), said("eva write employer")];
    let place = json!({ "city": "Montréal", "country": "CA", "zip": "H2X 1Y4" });
    let job = json!({ "company": "Acme", "title": "Engineer", "places": [place], "description": "pay is a secret" });
    let posted = id_of(&server, &erin, "createJob", job.clone(), "job").await;
    let profile = json!({ "name": "Ann", "places": [place] });
    for seeker in ["ann", "bob", "bea"] {
        let who = said(&format!("{seeker} write seeker"));
        make(
            &server,
            &who,
            "saveSeekerProfile",
            profile.clone(),
            "__typename",
        )
        .await;
    }
    let interest = json!({ "jobId": posted });
    let interest = id_of(&server, &ann, "expressInterest", interest, "interest").await;
    let of = id_of(
        &server,
        &erin,
        "approveInterest",
        json!({ "id": interest }),
        "match",
    )
    .await;
    let other = id_of(&server, &erin, "createJob", job.clone(), "job").await;
    let create = |mutation, takes_id, owner: &Who, input, strangers| Create {
        mutation,
        input,
        takes_id,
        id_of: ulid,
        owner: owner.clone(),
        strangers,
    };
    let mut with_id = job;
    with_id["requestId"] = json!("$ID");
    let message = json!({ "matchId": of, "messageId": "$ID", "text": "a secret of the two" });
    let newcomers = || [said("cas write seeker"), said("cleo write seeker")];
    let company = json!({ "company": "Acme" });
    let search = json!({ "name": "mine", "places": ["montreal"] });
    let creates = vec![
        create(
            "createJob",
            true,
            &erin,
            with_id,
            vec![(employers(), Outcome::Own), (seekers(), Outcome::AsOthers)],
        ),
        create(
            "sendMessage",
            true,
            &ann,
            message,
            vec![
                (seekers(), Outcome::Refused("NOT_FOUND")),
                (employers(), Outcome::Refused("NOT_FOUND")),
            ],
        ),
        create(
            "expressInterest",
            false,
            &ann,
            json!({ "jobId": other }),
            vec![(seekers(), Outcome::Own)],
        ),
        create(
            "saveSeekerProfile",
            false,
            &said("amy write seeker"),
            profile,
            vec![(newcomers(), Outcome::Own)],
        ),
        create(
            "saveEmployerProfile",
            false,
            &said("eve write employer"),
            company,
            vec![(employers(), Outcome::Own)],
        ),
        create(
            "saveSearch",
            false,
            &ann,
            search,
            vec![(seekers(), Outcome::Own)],
        ),
    ];
    (server, creates)
}

/// A shareable with its admin's token, its short id and what was selected of it.
async fn shared(server: &TestServer, content: Value) -> (Who, String) {
    let mut input = json!({ "name": "N", "viewPasscode": "view-walnut-harbor", "adminPasscode": "admin-copper-lantern" });
    input
        .as_object_mut()
        .unwrap()
        .extend(content.as_object().unwrap().clone());
    let selection = "shareable { shortId } token { token }";
    let made = make(
        server,
        &NOBODY.to_owned(),
        "createShareable",
        input,
        selection,
    )
    .await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (
        format!("Bearer {}", text(&made["token"]["token"])),
        text(&made["shareable"]["shortId"]),
    )
}

async fn shareables(service: &'static Registered) -> (TestServer, Vec<Create>) {
    let options = [
        "--shareables-pool=0",
        "--shareables-creates-per-minute=1000000",
        "--shareables-guesses-per-minute=1000000",
        "--shareables-opens-per-minute=1000000",
        "--shareables-hash-memory=8",
    ];
    let server = start(service, &options).await;
    let list = json!({ "checklist": { "items": [{ "name": "a" }] } });
    let poll = json!({ "poll": { "question": "Q?", "options": ["a", "b"] } });
    let (owner, checklist) = shared(&server, list.clone()).await;
    let (asker, asked) = shared(&server, poll).await;
    let item = json!({ "shortId": checklist, "name": "b" });
    let item = id_of(&server, &owner, "addChecklistItem", item, "item").await;
    // Admins of other shareables, and those who have opened nothing.
    let (mallory, _) = shared(&server, list.clone()).await;
    let (trudy, _) = shared(&server, list.clone()).await;
    let create = |mutation, owner: &Who, input: Value, outcome| Create {
        mutation,
        takes_id: input.to_string().contains("$ID"),
        input,
        id_of: uuid,
        owner: owner.clone(),
        strangers: vec![
            ([mallory.clone(), trudy.clone()], outcome),
            ([NOBODY.to_owned(), NOBODY.to_owned()], Outcome::AsOthers),
        ],
    };
    let refused = Outcome::AsOthers;
    let mut new = json!({ "name": "N" });
    new.as_object_mut()
        .unwrap()
        .extend(list.as_object().unwrap().clone());
    let creates = vec![
        create("createShareable", &NOBODY.to_owned(), new, Outcome::Own),
        create(
            "addChecklistItem",
            &owner,
            json!({ "shortId": checklist, "name": "c", "itemId": "$ID" }),
            refused,
        ),
        create(
            "addChecklistItems",
            &owner,
            json!({ "shortId": checklist, "text": "d\ne", "batchId": "$ID" }),
            refused,
        ),
        create(
            "duplicateChecklistItem",
            &owner,
            json!({ "id": item, "itemId": "$ID" }),
            refused,
        ),
        create(
            "cloneShareable",
            &owner,
            json!({ "shortId": checklist }),
            refused,
        ),
        create(
            "addPollOption",
            &asker,
            json!({ "shortId": asked, "text": "c", "optionId": "$ID" }),
            refused,
        ),
        create(
            "inviteVoters",
            &asker,
            json!({ "shortId": asked, "names": ["Bob"] }),
            refused,
        ),
    ];
    (server, creates)
}
