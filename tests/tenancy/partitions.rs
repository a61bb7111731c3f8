//! What is stored of two owners with any names: no partition of the table or of an index has items of both.

use std::collections::BTreeSet;

use proptest::prelude::*;
use trestle_api::viewer::Owner;
use trestle_applications::{
    ApplicationChange, ApplicationId, Applications, Change, DetailsChange, Import, Imported,
    NewRow, Scope, Status, TABLE, Tenancy, claim, owners,
};
use trestle_dynamodb::Embedded;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};
use uuid::Uuid;

use crate::tenancy::world::every_item;

fn names() -> impl Strategy<Value = Owner> {
    let text = prop_oneof![
        "[a#%235|]{1,6}",
        "(USER|APP|META|ACTIVE|OWNERS|TENANCY|#|%23|%25|%){1,4}",
        "\\PC{1,30}",
        any::<String>(),
        "[a-z]{250,256}",
    ];
    text.prop_filter_map("an owner", |text| Owner::new(text.as_str()))
}

/// The partitions of the table and of its indexes.
async fn partitions(client: &aws_sdk_dynamodb::Client) -> BTreeSet<String> {
    let items = every_item(client, "applications").await;
    let keys = items.values().flat_map(|item| {
        let names = ["PK", "GSI1PK", "GSI2PK"].into_iter();
        names.filter_map(|name| Some(item.get(name)?.as_s().ok()?.clone()))
    });
    keys.collect()
}

async fn fill(applications: &Applications, id: &ApplicationId) {
    let text = |text: &str| Change::Set(text.to_owned());
    let details = DetailsChange {
        company_name: text("Acme"),
        position_title: text("Engineer"),
        status: Change::Set(Status::Applied),
        ..DetailsChange::default()
    };
    applications
        .create(Some(id.clone()), &details)
        .await
        .unwrap();
    let interviewing = ApplicationChange {
        details: DetailsChange {
            status: Change::Set(Status::Interviewing),
            ..DetailsChange::default()
        },
        ..ApplicationChange::default()
    };
    applications.update(id, None, &interviewing).await.unwrap();
}

async fn share_nothing(a: Owner, b: Owner) {
    let client = Embedded::memory().unwrap().client();
    let table = Table::new(client.clone(), &TABLE, "applications");
    table.create().await.unwrap();
    claim(&table, Tenancy::Owner).await.unwrap();
    let of = |owner: &Owner| {
        let scope = Scope::Of(owner.clone());
        Applications::new(table.clone(), scope, Meter::default(), Clock::system())
    };
    // The same id, which each of them has for themselves.
    let id = ApplicationId::new(Uuid::new_v4());
    let marked = partitions(&client).await;
    fill(&of(&a), &id).await;
    let of_a: BTreeSet<_> = partitions(&client)
        .await
        .difference(&marked)
        .cloned()
        .collect();
    let before = every_item(&client, "applications").await;
    fill(&of(&b), &id).await;
    let after = every_item(&client, "applications").await;
    let both = partitions(&client).await;
    let of_b: BTreeSet<_> = after
        .iter()
        .filter(|(key, _)| !before.contains_key(*key))
        .flat_map(|(_, item)| {
            let names = ["PK", "GSI1PK", "GSI2PK"].into_iter();
            names.filter_map(|name| Some(item.get(name)?.as_s().ok()?.clone()))
        })
        .collect();
    let shared: Vec<_> = of_a.intersection(&of_b).collect();
    // Only the registry can have both, in items of their own.
    assert!(
        shared.iter().all(|key| key.starts_with("OWNERS#")),
        "{shared:?}"
    );
    for (key, item) in &before {
        assert_eq!(after.get(key), Some(item), "{key}");
    }
    assert!(both.len() > of_a.len());
    let mut known = vec![a, b];
    known.sort();
    assert_eq!(owners(&table, &Meter::default()).await.unwrap(), known);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_two_owners_share_a_partition(a in names(), b in names()) {
        prop_assume!(a != b);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(share_nothing(a, b));
    }
}

/// As many rows as fit into one transaction, of as many years.
fn rows() -> Vec<NewRow> {
    let row = |number: u32| {
        let text = |text: String| Change::Set(text);
        let fields = DetailsChange {
            company_name: text(format!("Company {number}")),
            position_title: text("Engineer".to_owned()),
            status: Change::Set(Status::Applied),
            date_applied: text(format!("{}-06-01", 2020 + number % 5)),
            ..DetailsChange::default()
        };
        NewRow {
            id: ApplicationId::new(Uuid::new_v4()),
            fields,
            is_archived: false,
        }
    };
    (0..47).map(row).collect()
}

async fn empty() -> (aws_sdk_dynamodb::Client, Table) {
    let client = Embedded::memory().unwrap().client();
    let table = Table::new(client.clone(), &TABLE, "applications");
    table.create().await.unwrap();
    (client, table)
}

fn of(table: &Table, scope: Scope) -> Applications {
    Applications::new(table.clone(), scope, Meter::default(), Clock::system())
}

#[tokio::test]
async fn an_owner_whose_first_transaction_is_full_is_registered() {
    let (_, table) = empty().await;
    claim(&table, Tenancy::Owner).await.unwrap();
    let ada = Owner::new("ada").unwrap();
    let applications = of(&table, Scope::Of(ada.clone()));
    let made = applications
        .import_rows(rows(), Import::Write, None, &mut None)
        .await;
    assert!(made.unwrap().iter().all(|made| *made == Imported::Created));
    assert_eq!(owners(&table, &Meter::default()).await.unwrap(), [ada]);
}

#[tokio::test]
async fn a_writer_that_opened_the_table_before_it_got_owners_writes_nothing() {
    let (client, table) = empty().await;
    let late = of(&table, Scope::Single);
    claim(&table, Tenancy::Owner).await.unwrap();
    let before = every_item(&client, "applications").await;
    let full = late
        .import_rows(rows(), Import::Write, None, &mut None)
        .await;
    assert!(full.is_err());
    let few = rows().split_off(46);
    let few = late.import_rows(few, Import::Write, None, &mut None).await;
    assert!(few.is_err());
    assert_eq!(every_item(&client, "applications").await, before);

    let (_, table) = empty().await;
    let first = of(&table, Scope::Single);
    let made = first
        .import_rows(rows(), Import::Write, None, &mut None)
        .await;
    assert!(made.is_ok());
    assert!(claim(&table, Tenancy::Owner).await.is_err());
    claim(&table, Tenancy::Single).await.unwrap();
}
