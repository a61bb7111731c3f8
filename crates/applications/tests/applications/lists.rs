//! Lists against a plain model: random applications, random questions, every page both ways.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use crate::ask::{Hands, named, start, text, with};
use crate::support::Api;
use crate::support::stores::{at_once, is_second_opinion};

const STATUSES: [&str; 8] = [
    "UNSUBMITTED",
    "APPLIED",
    "REJECTED",
    "INTERVIEWING",
    "GIVEN_OFFER",
    "ACCEPTED_OFFER",
    "DECLINED_OFFER",
    "NO_OFFER",
];
const CATEGORIES: [&str; 3] = ["AI", "ENTERPRISE_SOFTWARE", "OTHER"];
const SOURCES: [&str; 3] = ["FRIEND", "COMPANY_WEBSITE", "OTHER"];
const COMPANIES: [&str; 4] = ["Visa", "VISION Labs", "Ünïcode", "a#b%23"];
const POSITIONS: [&str; 3] = ["Engineer", "Chief engineer of Vision", "Analyst"];
/// The fields that a text is searched in, beside the tags.
const SEARCHED: [&str; 10] = [
    "companyName",
    "positionTitle",
    "specialRequirements",
    "notes",
    "nextAction",
    "companyUrl",
    "jobPostingUrl",
    "companyCareerUrl",
    "location",
    "postingText",
];
const LINKS: [&str; 2] = [
    "https://vision.example/zurich",
    "https://example.com/remote",
];
const PLACES: [&str; 2] = ["Zürich, Vision Tower", "Remote"];
const TEXTS: [&str; 11] = [
    "zurich vis",
    "REMOTE",
    "vis",
    "VISA",
    "engineer",
    " eng  vis ",
    "ünï",
    "ÜNÏ anal",
    "#",
    "nothing has this",
    "  ",
];

/// An application to make: its input, whether it is archived, and how long after the one before.
#[derive(Clone, Debug)]
struct Row {
    input: Value,
    archived: bool,
    later: i64,
}

/// A list to ask for.
#[derive(Clone, Debug)]
struct Question {
    filter: Value,
    order: Option<&'static str>,
    size: usize,
}

/// An application as the model has it.
#[derive(Clone, Debug)]
struct Known {
    fields: Value,
}

fn maybe<T: Clone + std::fmt::Debug + serde::Serialize + 'static>(
    values: &'static [T],
) -> impl Strategy<Value = Value> {
    prop::option::of(select(values)).prop_map(|value| json!(value))
}

fn row() -> impl Strategy<Value = Row> {
    let words = (
        select(&COMPANIES[..]),
        select(&POSITIONS[..]),
        select(&STATUSES[..]),
    );
    let more = (maybe(&CATEGORIES), maybe(&SOURCES), prop::option::of(1..=5));
    let texts = (
        maybe(&PLACES),
        maybe(&PLACES),
        maybe(&PLACES),
        maybe(&["Remote", "vis"]),
    );
    let links = (maybe(&LINKS), maybe(&LINKS), maybe(&LINKS));
    let long_texts = (maybe(&PLACES), maybe(&PLACES));
    // Often at the same moment, so that the id alone decides.
    let moments = (prop::bool::weighted(0.3), select(&[0_i64, 0, 1, 1000][..]));
    let texts = (texts, links, long_texts);
    (words, more, texts, moments).prop_map(|(words, more, texts, (archived, later))| {
        let (texts, links, long_texts) = texts;
        let (company, position, status) = words;
        let (category, source, rating) = more;
        let input = json!({
            "companyName": company, "positionTitle": position, "status": status,
            "companyCategory": category, "jobSource": source, "skillsMatch": rating,
            "notes": texts.0, "nextAction": texts.1, "location": texts.2,
            "companyUrl": links.0, "jobPostingUrl": links.1, "companyCareerUrl": links.2,
            "specialRequirements": long_texts.0, "postingText": long_texts.1,
            "tags": if texts.3.is_null() { json!([]) } else { json!([texts.3]) },
        });
        Row {
            input,
            archived,
            later,
        }
    })
}

/// Some fields of a filter, by which applications are left out.
fn excluded() -> impl Strategy<Value = Value> {
    let by_words = (
        prop::option::weighted(0.3, subsequence(STATUSES.to_vec(), 0..=3)),
        prop::option::weighted(0.3, subsequence(CATEGORIES.to_vec(), 0..=2)),
        prop::option::weighted(0.3, subsequence(SOURCES.to_vec(), 0..=2)),
    );
    let by_values = (
        prop::option::weighted(0.3, 1..=5),
        prop::option::weighted(0.3, select(&TEXTS[..])),
    );
    (by_words, by_values).prop_map(|(words, (rating, text))| {
        json!({ "statuses": words.0, "companyCategories": words.1, "jobSources": words.2,
            "minSkillsMatch": rating, "text": text })
    })
}

fn question() -> impl Strategy<Value = Question> {
    let by_index = (
        prop::option::of(subsequence(STATUSES.to_vec(), 0..=3)),
        maybe(&["EXCLUDE", "ONLY", "INCLUDE"]),
    );
    let some = |strategy| prop::option::weighted(0.15, strategy);
    let by_item = (
        some(subsequence(CATEGORIES.to_vec(), 0..=2)),
        some(subsequence(SOURCES.to_vec(), 0..=2)),
        prop::option::weighted(0.15, 1..=5),
        prop::option::weighted(0.2, select(&TEXTS[..])),
        prop::option::weighted(0.3, excluded()),
    );
    let order = select(&[None, Some("UPDATED_AT_DESC"), Some("UPDATED_AT_ASC")][..]);
    let size = prop_oneof![1..=4_usize, 5..=20_usize, Just(100)];
    (by_index, by_item, order, size).prop_map(|(by_index, by_item, order, size)| {
        let (categories, sources, rating, text, not) = by_item;
        let filter = json!({
            "statuses": by_index.0, "archived": by_index.1, "companyCategories": categories,
            "jobSources": sources, "minSkillsMatch": rating, "text": text, "not": not,
        });
        Question {
            filter,
            order,
            size,
        }
    })
}

impl Known {
    fn place(&self) -> (&str, &str) {
        let text = |field: &str| self.fields[field].as_str().unwrap();
        (text("updatedAt"), text("id"))
    }

    /// Whether a filter's list has it, by the schema's description of the filter.
    fn is_in(&self, filter: &Value) -> bool {
        let archived = match filter["archived"].as_str() {
            Some("INCLUDE") => true,
            asked => self.fields["isArchived"] == (asked == Some("ONLY")),
        };
        let not = &filter["not"];
        archived && self.matches(filter) && !(is_set(not) && self.matches(not))
    }

    /// Whether it has what the fields of a filter say, but for the archive.
    fn matches(&self, filter: &Value) -> bool {
        let named = |list: &str, field: &str| {
            let list = filter[list].as_array().filter(|list| !list.is_empty());
            list.is_none_or(|list| list.contains(&self.fields[field]))
        };
        let rating = filter["minSkillsMatch"].as_i64().is_none_or(|least| {
            self.fields["skillsMatch"]
                .as_i64()
                .is_some_and(|r| r >= least)
        });
        let tags = self.fields["tags"].as_array().into_iter().flatten();
        let texts: Vec<String> = SEARCHED
            .map(|field| &self.fields[field])
            .into_iter()
            .chain(tags)
            .map(|text| folded(text.as_str().unwrap_or_default()))
            .collect();
        let mut words = filter["text"]
            .as_str()
            .unwrap_or_default()
            .split_whitespace();
        let text = words.all(|word| texts.iter().any(|text| text.contains(&folded(word))));
        rating
            && text
            && named("statuses", "status")
            && named("companyCategories", "companyCategory")
            && named("jobSources", "jobSource")
    }
}

/// Whether a value of a filter decides anything.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(fields) => fields.values().any(is_set),
        _ => true,
    }
}

/// A text without case and without the accents that occur here.
fn folded(text: &str) -> String {
    text.to_lowercase().replace('ü', "u").replace('ï', "i")
}

/// Makes the rows, in groups of the same moment at once.
async fn fill(api: &Api, hands: &Hands, rows: Vec<Row>) -> Vec<Known> {
    let mut known = Vec::new();
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        match groups.last_mut() {
            Some(group) if row.later == 0 => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    for group in groups {
        hands.go(group[0].later);
        let made = futures_util::stream::iter(group).map(|row| async move {
            let searched = row.input.clone();
            let made = api.create(row.input).await;
            let mut fields = if !row.archived {
                made
            } else {
                let input = json!({ "id": made["id"] });
                api.done("archiveApplication", input).await["application"].clone()
            };
            for field in SEARCHED.iter().chain(&["tags"]) {
                fields[field] = searched[field].clone();
            }
            fields
        });
        known.extend(
            made.buffer_unordered(at_once())
                .map(|fields| Known { fields })
                .collect::<Vec<_>>()
                .await,
        );
    }
    known
}

const LIST: &str = "query($filter: ApplicationFilter, $orderBy: ApplicationOrder, $first: Int,
                          $after: String, $last: Int, $before: String) {
  applications(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last,
               before: $before) {
    totalCount edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";

/// How many index partitions a filter's list lies in, where the index alone answers it.
fn partitions(filter: &Value) -> Option<u64> {
    let filtered = [
        "companyCategories",
        "jobSources",
        "minSkillsMatch",
        "text",
        "not",
    ];
    if filtered.iter().any(|field| is_set(&filter[*field])) {
        return None;
    }
    let statuses = filter["statuses"].as_array().map_or(0, Vec::len) as u64;
    let active = if statuses == 0 { 1 } else { statuses };
    let archived = if statuses == 0 { 8 } else { statuses };
    Some(match filter["archived"].as_str() {
        Some("ONLY") => archived,
        Some("INCLUDE") => active + archived,
        _ => active,
    })
}

/// Pages through a list one way and compares each page with the model's.
async fn page_through(
    api: &Api,
    question: &Question,
    expected: &[String],
    (size, cursor): (&str, &str),
) -> Result<(), TestCaseError> {
    let forward = size == "first";
    let (came_from, goes_to) = if forward {
        ("hasPreviousPage", "hasNextPage")
    } else {
        ("hasNextPage", "hasPreviousPage")
    };
    let asked =
        json!({ "filter": question.filter, "orderBy": question.order, size: question.size });
    let mut chunks: Vec<&[String]> = if forward {
        expected.chunks(question.size).collect()
    } else {
        expected.rchunks(question.size).collect()
    };
    if chunks.is_empty() {
        chunks.push(&[]);
    }
    let total = expected.len();
    let mut at = json!(null);
    let pages = chunks.len();
    for (i, chunk) in chunks.into_iter().enumerate() {
        api.calls.reset();
        let answer = api
            .run(LIST, with(asked.clone(), json!({ cursor: at })))
            .await;
        let page = answer.data()["applications"].clone();
        let edges = page["edges"].as_array().unwrap();
        let ids: Vec<_> = edges
            .iter()
            .map(|edge| edge["node"]["id"].as_str().unwrap())
            .collect();
        prop_assert_eq!(ids, chunk, "page {} of {:?}", i, question);
        let info = &page["pageInfo"];
        prop_assert_eq!(
            &info[goes_to],
            &json!(i + 1 < pages),
            "page {} of {:?}",
            i,
            question
        );
        prop_assert_eq!(&info[came_from], &json!(i > 0));
        let ends =
            [edges.first(), edges.last()].map(|edge| json!(edge.map(|edge| &edge["cursor"])));
        prop_assert_eq!(
            [&info["startCursor"], &info["endCursor"]],
            [&ends[0], &ends[1]]
        );
        prop_assert_eq!(&page["totalCount"], &json!(total));
        // Without any application, counting learns first that the table is empty.
        if let Some(partitions) = partitions(&question.filter).filter(|_| !expected.is_empty()) {
            let calls =
                BTreeMap::from([("GetItem".to_owned(), 1), ("Query".to_owned(), partitions)]);
            prop_assert_eq!(api.calls.counts(), calls);
            prop_assert_eq!(answer.cost().reads, partitions + 1);
        }
        at = if forward {
            ends[1].clone()
        } else {
            ends[0].clone()
        };
    }
    Ok(())
}

async fn compare(rows: Vec<Row>, questions: Vec<Question>) -> Result<(), TestCaseError> {
    let (api, hands) = start().await;
    let mut known = fill(&api, &hands, rows).await;
    known.sort_by(|a, b| b.place().cmp(&a.place()));
    for question in &questions {
        let in_list = known.iter().filter(|known| known.is_in(&question.filter));
        let mut expected: Vec<_> = in_list.map(|known| known.place().1.to_owned()).collect();
        if question.order == Some("UPDATED_AT_ASC") {
            expected.reverse();
        }
        page_through(&api, question, &expected, ("first", "after")).await?;
        page_through(&api, question, &expected, ("last", "before")).await?;
    }
    Ok(())
}

#[test]
fn every_list_is_the_models_list_page_by_page_both_ways() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    // Each case asks 16 questions of up to 50 applications, some hundred requests.
    let config = Config {
        cases: if is_second_opinion() { 2 } else { 6 },
        max_shrink_iters: 30,
        failure_persistence: None,
        ..Config::default()
    };
    let rows = prop::collection::vec(row(), 0..50);
    let questions = prop::collection::vec(question(), 16);
    TestRunner::new(config)
        .run(&(rows, questions), |(rows, questions)| {
            runtime.block_on(compare(rows, questions))
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// Applications of which another program left some in the index of the active and in the one of the archived: each is listed
/// once, and the list ends with the last one. Every subset of four applications, with every size of a page, in both orders.
#[tokio::test]
async fn a_list_ends_with_its_last_application_whatever_is_in_two_partitions() {
    const PAGE: &str = "query($first: Int, $after: String, $orderBy: ApplicationOrder) {
      applications(filter: { archived: INCLUDE }, first: $first, after: $after, orderBy: $orderBy) {
        edges { node { id } } pageInfo { endCursor hasNextPage } } }";
    const COUNT: usize = 4;
    for subset in 0..1_u32 << COUNT {
        let (api, hands) = start().await;
        let mut ids = BTreeSet::new();
        for at in 0..COUNT {
            hands.go(1000);
            let made = api
                .create(with(named("Visa"), json!({ "status": "APPLIED" })))
                .await;
            let id = made["id"].as_str().unwrap().to_owned();
            if subset & (1 << at) != 0 {
                let mut item = api.stored_application(&id).await;
                item.insert("GSI1PK".to_owned(), text("STATUS#applied#ARCHIVED#1"));
                api.put(item).await;
            }
            ids.insert(id);
        }
        for order in ["UPDATED_AT_DESC", "UPDATED_AT_ASC"] {
            for size in 1..=COUNT {
                let mut listed = Vec::new();
                let mut after = Value::Null;
                loop {
                    let variables = json!({ "first": size, "after": after, "orderBy": order });
                    let page = api.data(PAGE, variables).await["applications"].clone();
                    for edge in page["edges"].as_array().unwrap() {
                        listed.push(edge["node"]["id"].as_str().unwrap().to_owned());
                    }
                    after = page["pageInfo"]["endCursor"].clone();
                    let case = format!("{subset:b} {order} {size}: {listed:?}");
                    let is_last = listed.len() == COUNT;
                    assert_eq!(page["pageInfo"]["hasNextPage"], !is_last, "{case}");
                    if is_last {
                        break;
                    }
                }
                let distinct: BTreeSet<_> = listed.into_iter().collect();
                assert_eq!(distinct, ids, "{subset:b} {order} {size}");
            }
        }
    }
}

#[tokio::test]
async fn no_value_is_in_a_range_that_ends_before_it_begins() {
    let (api, _) = start().await;
    let whole = json!({ "status": "APPLIED", "dateApplied": "2026-11-05", "offerDueDate": "2026-11-05",
        "nextActionDate": "2026-11-05", "salaryMin": 1, "salaryMax": 9 });
    api.create(with(named("Visa"), whole)).await;
    let (days, moments) = (
        ["2026-11-01", "2026-12-01"],
        ["2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"],
    );
    for (field, [low, high]) in [
        ("dateApplied", days.map(Value::from)),
        ("offerDueDate", days.map(Value::from)),
        ("nextActionDate", days.map(Value::from)),
        ("updatedAt", moments.map(Value::from)),
        ("statusSince", moments.map(Value::from)),
        ("salary", [1, 9].map(Value::from)),
    ] {
        let found = async |from: &Value, to: &Value| {
            let range = json!({ "from": from, "to": to });
            let listed = api.listed(json!({ field: range })).await.len();
            let left = api.listed(json!({ "not": { field: range } })).await.len();
            (listed, left)
        };
        assert_eq!(found(&low, &high).await, (1, 0), "{field}");
        assert_eq!(found(&high, &low).await, (0, 1), "{field}");
    }
}
