//! Indexes that are behind the table: what is decided by one is decided by what the table has.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use trestle_applications::{
    ApplicationId, Applications, Change, DetailsChange, Import, NewRow, Scope,
};
use trestle_dynamodb::Embedded;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

const NAME: &str = "applications-test";
/// How far the indexes are behind, and how far the table is told that they may be.
const LAG: Duration = Duration::from_millis(300);
const TOLD: Duration = Duration::from_millis(600);

/// A store whose indexes have nothing until they catch up.
#[derive(Clone, Debug)]
pub struct Lagging {
    inner: SharedHttpConnector,
    until: Arc<Mutex<Option<Instant>>>,
}

impl Lagging {
    fn on(store: &Embedded) -> (Self, Client) {
        let mut made = None;
        let client = store.client_behind(|inner| {
            let lagging = Self {
                inner,
                until: Arc::default(),
            };
            made = Some(lagging.clone());
            SharedHttpConnector::new(lagging)
        });
        (made.unwrap(), client)
    }

    fn fall_behind(&self, lag: Duration) {
        *self.until.lock().unwrap() = Some(Instant::now() + lag);
    }
}

impl HttpConnector for Lagging {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let is_behind = self
            .until
            .lock()
            .unwrap()
            .is_some_and(|until| Instant::now() < until);
        let body: Value =
            serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap();
        if !is_behind || body.get("IndexName").is_none() {
            return self.inner.call(request);
        }
        let nothing = json!({ "Items": [], "Count": 0, "ScannedCount": 0 }).to_string();
        let status = StatusCode::try_from(200).unwrap();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(nothing))))
    }
}

fn applications(client: Client) -> Applications {
    let table = Table::new(client, &trestle_applications::TABLE, NAME).with_index_lag(TOLD);
    Applications::new(table, Scope::Single, Meter::default(), Clock::system())
}

async fn add(applications: &Applications, number: usize) {
    let row = NewRow {
        id: ApplicationId::stored(&format!("id-{number}")).unwrap(),
        fields: DetailsChange {
            company_name: Change::Set(format!("Company {number}")),
            position_title: Change::Set("Engineer".to_owned()),
            ..DetailsChange::default()
        },
        is_archived: false,
    };
    let mut last = None;
    let imported = applications.import_rows(vec![row], Import::Write, None, &mut last);
    imported.await.unwrap();
}

async fn new() -> (Embedded, Lagging, Client) {
    let store = Embedded::memory().unwrap();
    let (lagging, client) = Lagging::on(&store);
    let table = Table::new(store.client(), &trestle_applications::TABLE, NAME);
    table.create().await.unwrap();
    (store, lagging, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recount_beside_an_index_that_lags_counts_everything() {
    let (_store, lagging, client) = new().await;
    let applications = applications(client);
    for number in 0..5 {
        add(&applications, number).await;
    }
    lagging.fall_behind(LAG);
    assert_eq!(applications.recount().await.unwrap(), 0);
    assert_eq!(applications.stats().await.unwrap().active(), Some(5));
}

/// The first write finds what another program has just written without counters.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_write_beside_an_index_that_lags_takes_no_table_for_empty() {
    let (store, lagging, client) = new().await;
    for number in 0..5 {
        add(&applications(client.clone()), number).await;
    }
    let counters = store.client().delete_item().table_name(NAME);
    let counters = counters.key("PK", AttributeValue::S("META".to_owned()));
    let counters = counters.key("SK", AttributeValue::S("COUNT".to_owned()));
    counters.send().await.unwrap();
    lagging.fall_behind(LAG);
    let applications = applications(client);
    add(&applications, 5).await;
    assert_eq!(applications.stats().await.unwrap().active(), None);
    applications.recount().await.unwrap();
    assert_eq!(applications.stats().await.unwrap().active(), Some(6));
}
