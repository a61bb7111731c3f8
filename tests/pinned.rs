//! What the pinned async-graphql does and other versions do not: an upgrade that fails here would lose people's data or hide
//! answers from them. And what is said of the pinned SQLite.

use async_graphql::{
    EmptyMutation, EmptySubscription, Error, InputObject, MaybeUndefined, Object, Request, Schema,
    Variables, value,
};

struct Query;

#[derive(InputObject)]
struct Patch {
    note: MaybeUndefined<String>,
}

struct Parent;

#[Object]
impl Parent {
    async fn kept(&self) -> i32 {
        1
    }

    async fn fails(&self) -> Option<Result<i32, Error>> {
        Some(Err(Error::new("it fails")))
    }

    async fn fails_within(&self) -> Result<Option<i32>, Error> {
        Err(Error::new("it fails"))
    }
}

#[Object]
impl Query {
    async fn patched(&self, input: Patch) -> &str {
        match input.note {
            MaybeUndefined::Undefined => "kept",
            MaybeUndefined::Null => "cleared",
            MaybeUndefined::Value(_) => "set",
        }
    }

    async fn parent(&self) -> Option<Parent> {
        Some(Parent)
    }

    #[graphql(complexity = "2 * child_complexity")]
    async fn weighed(&self, first: Option<i32>) -> Option<Parent> {
        let _ = first;
        Some(Parent)
    }
}

async fn answer(request: impl Into<Request>) -> async_graphql::Response {
    Schema::build(Query, EmptyMutation, EmptySubscription)
        .limit_complexity(100)
        .finish()
        .execute(request)
        .await
}

#[tokio::test]
async fn a_variable_left_out_keeps_the_field_of_an_input_object_in_the_document() {
    let document = "query($note: String) { patched(input: { note: $note }) }";
    let cases = [
        (value!({}), "kept"),
        (value!({ "note": null }), "cleared"),
        (value!({ "note": "x" }), "set"),
    ];
    for (variables, expected) in cases {
        let request = Request::new(document).variables(Variables::from_value(variables));
        let answer = answer(request).await;
        assert_eq!(answer.errors, []);
        assert_eq!(answer.data, value!({ "patched": expected }));
    }
}

#[tokio::test]
async fn a_nullable_field_that_fails_is_null_beside_the_others() {
    let answer = answer("{ parent { kept fails } }").await;
    assert_eq!(
        answer.data,
        value!({ "parent": { "kept": 1, "fails": null } })
    );
    assert_eq!(answer.errors.len(), 1);
    assert_eq!(answer.errors[0].message, "it fails");
}

#[tokio::test]
async fn the_other_way_of_writing_it_loses_the_parent() {
    let answer = answer("{ parent { kept failsWithin } }").await;
    assert_eq!(
        answer.data,
        value!({ "parent": null }),
        "write Option<Result<T>> instead"
    );
}

#[tokio::test]
async fn a_complexity_that_names_no_argument_lets_arguments_be_left_out() {
    let answer = answer("{ weighed { kept } }").await;
    assert_eq!(answer.errors, []);
    assert_eq!(answer.data, value!({ "weighed": { "kept": 1 } }));
}

/// The first release of SQLite in which two connections that reset the log at the same moment damage nothing.
const MENDED: i32 = 3_051_003;

#[test]
fn the_risk_of_the_pinned_sqlite_is_stated_as_long_as_there_is_one() {
    let operating = std::fs::read_to_string("docs/operating.md").unwrap();
    let stated = format!("built with SQLite {}", rusqlite::version());
    let has_risk = rusqlite::version_number() < MENDED;
    assert_eq!(operating.contains(&stated), has_risk, "{stated}");
}
