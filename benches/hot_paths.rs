//! The hot paths in process, by criterion: from the request's body to the answer's, without a socket, on
//! the embedded store in memory. Beside them the pieces that stand alone, to tell where the time goes.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot go on stops"
)]

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use async_graphql::{Request, Variables};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use trestle_api::Service;
use trestle_api::viewer::Viewer;
use trestle_applications::ApplicationsService;
use trestle_table::{Meter, cursor};

use support::Question;
use support::documents::DETAIL;
use support::paths::Paths;

/// One thread, as one request has it, beside the one that the embedded store answers on.
fn runtime() -> Runtime {
    let built = Builder::new_current_thread().enable_all().build();
    built.expect("a runtime")
}

/// Each hot path, whole.
fn requests(criterion: &mut Criterion) {
    let runtime = runtime();
    let paths = runtime.block_on(Paths::new());
    let mut group = criterion.benchmark_group("request");
    for path in &paths.all {
        let mut turn = 0;
        group.bench_function(BenchmarkId::from_parameter(path.name), |bencher| {
            bencher.iter(|| {
                turn += 1;
                black_box(runtime.block_on(path.take(&paths.api, turn)))
            });
        });
    }
    let mut turn = 0;
    group.bench_function("document-cache miss", |bencher| {
        bencher.iter(|| {
            turn += 1;
            // A document that nobody sent before: parsed and checked.
            let document = format!("{DETAIL} query Nothing {{ __typename }} # {turn}");
            let question = Question::operation(&document, "Nothing");
            black_box(runtime.block_on(paths.api.send(&question)))
        });
    });
    group.finish();
}

/// What a detail is made of: the service without the server, the store without GraphQL, one call.
fn pieces(criterion: &mut Criterion) {
    let runtime = runtime();
    let paths = runtime.block_on(Paths::new());
    let service = ApplicationsService::new(paths.api.table.clone(), paths.api.clock.clone());
    let service = service.hosted();
    let mut group = criterion.benchmark_group("piece");
    group.bench_function("detail, Service::execute", |bencher| {
        bencher.iter(|| {
            let variables = Variables::from_json(json!({ "id": paths.id }));
            let request = Request::new(DETAIL).variables(variables);
            let executed = service.execute(request, Viewer::local(), Meter::default());
            black_box(runtime.block_on(executed))
        });
    });
    let store = paths.api.store(&Meter::default());
    group.bench_function("one GetItem, store", |bencher| {
        bencher.iter(|| black_box(runtime.block_on(store.stats())).is_ok());
    });
    let place = [7; 24];
    let made = cursor::encode("a list", &place);
    group.bench_function("cursor, encode", |bencher| {
        bencher.iter(|| cursor::encode(black_box("a list"), black_box(&place)));
    });
    group.bench_function("cursor, decode", |bencher| {
        bencher.iter(|| cursor::decode(black_box("a list"), black_box(&made)));
    });
    group.finish();
}

criterion_group!(benches, requests, pieces);
criterion_main!(benches);
