//! The domain told plainly a second time: what an application is, as the API answers it, and what each call
//! makes of it. Knows no versions but the one it is given, no storage and no faults.

use serde_json::{Map, Value, json};

/// The day on which everything happens, by the clock that the servers have.
pub const TODAY: &str = "2026-11-20";
pub const STATUSES: [&str; 8] = [
    "UNSUBMITTED",
    "APPLIED",
    "REJECTED",
    "INTERVIEWING",
    "GIVEN_OFFER",
    "ACCEPTED_OFFER",
    "DECLINED_OFFER",
    "NO_OFFER",
];
pub const DETAILS: [&str; 16] = [
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
];
const STAGE: [&str; 6] = [
    "name",
    "order",
    "isCompleted",
    "completedDate",
    "notes",
    "performanceRating",
];

/// Its details, `isArchived`, and `interviewStages` by their order, each with its `stageId`.
pub type Application = Map<String, Value>;

/// What a call asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The mutation's name, or `import`.
    pub name: &'static str,
    pub input: Value,
    /// The stages that it names, by their own ids.
    pub stages: Vec<String>,
}

/// The codes of what is wrong with a call.
pub type Refusal = Vec<&'static str>;

/// An application that is there, at a version, with what it was before.
#[derive(Clone, Copy)]
pub struct There<'a> {
    pub version: u64,
    pub now: &'a Application,
    /// By version, from 1; `None` where it is not known.
    pub earlier: &'a dyn Fn(u64) -> Option<&'a Application>,
}

fn refused(code: &'static str) -> Result<Application, Refusal> {
    Err(vec![code])
}

/// What `asked` makes of an application; of one that is not there, for `None`. `None` where what it goes
/// back to is not known.
pub fn apply(asked: &Asked, there: Option<There>) -> Option<Result<Application, Refusal>> {
    let (name, input) = (asked.name, &asked.input);
    let Some(there) = there else {
        return Some(match name {
            "createApplication" | "import" => created(input),
            _ => refused("NOT_FOUND"),
        });
    };
    let expected = input["expectedVersion"].as_u64();
    let overtaken = expected.is_some_and(|expected| expected != there.version);
    let made = match name {
        "createApplication" | "import" => {
            // Sent again, it is compared with what was made at first.
            let first = (there.earlier)(1)?;
            return Some(match created(input) {
                Ok(made) if name == "createApplication" && details(&made) == details(first) => {
                    Ok(there.now.clone())
                }
                Ok(_) => refused("CONFLICT"),
                Err(refusal) => Err(refusal),
            });
        }
        // It makes no entry.
        "deleteApplication" => return Some(refused(if overtaken { "CONFLICT" } else { "GONE" })),
        "restoreApplication" => match input["sequence"].as_u64() {
            Some(sequence) if (1..=there.version).contains(&sequence) => {
                Ok((there.earlier)(sequence)?.clone())
            }
            _ => return Some(refused("NOT_FOUND")),
        },
        "addInterviewStage" => {
            let added = add_stage(there.now, input);
            if overtaken && added.as_ref() == Ok(there.now) {
                return Some(added);
            }
            added
        }
        _ => changed(asked, there.now),
    };
    Some(if overtaken { refused("CONFLICT") } else { made })
}

fn changed(asked: &Asked, now: &Application) -> Result<Application, Refusal> {
    let archived = |archived: bool| {
        let mut next = now.clone();
        next.insert("isArchived".to_owned(), json!(archived));
        Ok(next)
    };
    match asked.name {
        "updateApplication" => patched(now.clone(), &asked.input),
        "archiveApplication" => archived(true),
        "unarchiveApplication" => archived(false),
        "reorderInterviewStages" => reorder(now, &asked.stages),
        name => {
            let mut stages = stages(now);
            let place = stages
                .iter()
                .position(|stage| stage["stageId"] == *asked.stages[0]);
            let Some(place) = place else {
                return refused("NOT_FOUND");
            };
            match name {
                "removeInterviewStage" => drop(stages.remove(place)),
                "completeInterviewStage" => {
                    let mut patch = asked.input.clone();
                    patch["isCompleted"] = json!(true);
                    stages[place] = patched_stage(stages[place].clone(), &patch)?;
                }
                "updateInterviewStage" => {
                    stages[place] = patched_stage(stages[place].clone(), &asked.input)?;
                }
                other => panic!("no such mutation: {other}"),
            }
            Ok(with_stages(now, stages))
        }
    }
}

fn details(application: &Application) -> Application {
    let mut details = application.clone();
    details.retain(|name, _| DETAILS.contains(&name.as_str()));
    details
}

fn created(input: &Value) -> Result<Application, Refusal> {
    let nothing = DETAILS.map(|name| (name.to_owned(), Value::Null));
    let mut blank: Application = nothing.into_iter().collect();
    blank.insert("status".to_owned(), json!("UNSUBMITTED"));
    blank.insert("interviewStages".to_owned(), json!([]));
    let archived = input["isArchived"] == true;
    blank.insert("isArchived".to_owned(), json!(archived));
    patched(blank, input)
}

/// What each rule says of the fields of `input`, over the fields that were there. A field that is refused by
/// itself takes no part in the rules between fields. Only setting the status or the date itself changes the date of
/// the application.
fn patched(mut next: Application, input: &Value) -> Result<Application, Refusal> {
    let was_unsubmitted = next["status"] == "UNSUBMITTED";
    let mut refusal = Vec::new();
    let mut unread = Vec::new();
    for name in DETAILS {
        let Some(value) = input.get(name) else {
            continue;
        };
        let required = ["companyName", "positionTitle", "status"].contains(&name);
        let outside =
            |least: i64, most: i64| value.as_i64().is_some_and(|n| !(least..=most).contains(&n));
        if required && value.is_null() {
            refusal.push("REQUIRED");
            unread.push(name);
        } else if (name == "skillsMatch" && outside(1, 5))
            || (name.starts_with("salary") && outside(0, (1 << 53) - 1))
        {
            refusal.push("OUT_OF_RANGE");
            unread.push(name);
        } else {
            next.insert(name.to_owned(), value.clone());
        }
    }
    if let (Some(min), Some(max)) = (next["salaryMin"].as_i64(), next["salaryMax"].as_i64())
        && min > max
        && !unread.iter().any(|name| name.starts_with("salary"))
    {
        refusal.push("INVALID");
    }
    let sets_status = input["status"].is_string() && input.get("dateApplied").is_none();
    if sets_status && next["status"] == "UNSUBMITTED" {
        next.insert("dateApplied".to_owned(), Value::Null);
    } else if sets_status && was_unsubmitted && next["dateApplied"].is_null() {
        next.insert("dateApplied".to_owned(), json!(TODAY));
    }
    if refusal.is_empty() {
        Ok(next)
    } else {
        Err(refusal)
    }
}

fn stages(application: &Application) -> Vec<Value> {
    application["interviewStages"].as_array().unwrap().clone()
}

fn with_stages(application: &Application, mut stages: Vec<Value>) -> Application {
    stages.sort_by_key(|stage| {
        let id = stage["stageId"].as_str().unwrap().to_owned();
        (stage["order"].as_u64(), id)
    });
    let mut next = application.clone();
    next.insert("interviewStages".to_owned(), Value::Array(stages));
    next
}

fn add_stage(now: &Application, input: &Value) -> Result<Application, Refusal> {
    let mut stages = stages(now);
    let there = stages
        .iter()
        .find(|stage| stage["stageId"] == input["stageId"]);
    let last = stages
        .iter()
        .filter_map(|stage| stage["order"].as_u64())
        .max();
    let mut stage = json!({
        "stageId": input["stageId"], "order": last.map_or(0, |last| last + 1), "isCompleted": false,
        "completedDate": null, "notes": null, "performanceRating": null,
    });
    let mut patch = input.clone();
    if let Some(there) = there {
        stage["order"] = there["order"].clone();
        if patch["isCompleted"] == true && patch["completedDate"].is_null() {
            patch["completedDate"] = there["completedDate"].clone();
        }
    }
    let stage = patched_stage(stage, &patch)?;
    match there {
        Some(there) if *there == stage => Ok(now.clone()),
        Some(_) => refused("CONFLICT"),
        None if stages.len() == 30 => refused("LIMIT_REACHED"),
        None => {
            // Those from its order on give way, up to the first gap.
            let mut least = stage["order"].as_u64().unwrap();
            let own = least;
            for other in &mut stages {
                let order = other["order"].as_u64().unwrap();
                if order >= own && order <= least {
                    least += 1;
                    other["order"] = json!(least);
                }
            }
            stages.push(stage);
            Ok(with_stages(now, stages))
        }
    }
}

fn patched_stage(stage: Value, patch: &Value) -> Result<Value, Refusal> {
    let mut next = stage.clone();
    for name in STAGE {
        if let Some(value) = patch.get(name) {
            next[name] = value.clone();
        }
    }
    let rating = next["performanceRating"].as_i64();
    if rating.is_some_and(|rating| !(1..=5).contains(&rating)) {
        return Err(vec!["OUT_OF_RANGE"]);
    }
    if next["isCompleted"] == true {
        if next["completedDate"].is_null() {
            next["completedDate"] = json!(TODAY);
        }
    } else if stage["isCompleted"] == true && !patch["completedDate"].is_string() {
        next["completedDate"] = Value::Null;
    }
    Ok(next)
}

fn reorder(now: &Application, ids: &[String]) -> Result<Application, Refusal> {
    let mut stages = stages(now);
    let is_known = |id: &String| stages.iter().any(|stage| stage["stageId"] == **id);
    if !ids.iter().all(is_known) {
        return refused("NOT_FOUND");
    }
    if stages.len() != ids.len() {
        return refused("INVALID");
    }
    for stage in &mut stages {
        let Some(place) = ids.iter().position(|id| stage["stageId"] == **id) else {
            return refused("INVALID");
        };
        stage["order"] = json!(place);
    }
    Ok(with_stages(now, stages))
}

/// A text as a search compares it: without case and without the accents that occur here.
fn folded(text: &Value) -> String {
    let lower = text.as_str().unwrap_or_default().to_lowercase();
    lower.replace('ü', "u").replace('ï', "i")
}

/// Whether a filter's list has an application, by the schema's description of the filter.
pub fn is_in(filter: &Value, application: &Application) -> bool {
    let named = |list: &str, field: &str| {
        let list = filter[list].as_array().filter(|list| !list.is_empty());
        list.is_none_or(|list| list.contains(&application[field]))
    };
    let archived = match filter["archived"].as_str() {
        Some("INCLUDE") => true,
        asked => application["isArchived"] == (asked == Some("ONLY")),
    };
    let least = filter["minSkillsMatch"].as_i64().unwrap_or(0);
    let words = folded(&filter["text"]);
    let texts = [
        "companyName",
        "positionTitle",
        "specialRequirements",
        "notes",
        "nextAction",
        "companyUrl",
        "jobPostingUrl",
        "companyCareerUrl",
        "location",
        "postingText",
    ];
    let texts = texts.iter().filter_map(|field| application.get(*field));
    let tags = application.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten();
    let texts: Vec<String> = texts.chain(tags).map(folded).collect();
    let has = |word: &str| texts.iter().any(|text| text.contains(word));
    archived
        && named("statuses", "status")
        && named("companyCategories", "companyCategory")
        && named("jobSources", "jobSource")
        && application["skillsMatch"].as_i64().unwrap_or(0) >= least
        && words.split_whitespace().all(has)
}
