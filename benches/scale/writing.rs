//! Writers that meet, and those that do not: how much is done, how often it is tried again, what fails.

use std::time::{Duration, Instant};

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use tokio::task::JoinSet;
use trestle_applications::{
    ApplicationChange, ApplicationId, Applications, Change, DetailsChange, Status,
};
use trestle_dynamodb::Embedded;
use trestle_table::Meter;
use trestle_table::clock::Clock;

use crate::conflicts::{Conflicting, READ, TRANSACTION};
use crate::support::{Api, fill};

/// How many write at once.
const MANY: usize = 16;

/// What a writer does, again and again.
#[derive(Clone, Copy)]
enum Work {
    /// Changes the notes of the application of this writer, which the counters do not see.
    Notes(Whose),
    /// Changes the status of an application of its own, which two counters see.
    Status,
    /// Makes applications.
    Create,
}

/// Whose application a writer changes.
#[derive(Clone, Copy)]
enum Whose {
    /// One that all writers change.
    Everyones,
    /// One that nobody else changes.
    Own,
}

/// What a group of writers got done.
#[derive(Default)]
struct Done {
    written: u64,
    contended: u64,
    failed: u64,
    slowest: Duration,
}

const GROUPS: [(&str, usize, Work); 7] = [
    ("notes, one writer", 1, Work::Notes(Whose::Own)),
    (
        "notes, 16 writers, 16 applications",
        MANY,
        Work::Notes(Whose::Own),
    ),
    (
        "notes, 16 writers, one application",
        MANY,
        Work::Notes(Whose::Everyones),
    ),
    ("status, one writer", 1, Work::Status),
    ("status, 16 writers, 16 applications", MANY, Work::Status),
    ("create, one client", 1, Work::Create),
    ("create, 16 clients", MANY, Work::Create),
];

/// Lets each group write for so many seconds, on the embedded store and then under DynamoDB's rule.
pub async fn run(seconds: u64) {
    let period = Duration::from_secs(seconds);
    println!("Writers on the embedded store, {seconds} s each; every commit is on disk:\n");
    print(period, |store| store.client_behind(|inner| inner)).await;
    println!(
        "The same under DynamoDB's rule for transactions that meet, a read taking {READ:?} and a \
         transaction {TRANSACTION:?}:\n"
    );
    let conflicting = |inner| SharedHttpConnector::new(Conflicting::new(inner));
    print(period, |store| store.client_behind(conflicting)).await;
}

async fn print(period: Duration, connect: impl Fn(&Embedded) -> aws_sdk_dynamodb::Client) {
    println!(
        "| writers | written/s | tried again, of 100 written | slowest | contended | failed |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for (name, writers, work) in GROUPS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Embedded::open(folder.path()).expect("the store opens");
        let api = Api::new(connect(&store), Clock::system()).await;
        let meter = Meter::default();
        let began = Instant::now();
        let done = write(&api, &meter, writers, work, period).await;
        let rate = done.written as f64 / began.elapsed().as_secs_f64();
        let again = 100.0 * meter.spent().retries as f64 / done.written.max(1) as f64;
        let Done {
            contended,
            failed,
            slowest,
            ..
        } = done;
        let slowest = slowest.as_millis();
        println!("| {name} | {rate:.0} | {again:.0} | {slowest} ms | {contended} | {failed} |");
    }
    println!();
}

/// Lets so many writers work for `period`.
async fn write(api: &Api, meter: &Meter, writers: usize, work: Work, period: Duration) -> Done {
    let setup = api.store(&Meter::default());
    for number in 0..writers {
        let id = ApplicationId::new(fill::id(number));
        let made = setup.create(Some(id), &fill::details(number)).await;
        made.expect("an application to change");
    }
    let until = Instant::now() + period;
    let mut tasks = JoinSet::new();
    for writer in 0..writers {
        let store = api.store(meter);
        tasks.spawn(async move { one(&store, writer, work, until).await });
    }
    let mut all = Done::default();
    while let Some(done) = tasks.join_next().await {
        let done = done.expect("a writer ends");
        all.written += done.written;
        all.contended += done.contended;
        all.failed += done.failed;
        all.slowest = all.slowest.max(done.slowest);
    }
    all
}

async fn one(store: &Applications, writer: usize, work: Work, until: Instant) -> Done {
    let own = ApplicationId::new(fill::id(writer));
    let mut done = Done::default();
    for turn in 0.. {
        let began = Instant::now();
        if began >= until {
            break;
        }
        let notes = Change::Set(format!("What was said, {writer}, {turn}."));
        let noted = ApplicationChange {
            details: DetailsChange {
                notes,
                ..DetailsChange::default()
            },
            ..ApplicationChange::default()
        };
        let changed = match work {
            Work::Notes(Whose::Own) => store.update(&own, None, &noted).await,
            Work::Notes(Whose::Everyones) => {
                store
                    .update(&ApplicationId::new(fill::id(0)), None, &noted)
                    .await
            }
            Work::Status => store.update(&own, None, &moved(turn)).await,
            Work::Create => store.create(None, &fill::details(turn)).await,
        };
        done.slowest = done.slowest.max(began.elapsed());
        match changed {
            Ok(_) => done.written += 1,
            Err(trestle_applications::ChangeError::Contended) => done.contended += 1,
            Err(_) => done.failed += 1,
        }
    }
    done
}

/// To another status each time, and to one that no row begins with.
fn moved(turn: usize) -> ApplicationChange {
    let to = match turn % 2 {
        0 => Status::GivenOffer,
        _ => Status::NoOffer,
    };
    ApplicationChange {
        details: DetailsChange {
            status: Change::Set(to),
            ..DetailsChange::default()
        },
        ..ApplicationChange::default()
    }
}
