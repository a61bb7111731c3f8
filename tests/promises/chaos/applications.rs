//! Applications of one owner: made, changed, deleted. Each change says something new, so that the version tells how often it
//! was done.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use trestle_testing::faults::Seeded;
use uuid::Uuid;

use super::watching::Watcher;
use super::world::World;

const SERVICE: &str = "applications";
/// Applications of a client, at most.
const MOST: usize = 60;
/// How many of them are changed at last, while their owner watches.
const WATCHED: usize = 8;

/// What was acknowledged of an application; `None` once it was deleted.
type Model = BTreeMap<String, Option<Acknowledged>>;

#[derive(Clone, Debug, Default)]
struct Acknowledged {
    version: u64,
    notes: Option<String>,
    stages: Vec<String>,
}

pub async fn client(world: Arc<World>, n: usize, mut random: Seeded) {
    let token = world.token(&format!("ada{n}"), &[]);
    let watcher = Watcher::default();
    tokio::select! {
        () = watcher.watch(&world, &token) => unreachable!("it goes on for good"),
        () = work(&world, &token, &mut random, &watcher) => {}
    }
}

async fn work(world: &World, token: &str, random: &mut Seeded, watcher: &Watcher) {
    let mut model = Model::new();
    while !world.is_enough() {
        step(world, token, random, &mut model).await;
    }
    world.until_settled().await;
    tell(world, token, &mut model, watcher).await;
    compare(world, token, &model).await;
}

/// Changes some applications again and again, until each change of them is told.
async fn tell(world: &World, token: &str, model: &mut Model, watcher: &Watcher) {
    let alive = model
        .iter_mut()
        .filter_map(|(id, one)| Some((id, one.as_mut()?)));
    let mut alive: Vec<_> = alive.take(WATCHED).collect();
    world
        .patiently("all changes are told", async {
            loop {
                for (id, one) in &mut alive {
                    update(world, token, id, one).await;
                }
                let wanted = alive.iter().map(|(id, one)| (id.as_str(), one.version));
                if watcher.are_told(wanted.collect()).await {
                    return;
                }
            }
        })
        .await;
}

async fn update(world: &World, token: &str, id: &str, one: &mut Acknowledged) {
    let notes = Uuid::new_v4().to_string();
    let input = json!({ "id": id, "notes": notes });
    world
        .done(SERVICE, token, "updateApplication", input, "")
        .await;
    one.notes = Some(notes);
    one.version += 1;
}

async fn step(world: &World, token: &str, random: &mut Seeded, model: &mut Model) {
    let alive: Vec<_> = model
        .iter()
        .filter(|(_, one)| one.is_some())
        .map(|(id, _)| id.clone())
        .collect();
    let draw = random.below(100);
    let is_new = alive.is_empty() || (draw < 30 && alive.len() < MOST);
    if is_new {
        let id = Uuid::new_v4().to_string();
        let input = json!({ "id": id, "companyName": "Acme", "positionTitle": "Engineer", "status": "APPLIED" });
        world
            .done(SERVICE, token, "createApplication", input, "")
            .await;
        model.insert(
            id,
            Some(Acknowledged {
                version: 1,
                ..Acknowledged::default()
            }),
        );
        return;
    }
    let id = &alive[random.below(alive.len() as u64) as usize];
    let known = model.get_mut(id).unwrap();
    let one = known.as_mut().unwrap();
    match draw {
        30..40 => {
            let document = super::world::document("deleteApplication", "");
            let input = json!({ "input": { "id": id } });
            let payload =
                world.ask(SERVICE, token, &document, input).await["deleteApplication"].clone();
            // Deleted by a try whose answer was lost.
            let is_gone = payload["userErrors"][0]["code"] == "NOT_FOUND";
            world.expect(
                id,
                &json!(payload["userErrors"] == json!([]) || is_gone),
                &json!(true),
            );
            world.acknowledge();
            *known = None;
        }
        40..55 if one.stages.len() < 5 => {
            let stage = Uuid::new_v4().to_string();
            let input = json!({ "applicationId": id, "stageId": stage, "name": stage });
            world
                .done(SERVICE, token, "addInterviewStage", input, "")
                .await;
            one.stages.push(stage);
            one.version += 1;
        }
        _ => update(world, token, id, one).await,
    }
}

async fn compare(world: &World, token: &str, model: &Model) {
    let query = "query($id: ID!) { application(id: $id) { version notes interviewStages { stageId } \
        history(first: 1) { totalCount edges { node { sequence } } } } }";
    for (id, known) in model {
        let data = world.ask(SERVICE, token, query, json!({ "id": id })).await;
        let expected = known.as_ref().map_or(Value::Null, |known| {
            let stages: Vec<_> = known.stages.iter().map(|id| json!({ "stageId": id })).collect();
            json!({
                "version": known.version, "notes": known.notes, "interviewStages": stages,
                "history": { "totalCount": known.version, "edges": [{ "node": { "sequence": known.version } }] },
            })
        });
        world.expect(id, &data["application"], &expected);
    }
    let alive = model.values().flatten().count();
    let query = "{ applicationStats { active } applications(first: 100) { totalCount edges { node { id } } } }";
    let data = world.ask(SERVICE, token, query, Value::Null).await;
    world.expect("active", &data["applicationStats"]["active"], &json!(alive));
    world.expect(
        "listed",
        &json!(data["applications"]["edges"].as_array().unwrap().len()),
        &json!(alive),
    );
}
