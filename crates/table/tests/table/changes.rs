//! Changes under faults: each is made once or not at all, and its writer knows which unless the store did not say.

use std::sync::Arc;

use chrono::{TimeDelta, Utc};
use trestle_domain::{Millis, Moment, UserId};
use trestle_table::{ChangeError, Condition, TableError, TransactionBuilder};

use crate::designs::{EmailGuard, Jar, jar, tables};
use trestle_testing::faults::{Fault, Seeded, Tokens};

/// Each change adds one line and one to the count: twice is seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_made_once_whatever_is_lost() {
    for (tokens, with_check, percent) in [
        (Tokens::Stripped, false, 25),
        (Tokens::Stripped, true, 25),
        (Tokens::Kept, true, 25),
    ] {
        let (tables, faults, _) = tables(3).await;
        tables
            .create::<_, ()>(jar("a", Utc::now()), |_| {})
            .await
            .unwrap();
        tables
            .create::<_, ()>(jar("b", Utc::now()), |_| {})
            .await
            .unwrap();
        faults.tokens(tokens);
        faults.draw(Seeded::printed(7), percent);
        let tables = Arc::new(tables);
        let writers = (0..16).map(|w| {
            let tables = tables.clone();
            tokio::spawn(async move {
                let mut outcomes = Vec::new();
                for n in 0..20 {
                    let line = format!("w{w}n{n}");
                    let plan = |jar: &Jar, unit: &mut TransactionBuilder<()>| {
                        if with_check {
                            unit.check::<Jar>(&"b".to_owned(), Condition::is("version", &1))
                                .or(());
                        }
                        let mut next = jar.clone();
                        next.count += 1;
                        next.log.push(line.clone());
                        Ok(next)
                    };
                    outcomes.push((
                        line.clone(),
                        tables
                            .change::<Jar, ()>(&"a".to_owned(), None, plain(plan))
                            .await,
                    ));
                }
                outcomes
            })
        });
        let mut outcomes = Vec::new();
        for writer in writers.collect::<Vec<_>>() {
            outcomes.extend(writer.await.unwrap());
        }
        let injected = faults.injected();
        faults.stop();
        let jar = tables.get::<Jar>(&"a".to_owned()).await.unwrap().unwrap();
        let (mut ok, mut unknown, mut contended) = (0, 0, 0);
        for (line, outcome) in &outcomes {
            let times = jar.log.iter().filter(|other| *other == line).count();
            match outcome {
                Ok(_) => {
                    ok += 1;
                    assert_eq!(times, 1, "{line}")
                }
                Err(ChangeError::Table(
                    TableError::Unavailable { .. }
                    | TableError::Unconfirmed { .. }
                    | TableError::Unknown,
                )) => {
                    unknown += 1;
                    assert!(times <= 1, "{line}")
                }
                Err(ChangeError::Contended | ChangeError::Table(TableError::Throttled)) => {
                    contended += 1;
                    assert_eq!(times, 0, "{line}")
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(
            (jar.count as usize, jar.version as usize),
            (jar.log.len(), jar.log.len() + 1)
        );
        assert_eq!(ok + unknown + contended, 16 * 20);
        assert!(ok > 0 && injected > 0, "{ok} done, {injected} faults");
    }
}

/// Tells the compiler that the plan holds for every lifetime.
fn plain<F>(f: F) -> F
where
    F: Fn(&Jar, &mut TransactionBuilder<()>) -> Result<Jar, ()>,
{
    f
}

/// Every kind of fault that a write can meet.
const FAULTS: [Option<Fault>; 8] = [
    None,
    Some(Fault::Throttled),
    Some(Fault::Internal),
    Some(Fault::Canceled),
    Some(Fault::LostRequest),
    Some(Fault::LostAnswer),
    Some(Fault::CutAnswer),
    Some(Fault::DoneThenInternal),
];

/// The value of a plan leaves with the change: that of the attempt which is stored, whatever the first two writes met. Two
/// changes at once, so that one is overtaken, as one write and as a transaction.
#[tokio::test]
async fn the_value_is_that_of_the_attempt_that_was_done() {
    for first in FAULTS {
        for second in FAULTS {
            for with_check in [false, true] {
                let (tables, faults, _) = tables(3).await;
                faults.tokens(Tokens::Stripped);
                for name in ["a", "b"] {
                    let made = tables.create::<_, ()>(jar(name, Utc::now()), |_| {});
                    made.await.unwrap();
                }
                let id = "a".to_owned();
                for operation in ["UpdateItem", "TransactWriteItems"] {
                    faults.next(operation, [first, second]);
                }
                let plan = |jar: &Jar, unit: &mut TransactionBuilder<()>| {
                    if with_check {
                        unit.check::<Jar>(&"b".to_owned(), Condition::Exists).or(());
                    }
                    let mut next = jar.clone();
                    next.count += 1;
                    let value = next.count;
                    Ok((next, value))
                };
                let (one, other) = tokio::join!(
                    tables.change_with::<Jar, (), u32>(&id, None, plan),
                    tables.change_with::<Jar, (), u32>(&id, None, plan),
                );
                faults.stop();
                let stored = tables.get::<Jar>(&id).await.unwrap().unwrap();
                let case = format!("{first:?} {second:?} {with_check}");
                let mut values = Vec::new();
                for (changed, value) in [one, other].into_iter().flatten() {
                    assert!(changed.is_written, "{case}");
                    assert_eq!(changed.entity.count, value, "{case}");
                    values.push(value);
                }
                // A write whose result is unknown may be stored as well.
                let done = u32::try_from(values.len()).unwrap();
                assert!((done..=2).contains(&stored.count), "{case}: {stored:?}");
                values.dedup();
                assert_eq!(
                    values.len(),
                    done as usize,
                    "{case}: each has its own value"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_create_whose_answer_is_lost_is_done() {
    let (tables, faults, _) = tables(3).await;
    faults.tokens(Tokens::Stripped);
    faults.next("PutItem", [Some(Fault::LostAnswer)]);
    let made = tables
        .create::<_, ()>(jar("a", Utc::now()), |_| {})
        .await
        .unwrap();
    assert_eq!(
        tables.get::<Jar>(&"a".into()).await.unwrap(),
        Some(made.entity)
    );
    // The same again, later: what the first one made.
    let later = Utc::now() + TimeDelta::seconds(9);
    let again = tables
        .create::<_, ()>(jar("a", later), |_| {})
        .await
        .unwrap();
    assert!(again.entity.created_at.millis() < Moment::<Millis>::new(later).millis());
    let mut other = jar("a", later);
    other.count = 7;
    assert!(matches!(
        tables.create::<_, ()>(other, |_| {}).await,
        Err(ChangeError::Taken)
    ));
    // With a guard: the guard that it finds is its own.
    faults.next("TransactWriteItems", [Some(Fault::LostAnswer)]);
    let guard = EmailGuard {
        address: "e".into(),
        owner: UserId::new("u"),
    };
    tables
        .create::<_, &str>(jar("c", later), |unit| {
            unit.put_new(&guard).or("taken");
        })
        .await
        .unwrap();
    let refused = tables
        .create::<_, &str>(jar("d", later), |unit| {
            unit.put_new(&guard).or("taken");
        })
        .await;
    assert!(matches!(refused, Err(ChangeError::Refused("taken"))));
}

/// Who repeats a create with what they once saw, and may not do it now, learns nothing of what is stored.
#[tokio::test]
async fn a_create_does_not_answer_who_may_not_create() {
    let (tables, faults, _) = tables(3).await;
    let now = Utc::now();
    let owner = jar("owner", now);
    tables.create::<_, &str>(owner, |_| {}).await.unwrap();
    let owned = |version: u32| {
        move |unit: &mut TransactionBuilder<&str>| {
            unit.check::<Jar>(&"owner".to_owned(), Condition::is("version", &version))
                .or("not yours");
        }
    };
    tables.create(jar("a", now), owned(1)).await.unwrap();
    // The same again, something else with its id, and an id that is free: one answer.
    let mut other = jar("a", now);
    other.count = 7;
    for attempt in [jar("a", now), other, jar("free", now)] {
        let refused = tables.create(attempt, owned(2)).await;
        assert!(
            matches!(refused, Err(ChangeError::Refused("not yours"))),
            "{refused:?}"
        );
    }
    let again = tables.create(jar("a", now), owned(1)).await.unwrap();
    assert!(!again.is_written);
    // A check that another write keeps from being decided is decided first.
    faults.next("TransactWriteItems", [Some(Fault::Canceled)]);
    let refused = tables.create(jar("a", now), owned(2)).await;
    assert!(
        matches!(refused, Err(ChangeError::Refused("not yours"))),
        "{refused:?}"
    );
}
