//! Indexes that are behind the table: what is decided by one is decided by what the table has.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use tokio::time::sleep;
use trestle_api::Service as _;
use trestle_applications::{
    ApplicationId, Applications, ApplicationsService, Change, DetailsChange, Import, NewRow, Scope,
};
use trestle_dynamodb::Embedded;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};
use trestle_testing::faults::{Fault, Faults, Persists};
use trestle_testing::lagging::Lagging;

const NAME: &str = "applications-test";
/// How far the indexes are behind, and how far the table is told that they may be.
const LAG: Duration = Duration::from_millis(300);
const TOLD: Duration = Duration::from_millis(600);

fn table(client: Client) -> Table {
    Table::new(client, &trestle_applications::TABLE, NAME).with_index_lag(TOLD)
}

fn applications(client: Client) -> Applications {
    Applications::new(
        table(client),
        Scope::Single,
        Meter::default(),
        Clock::system(),
    )
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

/// A store whose indexes are behind, and how its answers fail.
async fn new() -> (Client, Faults) {
    let store = SharedHttpConnector::new(Embedded::memory().unwrap());
    let faults = Faults::none();
    let client = faults.client(SharedHttpConnector::new(Lagging::on(store, LAG)), 3);
    table(client.clone()).create().await.unwrap();
    (client, faults)
}

#[tokio::test(start_paused = true)]
async fn a_recount_beside_an_index_that_lags_counts_everything() {
    let applications = applications(new().await.0);
    for number in 0..5 {
        add(&applications, number).await;
    }
    assert_eq!(applications.recount().await.unwrap(), 0);
    assert_eq!(applications.stats().await.unwrap().active(), Some(5));
}

/// An application is added at each moment of a recount, which looks more than once.
#[tokio::test(start_paused = true)]
async fn a_recount_undoes_no_counter_of_a_write_that_no_index_has_yet() {
    for moment in 0..40 {
        let applications = applications(new().await.0);
        for number in 0..2 {
            add(&applications, number).await;
        }
        sleep(LAG).await;
        let adding = async {
            sleep(TOLD * moment / 20).await;
            add(&applications, 2).await;
        };
        let (recounted, ()) = tokio::join!(applications.recount(), adding);
        assert_eq!(recounted.unwrap(), 0, "{moment}");
        let stats = applications.stats().await.unwrap();
        assert_eq!(stats.active(), Some(3), "{moment}");
    }
}

/// The first write finds what another program has just written without counters.
#[tokio::test(start_paused = true)]
async fn the_first_write_beside_an_index_that_lags_takes_no_table_for_empty() {
    let (client, _) = new().await;
    for number in 0..5 {
        add(&applications(client.clone()), number).await;
    }
    let counters = client.delete_item().table_name(NAME);
    let counters = counters.key("PK", AttributeValue::S("META".to_owned()));
    let counters = counters.key("SK", AttributeValue::S("COUNT".to_owned()));
    counters.send().await.unwrap();
    let applications = applications(client);
    add(&applications, 5).await;
    assert_eq!(applications.stats().await.unwrap().active(), None);
    applications.recount().await.unwrap();
    assert_eq!(applications.stats().await.unwrap().active(), Some(6));
}

/// A process that starts at once after another one was killed in a delete.
#[tokio::test(start_paused = true)]
async fn a_delete_that_was_just_killed_is_finished_although_no_index_has_its_mark() {
    let (client, faults) = new().await;
    let applications = applications(client.clone());
    add(&applications, 0).await;
    let id = ApplicationId::stored("id-0").unwrap();
    faults.write(1, vec![Fault::LostRequest; 3], Persists::Yes);
    let _ = applications.delete(&id, None).await;
    assert!(faults.has_met_write());
    faults.stop();
    let service = ApplicationsService::new(table(client), Clock::system()).hosted();
    assert_eq!(service.finish_deletes().await.unwrap(), 1);
}
