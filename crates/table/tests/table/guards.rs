//! Guard items that keep an address one user's, and indexes without sort keys or on ordinary attributes.

use chrono::Utc;
use trestle_domain::{Millis, Moment, UserId};
use trestle_table::{ChangeError, Condition, Listing, MalformedItem, Pk, Sk, TransactionBuilder};

use crate::designs::{EmailGuard, GSI3, GSI4, User, tables};

#[tokio::test]
async fn a_change_of_email_swaps_its_guards() {
    let (tables, _, _) = tables(1).await;
    let now = Moment::new(Utc::now());
    let user = |name: &str, email: Option<&str>| User {
        user_id: UserId::new(name),
        email: email.map(Into::into),
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let guard = |name: &str, email: &str| EmailGuard {
        address: email.into(),
        owner: UserId::new(name),
    };
    for (name, email) in [("u1", "a@x"), ("u2", "b@x")] {
        tables
            .create::<_, ()>(user(name, Some(email)), |unit| {
                unit.put_new(&guard(name, email)).or(());
            })
            .await
            .unwrap();
    }
    let move_to = |to: &'static str| {
        move |user: &User, unit: &mut TransactionBuilder<&'static str>| {
            if let Some(old) = &user.email {
                unit.delete::<EmailGuard>(old, Condition::is("owner", &user.user_id))
                    .step();
            }
            unit.put_new(&EmailGuard {
                address: to.into(),
                owner: user.user_id.clone(),
            })
            .or("the email is taken");
            Ok(User {
                email: Some(to.into()),
                ..user.clone()
            })
        }
    };
    let refused = tables
        .change(&UserId::new("u1"), None, move_to("b@x"))
        .await;
    assert!(matches!(
        refused,
        Err(ChangeError::Refused("the email is taken"))
    ));
    tables
        .change(&UserId::new("u1"), None, move_to("c@x"))
        .await
        .unwrap();
    let by = |email: &str| Listing::<User>::on("users/email", &GSI4, Pk::value(email));
    let found = |rows: Vec<Result<User, _>>| {
        rows.into_iter()
            .map(|u: Result<User, MalformedItem>| u.unwrap().user_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(tables.all(&by("c@x")).await.unwrap()),
        [UserId::new("u1")]
    );
    assert_eq!(found(tables.all(&by("a@x")).await.unwrap()), []);
    // An email that goes leaves the sparse index, and the item.
    tables
        .change::<User, ()>(&UserId::new("u1"), None, |user, _| {
            Ok(User {
                email: None,
                ..user.clone()
            })
        })
        .await
        .unwrap();
    assert_eq!(found(tables.all(&by("c@x")).await.unwrap()), []);
    // GSI3: one type over a time range, by ordinary attributes.
    let at = |s: i64| Sk::value(Moment::<Millis>::from_millis(now.millis() + s).unwrap());
    let users =
        Listing::<User>::on("users/time", &GSI3, Pk::word("USER")).between(at(-1000), at(1000));
    assert_eq!(tables.all(&users).await.unwrap().len(), 2);
    let none = Listing::<User>::on("users/time", &GSI3, Pk::word("USER")).between(at(1), at(1000));
    assert_eq!(tables.all(&none).await.unwrap().len(), 0);
}
