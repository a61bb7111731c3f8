//! Rows as other programs may leave them: each attribute missing, of another type or spelling, items more, and gaps.

use aws_sdk_dynamodb::types::AttributeValue::{self, Bool, L, M, N, Null};

use crate::ask::{Item, number, text};

/// Which item of the partition a row changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Where {
    Application,
    Stage,
    Entry,
    Snapshot,
}

/// What a row changes.
#[derive(Clone, Debug)]
pub enum What {
    /// An attribute has this value, or is missing.
    Attribute(Where, &'static str, Option<AttributeValue>),
    /// There is an item more, at this sort key.
    More(&'static str),
    /// An item is missing.
    Gap(&'static str),
}

const OF_APPLICATIONS: [&str; 24] = [
    "id",
    "companyName",
    "positionTitle",
    "status",
    "dateApplied",
    "offerDueDate",
    "companyUrl",
    "jobPostingUrl",
    "companyCareerUrl",
    "companyCategory",
    "jobSource",
    "skillsMatch",
    "coverLetterRequired",
    "specialRequirements",
    "notes",
    "salaryMin",
    "salaryMax",
    "isArchived",
    "historySequence",
    "createdAt",
    "updatedAt",
    "statusSince",
    "GSI2SK",
    "theirs",
];
const OF_STAGES: [&str; 8] = [
    "id",
    "applicationId",
    "name",
    "order",
    "isCompleted",
    "completedDate",
    "notes",
    "performanceRating",
];
const OF_ENTRIES: [&str; 6] = [
    "id",
    "applicationId",
    "sequence",
    "description",
    "snapshot",
    "createdAt",
];
const OF_SNAPSHOTS: [&str; 7] = [
    "id",
    "companyName",
    "status",
    "isArchived",
    "historySequence",
    "updatedAt",
    "interviewStages",
];

/// Missing, of other types, and spelled otherwise.
fn values(attribute: &'static str) -> Vec<Option<AttributeValue>> {
    let spelled = match attribute {
        "status" | "companyCategory" | "jobSource" => text("Applied"),
        "skillsMatch" | "salaryMin" | "salaryMax" | "historySequence" | "order" => text("3"),
        "isArchived" | "coverLetterRequired" | "isCompleted" => text("false"),
        "createdAt" | "updatedAt" | "statusSince" => text("2026-11-20 09:30"),
        _ => text(" An Odd TEXT "),
    };
    // Keys of an index are texts.
    if attribute.starts_with("GSI") {
        return vec![None, Some(text("elsewhere"))];
    }
    vec![
        None,
        Some(Null(true)),
        Some(spelled),
        Some(N("-3.5".to_owned())),
        Some(Bool(true)),
        Some(L(vec![text("a"), M(Item::new())])),
    ]
}

pub fn rows() -> Vec<Vec<What>> {
    let mut rows = Vec::new();
    for (place, attributes) in [
        (Where::Application, &OF_APPLICATIONS[..]),
        (Where::Stage, &OF_STAGES),
        (Where::Entry, &OF_ENTRIES),
        (Where::Snapshot, &OF_SNAPSHOTS),
    ] {
        for attribute in attributes {
            let odd = values(attribute).into_iter();
            rows.extend(odd.map(|value| vec![What::Attribute(place, attribute, value)]));
        }
    }
    let more = [
        "v1",
        "TASK#1",
        "COMMENT#1",
        "NOTE#1",
        "HIST#9",
        "HIST#last",
        "STAGE#",
        "META",
        "APP#other",
        "app#x",
    ];
    rows.extend(more.map(|key| vec![What::More(key)]));
    rows.extend(
        ["HIST#00000001", "HIST#00000002", "HIST#00000003"].map(|key| vec![What::Gap(key)]),
    );
    let salaries = |of: Where| What::Attribute(of, "salaryMin", Some(number(123_456)));
    rows.push(vec![salaries(Where::Application)]);
    rows.push(vec![salaries(Where::Snapshot)]);
    rows.push(vec![What::Attribute(
        Where::Application,
        "historySequence",
        Some(number(1)),
    )]);
    rows.push(vec![What::Attribute(
        Where::Application,
        "historySequence",
        Some(number(9)),
    )]);
    rows.push(vec![
        What::Attribute(Where::Application, "historySequence", None),
        What::Gap("HIST#00000003"),
    ]);
    rows
}
