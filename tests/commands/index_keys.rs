//! Index keys that contradict their application, as programs leave them that write the one and not the other.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::commands::run::{Folder, s};

const STORED: &str = "2026-11-20T09:30:00.000Z";
const OLDER: &str = "2026-11-19T09:30:00.000Z";

/// An application and its index keys, as they are stored.
#[derive(Clone, Copy, Debug)]
struct Stored {
    status: &'static str,
    is_archived: bool,
    /// GSI1PK, if it is there.
    by_status: Option<&'static str>,
    /// The moment in GSI1SK, if it is there.
    updated: Option<&'static str>,
    /// The moment in GSI2SK, if the application is in GSI2.
    active: Option<&'static str>,
}

impl Stored {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (status, is_archived) in [("applied", false), ("rejected", false), ("applied", true)] {
            for by_status in [
                Some("STATUS#applied#ARCHIVED#0"),
                Some("STATUS#applied#ARCHIVED#1"),
                Some("STATUS#rejected#ARCHIVED#0"),
                None,
            ] {
                for updated in [Some(STORED), Some(OLDER), None] {
                    for active in [Some(STORED), Some(OLDER), None] {
                        all.push(Self {
                            status,
                            is_archived,
                            by_status,
                            updated,
                            active,
                        });
                    }
                }
            }
        }
        all
    }

    fn is_right(&self) -> bool {
        let archived = i32::from(self.is_archived);
        let by_status = format!("STATUS#{}#ARCHIVED#{archived}", self.status);
        let active = (!self.is_archived).then_some(STORED);
        self.by_status == Some(by_status.as_str())
            && self.updated == Some(STORED)
            && self.active == active
    }

    async fn write(&self, folder: &Folder, id: &str) {
        let key = s(&format!("APP#{id}"));
        let place = |moment: &str| s(&format!("UPDATED#{moment}#{id}"));
        let archived = AttributeValue::Bool(self.is_archived);
        let attributes = [
            ("PK", Some(key.clone())),
            ("SK", Some(key)),
            ("id", Some(s(id))),
            ("companyName", Some(s("Visa"))),
            ("positionTitle", Some(s("Engineer"))),
            ("status", Some(s(self.status))),
            ("isArchived", Some(archived)),
            ("createdAt", Some(s(STORED))),
            ("updatedAt", Some(s(STORED))),
            ("GSI1PK", self.by_status.map(s)),
            ("GSI1SK", self.updated.map(place)),
            ("GSI2PK", self.active.map(|_| s("ACTIVE"))),
            ("GSI2SK", self.active.map(place)),
        ];
        let item = attributes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let put = folder.store().put_item();
        let put = put.table_name("lambda_api_applications");
        let put = put.set_item(Some(item.collect()));
        put.send().await.unwrap();
    }
}

/// Each application with each state of its index keys, those without any included.
#[tokio::test]
async fn index_keys_that_contradict_their_application_are_reported_and_corrected() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let all = Stored::all();
    for (at, stored) in all.iter().enumerate() {
        let id = format!("6f6a3c1e-0000-4000-8000-{at:012}");
        stored.write(&folder, &id).await;
    }
    let wrong = all.iter().filter(|stored| !stored.is_right()).count();
    assert_eq!((all.len(), wrong), (108, 105));
    let checked = folder.good(&["table", "check"]).out;
    assert_eq!(checked.matches("contradict").count(), 10, "{checked}");
    let more = format!("so do those of {} more", wrong - 10);
    assert!(checked.contains(&more), "{checked}");
    // Nothing is corrected unasked.
    assert_eq!(folder.good(&["table", "check"]).out, checked);

    let fixed = folder.good(&["table", "check", "--fix"]).out;
    let said = format!("the index keys of {wrong} applications are corrected");
    assert!(fixed.contains(&said), "{fixed}");
    folder.good(&["table", "recount"]);
    let checked = folder.good(&["table", "check"]).out;
    assert_eq!(checked, "lambda_api_applications: good\n");
    assert_eq!(folder.exported().len(), all.len());
    let active = all.iter().filter(|stored| !stored.is_archived).count();
    assert_eq!(usize::try_from(folder.count().await), Ok(active));
}
