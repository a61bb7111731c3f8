//! Each owner's calendar has an address of its own.

use serde_json::{Value, json};
use trestle_applications::Tenancy;

use crate::tenancy::world::{UNLIMITED, Who, World, secret};

async fn changed(world: &World, who: Who, name: &str) -> Value {
    let document = match name {
        "revokeCalendarAddress" => {
            format!("mutation {{ {name}(input: {{}}) {{ userErrors {{ code }} }} }}")
        }
        _ => format!("mutation {{ {name}(input: {{}}) {{ path userErrors {{ code }} }} }}"),
    };
    world.data(who, &document, json!({})).await[name].clone()
}

async fn made(world: &World, who: Who, name: &str) -> String {
    let made = changed(world, who, name).await;
    assert_eq!(made["userErrors"], json!([]), "{who:?}");
    made["path"].as_str().expect("a path").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_leads_to_its_owners_agenda_whoever_asks() {
    let world = World::start().await;
    world.thing(Who::Alice).await;
    world.thing(Who::Bob).await;
    let alices = made(&world, Who::Alice, "createCalendarAddress").await;
    let bobs = made(&world, Who::Bob, "createCalendarAddress").await;
    let has = async |path: &str, of: Who| {
        for who in Who::ALL {
            let (status, text) = world.get(who, path).await;
            assert_eq!(status, 200, "{who:?}");
            for other in [Who::Alice, Who::Bob] {
                assert_eq!(text.contains(&secret(other)), other == of, "{who:?} {of:?}");
            }
        }
    };
    has(&alices, Who::Alice).await;
    has(&bobs, Who::Bob).await;
    let revoked = changed(&world, Who::Alice, "revokeCalendarAddress").await;
    assert_eq!(revoked["userErrors"], json!([]));
    assert_eq!(world.get(Who::Alice, &alices).await.0, 404);
    assert_eq!(world.get(Who::Bob, &bobs).await.0, 200);
    let again = changed(&world, Who::Alice, "revokeCalendarAddress").await;
    assert_eq!(again["userErrors"], json!([{ "code": "NOT_FOUND" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_owners_has_one_address() {
    let world = World::of(Tenancy::Single, UNLIMITED).await;
    world.thing(Who::Alice).await;
    let path = made(&world, Who::Alice, "createCalendarAddress").await;
    let again = changed(&world, Who::Bob, "createCalendarAddress").await;
    assert_eq!(again["userErrors"], json!([{ "code": "CONFLICT" }]));
    let (status, text) = world.get(Who::Bob, &path).await;
    assert_eq!(status, 200);
    assert!(text.contains(&secret(Who::Alice)));
    let other = made(&world, Who::Bob, "renewCalendarAddress").await;
    assert_eq!(world.get(Who::Alice, &path).await.0, 404);
    assert_eq!(world.get(Who::Alice, &other).await.0, 200);
}
