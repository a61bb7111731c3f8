//! A create says which applications are to the same job posting already.

use serde_json::{Value, json};

use crate::ask::{errors, named, start, text, with};
use crate::support::Api;

const CREATE: &str = "mutation($input: CreateApplicationInput!) { createApplication(input: $input) {
  application { id } alreadyTracked { id companyName isArchived history(first: 1) { edges { node { sequence } } } }
  userErrors { code field } } }";

fn posted(company: &str, posting: &str) -> Value {
    with(named(company), json!({ "jobPostingUrl": posting }))
}

async fn created(api: &Api, input: Value) -> Value {
    let data = api.data(CREATE, json!({ "input": input })).await;
    data["createApplication"].clone()
}

fn ids(tracked: &Value) -> Vec<Value> {
    let tracked = tracked["alreadyTracked"].as_array().unwrap();
    tracked.iter().map(|other| other["id"].clone()).collect()
}

#[tokio::test]
async fn a_create_says_which_applications_are_to_the_same_posting() {
    let (api, hands) = start().await;
    let posting = "https://acme.example/jobs/1";
    let first = created(&api, posted("Acme", posting)).await;
    assert_eq!(first["alreadyTracked"], json!([]));
    let first = first["application"]["id"].clone();
    api.mutate("archiveApplication", json!({ "id": first }))
        .await;
    hands.go(1_000);
    let spelled = created(&api, posted("Acme Inc", "http://acme.example/jobs/1/")).await;
    assert_eq!(ids(&spelled), std::slice::from_ref(&first));
    assert_eq!(spelled["alreadyTracked"][0]["isArchived"], true);
    let history = &spelled["alreadyTracked"][0]["history"]["edges"];
    assert_eq!(history[0]["node"]["sequence"], 2);
    assert_eq!(spelled["userErrors"], json!([]));
    let second = spelled["application"]["id"].clone();
    hands.go(1_000);
    let third = created(&api, posted("Acme", posting)).await;
    assert_eq!(ids(&third), [first, second]);

    let other = created(&api, posted("Acme", "https://acme.example/jobs/2")).await;
    assert_eq!(other["alreadyTracked"], json!([]));
    let unlinked = created(&api, named("Borel")).await;
    assert_eq!(unlinked["alreadyTracked"], json!([]));
}

#[tokio::test]
async fn without_a_posting_company_and_position_say_which_job_it_is() {
    let (api, hands) = start().await;
    let first = created(&api, posted("Zknown GmbH", "https://zknown.example/1")).await;
    hands.go(1_000);
    let unlinked = created(&api, named("zknown")).await;
    assert_eq!(ids(&unlinked), [first["application"]["id"].clone()]);
    // Two postings are two jobs, and one posting is one in every spelling.
    let spellings = "www.ZKNOWN.example/1/?utm_source=mail&fbclid=1#apply";
    let found = created(&api, posted("Other", spellings)).await;
    assert_eq!(ids(&found), ids(&unlinked));
    let second = created(&api, posted("Zknown AG", "https://zknown.example/2")).await;
    assert_eq!(ids(&second), [unlinked["application"]["id"].clone()]);
    let read = api.read(found["application"]["id"].as_str().unwrap()).await;
    assert_eq!(read["jobPostingUrl"], "https://www.ZKNOWN.example/1/#apply");
    for spelling in [
        "zknown.example/1",
        "HTTP://zknown.example/1/?gclid=2",
        spellings,
    ] {
        let filter = json!({ "jobPostingUrls": [spelling] });
        assert_eq!(api.listed(filter).await.len(), 2, "{spelling}");
    }
}

#[tokio::test]
async fn a_repeated_create_does_not_name_itself_and_a_rejected_one_names_nothing() {
    let (api, _) = start().await;
    let id = "7c0ee6f1-4a3f-4d3c-9c57-4a7a1d1b8e55";
    let input = with(
        posted("Acme", "https://acme.example/jobs/1"),
        json!({ "id": id }),
    );
    for _ in 0..2 {
        let made = created(&api, input.clone()).await;
        assert_eq!(made["application"]["id"], id);
        assert_eq!(made["alreadyTracked"], json!([]));
    }
    for rejected in [
        with(input, json!({ "companyName": "Other" })),
        posted("", "https://acme.example/jobs/1"),
    ] {
        let made = created(&api, rejected).await;
        assert_ne!(made["userErrors"], json!([]));
        assert_eq!(made["alreadyTracked"], Value::Null);
    }
    let refused = api.refused("createApplication", posted("Acme", "nothing"));
    assert_eq!(refused.await, errors(&[("INVALID", "jobPostingUrl")]));
}

#[tokio::test]
async fn a_link_that_another_program_stored_without_a_scheme_is_the_same() {
    let (api, _) = start().await;
    let id = created(&api, named("Acme")).await["application"]["id"].clone();
    let mut item = api.stored_application(id.as_str().unwrap()).await;
    item.insert("jobPostingUrl".to_owned(), text("acme.example/jobs/1"));
    api.put(item).await;
    let made = created(&api, posted("Acme", "https://acme.example/jobs/1")).await;
    assert_eq!(ids(&made), [id]);
}

#[tokio::test]
async fn a_batch_reads_once_for_all_its_postings() {
    const CREATE_ALL: &str = "mutation($input: CreateApplicationsInput!) { createApplications(input: $input) {
      results { application { id } alreadyTracked { id } userErrors { code } } userErrors { code } } }";
    let (api, _) = start().await;
    let posting = |at: usize| format!("https://acme.example/jobs/{at}");
    let first = created(&api, posted("Acme", &posting(0))).await;
    let rows: Vec<_> = (0..40).map(|at| posted("Acme", &posting(at))).collect();
    api.calls.reset();
    let input = json!({ "input": { "applications": rows } });
    let answer = api.run(CREATE_ALL, input).await;
    let calls = api.calls.counts();
    assert_eq!((calls["Query"], calls["BatchGetItem"]), (9, 1), "{calls:?}");
    let data = answer.data();
    let results = data["createApplications"]["results"].as_array().unwrap();
    assert_eq!(ids(&results[0]), [first["application"]["id"].clone()]);
    for result in &results[1..] {
        assert_eq!(result["alreadyTracked"], json!([]));
    }
}
