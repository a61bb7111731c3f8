//! Keys of several segments: prefixes, inclusive ranges, merged partitions, and what is stored of them.

use aws_sdk_dynamodb::types::AttributeValue;
use trestle_table::{Direction, Listing, MalformedItem, PageAsk, Pk, Sk};

use crate::designs::{Job, tables};

#[tokio::test]
async fn jobs_are_found_by_city_date_and_zip() {
    let (tables, _, client) = tables(1).await;
    for (n, (date, zip)) in [
        ("2023-07-31", "1"),
        ("2023-08-01", "2"),
        ("2023-08-31", "3"),
        ("2023-08-31", "5"),
        ("2023-09-01", "1"),
        ("2024-01-01", "1"),
    ]
    .iter()
    .enumerate()
    {
        let job = Job {
            city: "montreal".into(),
            date: (*date).into(),
            zip: (*zip).into(),
            id: n.to_string(),
            employer: "301".into(),
        };
        let mut unit = tables.unit::<()>();
        unit.put_new(&job);
        unit.commit().await.unwrap();
    }
    let city = || Listing::<Job>::of("jobs/city", Pk::of("job", "montreal").closed());
    let ids = |jobs: Vec<Result<Job, MalformedItem>>| {
        jobs.into_iter()
            .map(|job| job.unwrap().id)
            .collect::<Vec<_>>()
            .join("")
    };
    let newest = city().begins_with(Sk::word("j").below()).newest_first();
    assert_eq!(ids(tables.all(&newest).await.unwrap()), "543210");
    let month = city().between(Sk::of("j", "2023-08-01"), Sk::of("j", "2023-08-31"));
    assert_eq!(ids(tables.all(&month).await.unwrap()), "123");
    let year = city().begins_with(Sk::word("j").beginning("2023"));
    assert_eq!(ids(tables.all(&year).await.unwrap()), "01234");
    let zips = city().between(
        Sk::of("j", "2023-08-31").then("1"),
        Sk::of("j", "2023-08-31").then("3"),
    );
    assert_eq!(ids(tables.all(&zips).await.unwrap()), "2");
    // Two partitions as one list, three rows at a time, both ways.
    for n in 0..5 {
        let job = Job {
            city: "laval".into(),
            date: format!("2023-08-{:02}", n * 7 + 2),
            zip: "9".into(),
            id: format!("L{n}"),
            employer: "9".into(),
        };
        let mut unit = tables.unit::<()>();
        unit.put_new(&job);
        unit.commit().await.unwrap();
    }
    let both = Listing::<Job>::of("jobs/two", Pk::of("job", "laval").closed())
        .merging([
            Pk::of("job", "laval").closed(),
            Pk::of("job", "montreal").closed(),
        ])
        .newest_first();
    for direction in [Direction::Forward, Direction::Backward] {
        let (mut place, mut seen) = (None, Vec::new());
        loop {
            let page = tables
                .page(
                    &both,
                    &PageAsk {
                        size: 3,
                        direction,
                        place,
                    },
                    &(),
                )
                .await
                .unwrap();
            let page_ids: Vec<_> = page
                .rows
                .iter()
                .map(|row| row.entity.as_ref().unwrap().id.clone())
                .collect();
            match direction {
                Direction::Forward => seen.extend(page_ids),
                Direction::Backward => {
                    seen.splice(0..0, page_ids);
                }
            }
            let end = match direction {
                Direction::Forward => page.rows.last(),
                Direction::Backward => page.rows.first(),
            };
            place = end.map(|row| both.place_of(&both.cursor_of(&row.place)).unwrap());
            if !page.more {
                break;
            }
        }
        assert_eq!(seen.join(""), "5432L4L3L2L1L010", "{direction:?}");
    }
    let item = client
        .get_item()
        .table_name("jobs")
        .key("pk", AttributeValue::S("job#montreal#".into()))
        .key("sk", AttributeValue::S("j#2023-08-31#3#2".into()))
        .send()
        .await
        .unwrap()
        .item
        .unwrap();
    assert_eq!(item["ttl"], AttributeValue::N("2000000000".into()));
    assert_eq!(
        (
            item["entityType"].as_s().unwrap().as_str(),
            item["GSI1SK"].as_s().unwrap().as_str()
        ),
        ("job", "j#2023-08-31#3#2")
    );
    let ttl = client
        .describe_time_to_live()
        .table_name("jobs")
        .send()
        .await
        .unwrap();
    assert_eq!(
        ttl.time_to_live_description().unwrap().attribute_name(),
        Some("ttl")
    );
}
