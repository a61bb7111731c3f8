//! Applications that a wrong clock wrote: reported at start, and corrected by a command.

use chrono::{DateTime, Utc};
use serde_json::json;
use trestle_applications::{ApplicationId, Applications, Scope, TABLE};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use crate::commands::run::Folder;
use crate::process::{Process, command};

const WARNING: &str = "trestle table mend-times";

/// Creates an application, archived or not, at a moment.
async fn create(folder: &Folder, at: DateTime<Utc>, company: &str, is_archived: bool) {
    let table = Table::new(folder.store(), &TABLE, "lambda_api_applications");
    let clock = Clock::new(move || at);
    let applications = Applications::new(table, Scope::Single, Meter::default(), clock);
    let rows = folder.file("rows.csv", &format!("company,title\n{company},Engineer\n"));
    folder.good(&["import", &rows]);
    let made = folder.exported();
    let made = made
        .iter()
        .find(|one| one["companyName"] == company)
        .unwrap();
    let id = ApplicationId::stored(made["id"].as_str().unwrap()).unwrap();
    // Changed twice, so that one of both changes something.
    applications
        .set_archived(&id, None, !is_archived)
        .await
        .unwrap();
    applications
        .set_archived(&id, None, is_archived)
        .await
        .unwrap();
}

async fn log_of_a_start(folder: &Folder) -> String {
    let mut serve = command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.env("TRESTLE_DATA", folder.data());
    Process::run(serve).await.stop().await.log
}

#[tokio::test]
async fn updates_in_the_future_are_reported_and_corrected() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let future = "9999-12-31T10:00:00Z".parse().unwrap();
    create(&folder, Utc::now(), "Present", false).await;
    assert!(!log_of_a_start(&folder).await.contains(WARNING));
    create(&folder, future, "Future", false).await;
    create(&folder, future, "Archived", true).await;
    assert!(log_of_a_start(&folder).await.contains(WARNING));

    let before = folder.exported();
    let corrected = folder.good(&["table", "mend-times"]).out;
    assert_eq!(corrected, "2 applications corrected\n");
    assert_eq!(
        folder.good(&["table", "mend-times"]).out,
        "0 applications corrected\n"
    );
    assert!(!log_of_a_start(&folder).await.contains(WARNING));

    let after = folder.exported();
    for (was, is) in before.iter().zip(&after) {
        let company = &is["companyName"];
        let year = &is["updatedAt"].as_str().unwrap()[..4];
        assert_ne!(year, "9999", "{company}");
        if company == "Present" {
            assert_eq!(was, is);
            continue;
        }
        let version = was["historySequence"].as_u64().unwrap() + 1;
        assert_eq!(is["historySequence"], version);
        let newest = is["history"].as_array().unwrap().last().unwrap();
        assert_eq!(newest["sequence"], version);
        assert_eq!(
            newest["description"],
            json!("Time of the last update corrected")
        );
        assert_eq!(newest["snapshot"]["updatedAt"], is["updatedAt"]);
    }
}
