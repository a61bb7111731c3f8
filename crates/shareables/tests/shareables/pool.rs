//! The pool of short ids.

use std::collections::HashSet;
use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, DeleteRequest, PutRequest, WriteRequest};
use clap::Command;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use serde_json::json;
use trestle_service::{Failure, ServiceContext, Streams};
use trestle_shareables::{POOL, SERVICE, TABLE};
use trestle_table::{StreamReader, Table, Tables};

use crate::site::{ADMIN, checklist, create, errors, mutate, site};
use trestle_testing::hosted::TestServer;

struct NoStreams;

impl Streams for NoStreams {
    fn open<'s>(&'s self, _: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>> {
        std::future::ready(Err(Failure::new("none"))).boxed()
    }
}

#[tokio::test]
async fn on_dynamodb_the_service_needs_a_secret_that_all_processes_share() {
    let site = site().await;
    let clock = site.clock.clock();
    let tables =
        [&TABLE, &POOL].map(|table| Table::new(site.dynamodb.clone(), table, table.default_name));
    let long = "0123456789abcdef0123456789abcdef";
    for (secret, refusal) in [("", "needs a secret"), ("short", "too short"), (long, "")] {
        let secret = format!("--shareables-secret={secret}");
        let command = (SERVICE.arguments)(Command::new("serve"));
        let context = ServiceContext {
            tables: Tables::new(tables.clone(), clock.clone()),
            arguments: &command.get_matches_from(["serve", &secret, "--shareables-pool=0"]),
            clock: clock.clone(),
            folder: None,
            is_in_memory: false,
            streams: &NoStreams,
        };
        match (SERVICE.open)(&context).await {
            Ok(_) => assert_eq!(refusal, ""),
            Err(failure) => assert!(failure.to_string().contains(refusal), "{failure}"),
        }
    }
}

/// Runs `trestle short-ids fill --to N` on a server's tables.
pub async fn fill(site: &TestServer, to: u32) {
    let words = ["short-ids", "fill", "--to", &to.to_string()];
    assert!(runs(site, 0, &words).await, "the pool is filled");
}

/// Runs a command of the service, by its place among them, on a server's tables. Whether it succeeds.
pub async fn runs(site: &TestServer, command: usize, words: &[&str]) -> bool {
    let command = &SERVICE.commands[command];
    let arguments = (command.command)().get_matches_from(words);
    let clock = site.clock.clock();
    let tables =
        [&TABLE, &POOL].map(|table| Table::new(site.dynamodb.clone(), table, table.default_name));
    let context = ServiceContext {
        tables: Tables::new(tables, clock.clone()),
        arguments: &arguments,
        clock,
        folder: None,
        is_in_memory: true,
        streams: &NoStreams,
    };
    (command.run)(&context).await.is_ok()
}

/// Writes to the pool as another program would.
async fn write(site: &TestServer, requests: Vec<WriteRequest>) {
    for part in requests.chunks(25) {
        let batch = site.dynamodb.batch_write_item();
        let batch = batch.request_items("short-id-pool", part.to_vec());
        batch.send().await.unwrap();
    }
}

async fn free(site: &TestServer) -> Vec<(u32, String, String)> {
    let found = site.items("short-id-pool").await;
    let entry = |item: &std::collections::HashMap<String, AttributeValue>| {
        assert_eq!(item.len(), 3);
        (
            item["pk"].as_n().unwrap().parse().unwrap(),
            item["sk"].as_s().unwrap().clone(),
            item["id"].as_s().unwrap().clone(),
        )
    };
    found.iter().map(entry).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pool_is_filled_and_short_ids_are_claimed_once_also_when_it_runs_dry() {
    let site = Arc::new(site().await);
    fill(&site, 1010).await;
    let pool = free(&site).await;
    assert_eq!(pool.len(), 1010);
    assert!(
        pool.iter()
            .all(|(bucket, place, _)| *bucket < 10 || place == "available#01")
    );
    assert!(
        pool.contains(&(
            0,
            "available#02".into(),
            pool.iter()
                .find(|e| e.0 == 0 && e.1 == "available#02")
                .unwrap()
                .2
                .clone()
        ))
    );
    // Most of it is taken away, so that claims meet and most find nothing. Each looks into 4 of the 1,000 buckets: that
    // none of 48 finds one of 100 happens once in 600 million runs.
    let surplus = pool.iter().filter(|(bucket, ..)| bucket % 10 != 0);
    let delete = |(bucket, place, _): &(u32, String, String)| {
        let request = DeleteRequest::builder()
            .key("pk", AttributeValue::N(bucket.to_string()))
            .key("sk", AttributeValue::S(place.clone()));
        WriteRequest::builder()
            .delete_request(request.build().unwrap())
            .build()
    };
    write(&site, surplus.map(delete).collect()).await;
    let creates = (0..48).map(|_| {
        let site = site.clone();
        tokio::spawn(async move { create(&site, json!({ "checklist": {} })).await.short_id })
    });
    let made: Vec<_> = join_all(creates)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let distinct: HashSet<_> = made.iter().collect();
    assert_eq!(distinct.len(), made.len());
    let left: HashSet<_> = free(&site).await.into_iter().map(|entry| entry.2).collect();
    assert!(made.iter().all(|id| !left.contains(id)));
    assert!(left.len() < 101, "some came from the pool");
}

#[tokio::test]
async fn a_short_id_that_was_given_before_is_never_given_again() {
    let site = site().await;
    let made = checklist(&site, 0).await;
    let delete = json!({ "shortId": made.short_id, "passcode": ADMIN });
    let deleted = mutate(&site, &made.token, "deleteShareable", "", delete).await;
    assert_eq!(errors(&deleted), [""; 0]);
    // Its short id is in every bucket again.
    let put = |bucket: u32| {
        let request = PutRequest::builder()
            .item("pk", AttributeValue::N(bucket.to_string()))
            .item("sk", AttributeValue::S("available#01".into()))
            .item("id", AttributeValue::S(made.short_id.clone()));
        WriteRequest::builder()
            .put_request(request.build().unwrap())
            .build()
    };
    write(&site, (0..1000).map(put).collect()).await;
    let input = json!({ "name": "N", "viewPasscode": "view-passcode", "adminPasscode": "admin-passcode", "checklist": {} });
    let more = "shareable { shortId }";
    let refused = crate::site::mutate_raw(&site, "", "createShareable", more, input).await;
    assert_ne!(
        refused.body["data"]["createShareable"]["shareable"]["shortId"],
        json!(made.short_id)
    );
    assert!(
        free(&site).await.len() < 1000,
        "what was given before is retired"
    );
}

#[test]
fn the_command_says_what_it_takes() {
    let command: Command = (SERVICE.commands[0].command)();
    assert!(
        command
            .clone()
            .try_get_matches_from(["short-ids", "fill", "--to", "0"])
            .is_err()
    );
    assert!(
        command
            .clone()
            .try_get_matches_from(["short-ids", "fill"])
            .is_err()
    );
    assert!(
        command
            .try_get_matches_from(["short-ids", "fill", "--to", "20000"])
            .is_ok()
    );
}
