//! Partitions without their application, in every combination of items: what bears our mark is cleaned up, and nothing
//! else is deleted, hidden or mixed with something new.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Value, json};
use trestle_applications::{
    ApplicationId, Change, DetailsChange, Import, Imported, NewRow, Record,
};

use crate::invariants::items;
use crate::world::{ATTEMPTS, Outcome, World};

/// Sort keys that stand before and after the application's, of ours and of other programs.
const LEFT: [&str; 6] = [
    "!",
    "HIST#00000001",
    "HIST#00000007",
    "NOTE#1",
    "STAGE#left",
    "TRESTLE#CONTACTS",
];
const FIRST: &str = "HIST#00000001";
const MARK: &str = "restoring";
/// More history entries than a transaction has room for.
const LONG: usize = 105;

/// Every set of these items but the empty one.
fn sets() -> impl Iterator<Item = Vec<&'static str>> {
    (1..1_u32 << LEFT.len()).map(|bits| {
        let keys = LEFT.iter().enumerate();
        let chosen = keys.filter(|(at, _)| bits & (1 << at) != 0);
        chosen.map(|(_, key)| *key).collect()
    })
}

async fn put(world: &World, id: &str, sort_key: &str, mark: Option<&str>) {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let put = world.plain.put_item().table_name(&world.api.table);
    let put = put
        .item("PK", text(&format!("APP#{id}")))
        .item("SK", text(sort_key))
        .item("theirs", text("kept"));
    let put = match mark {
        Some(mark) => put.item(MARK, text(mark)),
        None => put,
    };
    put.send().await.unwrap();
}

async fn partition(world: &World, id: &str) -> Vec<Map<String, Value>> {
    items(world, None, &format!("APP#{id}")).await
}

/// Whole records of an application, short and long, as lines of an export.
async fn lines() -> [Value; 2] {
    let line = async |entries: usize| {
        let world = World::start(ATTEMPTS).await;
        let id = world.application(json!({})).await;
        for i in 1..entries {
            let input = json!({ "id": id, "notes": i.to_string() });
            world.mutate("updateApplication", input).await.done();
        }
        let exported = world.applications().export(1, None).await.unwrap();
        let record = exported.into_iter().next().unwrap().1.unwrap().unwrap();
        serde_json::to_value(record).unwrap()
    };
    [line(2).await, line(LONG).await]
}

/// The records of these lines with another id.
fn records(lines: &[Value; 2], id: &str) -> [Record; 2] {
    lines.each_ref().map(|line| {
        let former = line["id"].as_str().unwrap();
        let line = line.to_string().replace(former, id);
        let record: Record = serde_json::from_str(&line).unwrap();
        record.keyed().unwrap()
    })
}

/// Everything that makes or removes an application of the id. Each answers why it was refused.
async fn refusals(world: &World, id: &str, records: &[Record; 2]) -> Vec<(&'static str, String)> {
    let new = json!({ "companyName": "Visa", "positionTitle": "Engineer", "id": id });
    let code = |outcome: Outcome| match outcome {
        Outcome::Refused(codes, _) => codes.join(" "),
        other => format!("{other:?}"),
    };
    let mut refusals = Vec::new();
    for (name, input) in [
        ("deleteApplication", json!({ "id": id })),
        ("updateApplication", json!({ "id": id, "notes": "n" })),
        ("createApplication", new.clone()),
    ] {
        refusals.push((name, code(world.mutate(name, input).await)));
    }
    let results = "results { userErrors { code } }";
    for (name, input, selected) in [
        ("deleteApplications", json!({ "ids": [id] }), results),
        (
            "createApplications",
            json!({ "applications": [new] }),
            results,
        ),
        (
            "importApplications",
            json!({ "rows": [{ "application": new }] }),
            "rows { userErrors { code } }",
        ),
    ] {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let document =
            format!("mutation($input: {kind}!) {{ {name}(input: $input) {{ {selected} }} }}");
        let data = world.api.data(&document, json!({ "input": input })).await;
        let list = data[name].as_object().unwrap().values().next().unwrap();
        let errors = &list[0]["userErrors"];
        refusals.push((
            name,
            errors[0]["code"].as_str().unwrap_or("done").to_owned(),
        ));
    }
    let applications = world.applications();
    let outcome = |imported: Vec<Imported>| match imported.as_slice() {
        [Imported::Leftovers(found)] => format!("leftovers: {found}"),
        other => format!("{other:?}"),
    };
    for record in records {
        for import in [Import::Try, Import::Write] {
            let imported = applications.import_records(vec![record.clone()], import);
            refusals.push(("import", outcome(imported.await.unwrap())));
        }
    }
    let row = NewRow {
        id: ApplicationId::stored(id).unwrap(),
        fields: DetailsChange {
            company_name: Change::Set("Visa".to_owned()),
            position_title: Change::Set("Engineer".to_owned()),
            ..DetailsChange::default()
        },
        is_archived: false,
    };
    let mut last = None;
    let imported = applications.import_rows(vec![row], Import::Write, None, &mut last);
    refusals.push(("import", outcome(imported.await.unwrap())));
    refusals
}

#[tokio::test(flavor = "multi_thread")]
async fn what_bears_no_mark_is_left_as_it_is() {
    let (world, lines) = (World::start(ATTEMPTS).await, lines().await);
    for set in sets() {
        let id = uuid::Uuid::new_v4().to_string();
        let records = records(&lines, &id);
        for key in &set {
            put(&world, &id, key, None).await;
        }
        let before = partition(&world, &id).await;
        for (name, refusal) in refusals(&world, &id, &records).await {
            let expected = match name {
                "import" => {
                    let named: Vec<_> = set.iter().take(5).copied().collect();
                    let more = if set.len() > 5 { " and more" } else { "" };
                    format!("leftovers: {}{more}", named.join(", "))
                }
                "createApplication" | "createApplications" | "importApplications" => {
                    "CONFLICT".to_owned()
                }
                _ => "NOT_FOUND".to_owned(),
            };
            assert_eq!(refusal, expected, "{set:?}: {name}");
            assert_eq!(partition(&world, &id).await, before, "{set:?}: {name}");
        }
        // Only who is asked for it by name deletes it.
        let applications = world.applications();
        let id = ApplicationId::stored(&id).unwrap();
        let deleted = applications.delete_leftovers(&id).await.unwrap().unwrap();
        assert_eq!(
            deleted.sort_keys.first().map(String::as_str),
            set.first().copied()
        );
        assert_eq!(applications.delete_leftovers(&id).await.unwrap(), None);
        assert!(partition(&world, id.as_str()).await.is_empty(), "{set:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_bears_our_mark_is_finished() {
    let (world, lines) = (World::start(ATTEMPTS).await, lines().await);
    for set in sets().filter(|set| set.contains(&FIRST)) {
        let id = uuid::Uuid::new_v4().to_string();
        let records = records(&lines, &id);
        let interrupted = async || {
            for key in &set {
                let mark = (*key == FIRST).then_some("somebody");
                put(&world, &id, key, mark).await;
            }
        };
        interrupted().await;
        let create = json!({ "companyName": "Visa", "positionTitle": "Engineer", "id": id });
        let (codes, _) = world.mutate("createApplication", create).await.refused();
        assert_eq!(codes, ["CONFLICT"], "{set:?}");
        let delete = || world.mutate("deleteApplication", json!({ "id": id }));
        delete().await.done();
        assert!(partition(&world, &id).await.is_empty(), "{set:?}");
        assert_eq!(delete().await.refused().0, ["NOT_FOUND"], "{set:?}");
        for record in records {
            interrupted().await;
            let applications = world.applications();
            let imported = applications.import_records(vec![record.clone()], Import::Write);
            assert_eq!(imported.await.unwrap(), [Imported::Created], "{set:?}");
            let left = partition(&world, &id).await;
            assert!(
                !left.iter().any(|item| item.contains_key("theirs")),
                "{set:?}"
            );
            delete().await.done();
            assert!(partition(&world, &id).await.is_empty(), "{set:?}");
        }
    }
}

/// A delete or a restore that is interrupted is listed until it is finished.
#[tokio::test(flavor = "multi_thread")]
async fn unfinished_work_is_listed_until_it_is_finished() {
    use trestle_testing::faults::Fault;
    let world = World::start(ATTEMPTS).await;
    let applications = world.applications();
    let id = world.application(json!({})).await;
    let lost = std::iter::repeat_n(Some(Fault::LostRequest), ATTEMPTS as usize);
    let passing = std::iter::once(None);
    world.faults.next("TransactWriteItems", passing.chain(lost));
    let failed = world.mutate("deleteApplication", json!({ "id": id })).await;
    assert!(matches!(failed, Outcome::Failed(_)), "{failed:?}");
    world.faults.stop();
    let listed = applications.unfinished().await.unwrap();
    let listed: Vec<_> = listed.iter().map(ApplicationId::as_str).collect();
    assert_eq!(listed, [id.as_str()]);
    let stored = ApplicationId::stored(&id).unwrap();
    assert_eq!(applications.leftovers(&stored).await.unwrap(), None);
    world
        .mutate("deleteApplication", json!({ "id": id }))
        .await
        .done();
    assert_eq!(applications.unfinished().await.unwrap(), []);
}
