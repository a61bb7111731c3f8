//! Random inputs: mostly right, some wrong, often at odds with what someone else just did.

use serde_json::{Value, json};
use uuid::Uuid;

use super::domain::{Application, Asked, STATUSES};
use trestle_testing::faults::Seeded;

const CATEGORIES: [&str; 3] = ["AI", "ENTERPRISE_SOFTWARE", "OTHER"];
const SOURCES: [&str; 3] = ["FRIEND", "COMPANY_WEBSITE", "OTHER"];
const COMPANIES: [&str; 4] = ["Visa", "VISION Labs", "Ünïcode", "a#b%23"];
const DAYS: [&str; 3] = ["2026-01-02", "2024-02-29", "2026-12-31"];

pub fn one<'a>(random: &mut Seeded, of: &[&'a str]) -> &'a str {
    of[random.below(of.len() as u64) as usize]
}

/// A list's filter, order and size.
pub fn question(random: &mut Seeded) -> (Value, &'static str, u64) {
    let mut filter = json!({ "archived": one(random, &["EXCLUDE", "ONLY", "INCLUDE"]) });
    let statuses = random.below(4);
    if statuses > 0 {
        let statuses: Vec<_> = (1..statuses).map(|_| one(random, &STATUSES)).collect();
        filter["statuses"] = json!(statuses);
    }
    match random.below(12) {
        0 => filter["companyCategories"] = json!([one(random, &CATEGORIES)]),
        1 => filter["jobSources"] = json!([one(random, &SOURCES)]),
        2 => filter["minSkillsMatch"] = json!(1 + random.below(5)),
        3 => filter["text"] = json!(one(random, &["vis", "ENGINEER", "ünï eng", "#"])),
        _ => {}
    }
    let order = one(random, &["UPDATED_AT_DESC", "UPDATED_AT_ASC"]);
    (filter, order, 1 + random.below(8))
}

/// A value for one field of an application; `None` to leave it out.
fn value(random: &mut Seeded, name: &str, marker: &str) -> Option<Value> {
    let link = |random: &mut Seeded| json!(format!("https://example.com/{}", random.below(50)));
    Some(match name {
        "companyName" => json!(one(random, &COMPANIES)),
        "positionTitle" => json!(one(random, &["Engineer", "Chief engineer of Vision"])),
        "status" => json!(one(random, &STATUSES)),
        "dateApplied" | "offerDueDate" => json!(one(random, &DAYS)),
        "companyUrl" | "jobPostingUrl" | "companyCareerUrl" => link(random),
        "companyCategory" => json!(one(random, &CATEGORIES)),
        "jobSource" => json!(one(random, &SOURCES)),
        // One in twelve is out of range.
        "skillsMatch" => json!(1 + random.below(12) % 6),
        "coverLetterRequired" => json!(random.below(2) == 0),
        "specialRequirements" => json!(format!("special {}", random.below(9))),
        "notes" => json!(marker),
        "salaryMin" | "salaryMax" => json!(random.below(6)),
        _ => return None,
    })
}

pub fn create(random: &mut Seeded, marker: &str) -> (String, Asked) {
    let id = Uuid::new_v4().to_string();
    let mut input = json!({ "id": id, "companyName": "Visa", "positionTitle": marker });
    for name in super::domain::DETAILS {
        if name != "positionTitle" && random.below(3) == 0 {
            input[name] = value(random, name, marker).unwrap_or_default();
        }
    }
    (id, asked("createApplication", input))
}

/// A row to import, which another client may be making just now.
pub fn import(random: &mut Seeded, marker: &str) -> (String, Asked) {
    let id = Uuid::new_v4().to_string();
    let input = json!({
        "id": id, "companyName": "Imported", "positionTitle": marker, "notes": marker,
        "isArchived": random.below(3) == 0,
    });
    (id, asked("import", input))
}

pub fn update(random: &mut Seeded, id: &str, marker: &str) -> Asked {
    let mut input = json!({ "id": id });
    if random.below(10) < 7 {
        input["notes"] = json!(marker);
    }
    for name in super::domain::DETAILS {
        match random.below(16) {
            0 => input[name] = Value::Null,
            1 | 2 => input[name] = value(random, name, marker).unwrap_or_default(),
            _ => {}
        }
    }
    // Names and the status cannot become empty; that is tried, but not often.
    for name in ["companyName", "positionTitle", "status"] {
        if input.get(name) == Some(&Value::Null) && random.below(4) > 0 {
            input.as_object_mut().unwrap().remove(name);
        }
    }
    asked("updateApplication", input)
}

pub fn add_stage(random: &mut Seeded, id: &str, marker: &str) -> Asked {
    let mut input = json!({ "applicationId": id, "stageId": Uuid::new_v4(), "name": marker });
    let more = stage_patch(random, marker);
    for (name, value) in more.as_object().unwrap() {
        if !value.is_null() {
            input[name] = value.clone();
        }
    }
    input["name"] = json!(marker);
    asked("addInterviewStage", input)
}

fn stage_patch(random: &mut Seeded, marker: &str) -> Value {
    let mut patch = json!({});
    for name in [
        "name",
        "order",
        "isCompleted",
        "completedDate",
        "notes",
        "performanceRating",
    ] {
        let value = match (random.below(8), name) {
            (0, "completedDate" | "notes" | "performanceRating") => Value::Null,
            (1 | 2, "order") => json!(random.below(6)),
            (1 | 2, "isCompleted") => json!(random.below(2) == 0),
            (1, "completedDate") => json!(one(random, &DAYS)),
            (1 | 2, "performanceRating") => json!(1 + random.below(12) % 6),
            (1..5, "notes" | "name") => json!(marker),
            _ => continue,
        };
        patch[name] = value;
    }
    patch
}

/// A change of one stage: its global id, and its own.
pub fn of_stage(
    random: &mut Seeded,
    name: &'static str,
    (global, own): (String, String),
    marker: &str,
) -> Asked {
    let mut input = match name {
        "updateInterviewStage" => stage_patch(random, marker),
        "completeInterviewStage" if random.below(2) == 0 => {
            json!({ "performanceRating": 1 + random.below(5) })
        }
        _ => json!({}),
    };
    input["id"] = json!(global);
    Asked {
        name,
        input,
        stages: vec![own],
    }
}

/// Another order of the stages that an application is known to have had.
pub fn reorder(
    random: &mut Seeded,
    id: &str,
    known: &Application,
    global: &[(String, String)],
) -> Asked {
    let mut stages: Vec<String> = known["interviewStages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["stageId"].as_str().unwrap().to_owned())
        .collect();
    if !stages.is_empty() {
        let by = random.below(stages.len() as u64) as usize;
        stages.rotate_left(by);
    }
    let named = |own: &String| global.iter().find(|(_, known)| known == own);
    let ids: Vec<_> = stages.iter().filter_map(named).map(|(id, _)| id).collect();
    let input = json!({ "applicationId": id, "stageIds": ids });
    Asked {
        name: "reorderInterviewStages",
        input,
        stages,
    }
}

pub fn asked(name: &'static str, input: Value) -> Asked {
    Asked {
        name,
        input,
        stages: Vec::new(),
    }
}
