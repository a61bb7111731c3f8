//! Polls that are corrected before and after people have voted, and people whom no option suits.

use serde_json::{Value, json};
use trestle_testing::hosted::TestServer;

use crate::site::{Opened, VIEW, data, errors, mutate, open, options, poll, site};

const POLL: &str = "query($id: String!) { shareable(shortId: $id) { ... on Poll {
    timeZone correctedAt voterCount noneCount allowsSeveral allowsMaybe hidesResults hidesNames resultCsv
    myVote { optionIds noneSuits }
    options { id text day startsAt endsAt editedAt voteCount maybeCount }
    votes(first: 50) { edges { node { optionIds maybeOptionIds noneSuits comment } } } } } }";

async fn read(site: &TestServer, on: &Opened) -> Value {
    data(site, &on.token, POLL, json!({ "id": on.short_id })).await["shareable"].clone()
}

fn of(on: &Opened, input: Value) -> Value {
    let mut input = input;
    input["shortId"] = json!(on.short_id);
    input
}

/// The counts are what the votes add up to, and no vote names an option that is not there.
fn assert_counted(poll: &Value, step: &str) {
    let votes: Vec<_> = poll["votes"]["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| &edge["node"])
        .collect();
    let options = poll["options"].as_array().unwrap();
    for (list, count) in [("optionIds", "voteCount"), ("maybeOptionIds", "maybeCount")] {
        for option in options {
            let names = |vote: &&&Value| vote[list].as_array().unwrap().contains(&option["id"]);
            let counted = votes.iter().filter(names).count();
            assert_eq!(option[count], json!(counted), "{step}: {poll:#}");
        }
        for vote in &votes {
            let known = |id: &Value| options.iter().any(|option| option["id"] == *id);
            assert!(
                vote[list].as_array().unwrap().iter().all(known),
                "{step}: {poll:#}"
            );
        }
    }
    let none = votes
        .iter()
        .filter(|vote| vote["noneSuits"] == true)
        .count();
    assert_eq!(poll["noneCount"], json!(none), "{step}: {poll:#}");
    assert_eq!(poll["voterCount"], json!(votes.len()), "{step}: {poll:#}");
    assert_in_file(poll, step);
}

/// The file of the result says what the votes say, and its counts are those of its cells.
fn assert_in_file(poll: &Value, step: &str) {
    // Without one the results are hidden.
    let Some(file) = poll["resultCsv"].as_str() else {
        return;
    };
    let rows: Vec<Vec<&str>> = file.lines().map(|line| line.split(',').collect()).collect();
    let row = |title: &str| rows.iter().find(|row| row[0] == title);
    let votes = poll["votes"]["edges"].as_array().unwrap();
    let options = poll["options"].as_array().unwrap();
    let about = format!("{step}: {file}");
    for (at, option) in options.iter().enumerate() {
        let (mut sure, mut maybe) = (0, 0);
        for (vote, row) in votes.iter().zip(&rows[1..]) {
            let names = |list: &str| {
                vote["node"][list]
                    .as_array()
                    .unwrap()
                    .contains(&option["id"])
            };
            let expected = match (names("optionIds"), names("maybeOptionIds")) {
                (true, _) => "yes",
                (false, true) => "if need be",
                (false, false) => "no",
            };
            sure += usize::from(expected == "yes");
            maybe += usize::from(expected == "if need be");
            assert_eq!(row[at + 1], expected, "{about}");
        }
        assert_eq!(row("Votes").unwrap()[at + 1], sure.to_string(), "{about}");
        let counted = row("If need be").map_or("0", |row| row[at + 1]);
        assert_eq!(counted, maybe.to_string(), "{about}");
    }
    let none = rows[0].iter().position(|title| *title == "None of these");
    let counted = none.map_or("0", |at| row("Votes").unwrap()[at]);
    assert_eq!(
        json!(counted.parse::<usize>().unwrap()),
        poll["noneCount"],
        "{about}"
    );
    for (vote, row) in votes.iter().zip(&rows[1..]) {
        let says_none = none.is_some_and(|at| row[at] == "yes");
        assert_eq!(json!(says_none), vote["node"]["noneSuits"], "{about}");
    }
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[tokio::test]
async fn counts_are_right_whatever_is_voted_corrected_and_deleted() {
    for seed in 0..4 {
        let site = site().await;
        let mut numbers = Numbers(seed);
        let texts: Vec<_> = (0..5).map(|n| format!("option {n}")).collect();
        let settings = json!({ "options": texts, "allowsSeveral": true, "allowsMaybe": true });
        let made = poll(&site, settings).await;
        let mut people = Vec::new();
        for _ in 0..4 {
            people.push(open(&site, &made.short_id, VIEW).await);
        }
        for step in 0..40 {
            let ids: Vec<_> = options(&site, &made)
                .await
                .into_iter()
                .map(|option| option.0)
                .collect();
            let some = |numbers: &mut Numbers| -> Vec<String> {
                ids.iter()
                    .filter(|_| numbers.below(3) == 0)
                    .cloned()
                    .collect()
            };
            let person = &people[numbers.below(people.len())];
            let kind = numbers.below(10);
            let (name, token, input) = match kind {
                0 if ids.len() > 1 => {
                    let id = &ids[numbers.below(ids.len())];
                    (
                        "deletePollOption",
                        &made.token,
                        json!({ "id": id, "withVotes": true }),
                    )
                }
                1 => {
                    let id = &ids[numbers.below(ids.len())];
                    let text = format!("corrected {step}");
                    (
                        "updatePollOption",
                        &made.token,
                        json!({ "id": id, "text": text }),
                    )
                }
                2 => {
                    let text = format!("added {step}");
                    (
                        "addPollOption",
                        &made.token,
                        of(&made, json!({ "text": text })),
                    )
                }
                3 | 4 => {
                    let none = of(
                        &made,
                        json!({ "optionIds": [], "noneSuits": true, "comment": "never" }),
                    );
                    ("vote", &person.token, none)
                }
                5 => ("vote", &person.token, of(&made, json!({ "optionIds": [] }))),
                _ => {
                    let sure = some(&mut numbers);
                    let maybe: Vec<_> = some(&mut numbers)
                        .into_iter()
                        .filter(|id| !sure.contains(id))
                        .collect();
                    let vote = json!({ "optionIds": sure, "maybeOptionIds": maybe });
                    ("vote", &person.token, of(&made, vote))
                }
            };
            let done = mutate(&site, token, name, "", input.clone()).await;
            assert_eq!(errors(&done), [""; 0], "{seed} {step} {name} {input}");
            assert_counted(
                &read(&site, &made).await,
                &format!("{seed} {step} {name} {input}"),
            );
        }
    }
}

#[tokio::test]
async fn an_option_with_votes_is_deleted_only_after_a_question() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let ids: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|option| option.0)
        .collect();
    let bob = open(&site, &made.short_id, VIEW).await;
    mutate(
        &site,
        &bob.token,
        "vote",
        "",
        of(&made, json!({ "optionIds": [ids[0]], "comment": "x" })),
    )
    .await;
    let refused = mutate(
        &site,
        &made.token,
        "deletePollOption",
        "",
        json!({ "id": ids[0] }),
    )
    .await;
    assert_eq!(errors(&refused), ["CONFLICT id"]);
    let message = refused["userErrors"][0]["message"].as_str().unwrap();
    assert!(message.contains("withVotes"), "{message}");
    let deleted = json!({ "id": ids[0], "withVotes": true });
    let deleted = mutate(&site, &made.token, "deletePollOption", "deletedId", deleted).await;
    assert_eq!(deleted["deletedId"], json!(ids[0]));
    assert_eq!(read(&site, &bob).await["myVote"], Value::Null);
    let voted = mutate(
        &site,
        &bob.token,
        "vote",
        "",
        of(&made, json!({ "optionIds": [ids[1]] })),
    )
    .await;
    assert_eq!(errors(&voted), [""; 0]);
    assert_counted(&read(&site, &made).await, "after another vote");
}

/// Each setting to each value, before the first vote and after one for an option, for need be, and for none.
#[tokio::test]
async fn settings_are_corrected_and_what_voters_were_promised_holds() {
    let site = site().await;
    for setting in ["allowsSeveral", "allowsMaybe", "hidesResults", "hidesNames"] {
        for before in [false, true] {
            for voted in ["nothing", "an option", "need be", "none"] {
                let mut settings = json!({ "allowsMaybe": true });
                settings[setting] = json!(before);
                if voted == "need be" && setting == "allowsMaybe" && !before {
                    continue;
                }
                let made = poll(&site, settings).await;
                let id = options(&site, &made).await[0].0.clone();
                let vote = match voted {
                    "an option" => json!({ "optionIds": [id] }),
                    "need be" => json!({ "optionIds": [], "maybeOptionIds": [id] }),
                    "none" => json!({ "optionIds": [], "noneSuits": true }),
                    _ => json!({ "optionIds": [] }),
                };
                let cast = mutate(&site, &made.token, "vote", "", of(&made, vote)).await;
                assert_eq!(errors(&cast), [""; 0]);
                let mut change = of(&made, json!({}));
                change[setting] = json!(!before);
                let changed = mutate(&site, &made.token, "updatePoll", "", change).await;
                let case = format!("{setting} {before} {voted}");
                // Results that were shown stay shown, and names that were hidden stay hidden.
                let is_promised = matches!(
                    (setting, before),
                    ("hidesResults", false) | ("hidesNames", true)
                );
                let is_refused = is_promised && voted != "nothing";
                let poll = read(&site, &made).await;
                if is_refused {
                    assert_eq!(errors(&changed), [format!("CONFLICT {setting}")], "{case}");
                    assert_eq!(poll["correctedAt"], Value::Null, "{case}");
                } else {
                    assert_eq!(errors(&changed), [""; 0], "{case}");
                    assert!(poll["correctedAt"].is_string(), "{case}");
                }
                assert_eq!(poll[setting], json!(before == is_refused), "{case}");
                assert_in_file(&poll, &case);
            }
        }
    }
}

/// From each zone to each other, on both sides of a change of clocks: clocks show the same, and so does the file.
#[tokio::test]
async fn times_are_shown_by_the_clock_of_the_polls_zone() {
    let zones = [
        None,
        Some("UTC"),
        Some("Europe/Berlin"),
        Some("America/New_York"),
        Some("Asia/Kathmandu"),
        Some("Australia/Lord_Howe"),
    ];
    let site = site().await;
    for from in zones {
        for to in zones {
            let times = json!([
                { "day": "2026-05-01" },
                { "startsAt": "2026-03-20T18:00:00Z", "endsAt": "2026-03-20T20:00:00Z" },
                { "startsAt": "2026-07-01T06:30:00Z" },
                { "startsAt": "2026-07-02T06:30:00Z", "text": "Zum Frühstück" },
            ]);
            let made = poll(
                &site,
                json!({ "options": [], "times": times, "timeZone": from }),
            )
            .await;
            let added = of(
                &made,
                json!({ "time": { "startsAt": "2026-12-24T18:00:00Z" } }),
            );
            mutate(&site, &made.token, "addPollOption", "", added).await;
            let before = read(&site, &made).await;
            let change = of(&made, json!({ "timeZone": to }));
            let changed = mutate(&site, &made.token, "updatePoll", "", change).await;
            assert_eq!(errors(&changed), [""; 0]);
            let after = read(&site, &made).await;
            assert_eq!(after["timeZone"], json!(to));
            let pairs = before["options"]
                .as_array()
                .unwrap()
                .iter()
                .zip(after["options"].as_array().unwrap());
            for (at, (old, new)) in pairs.enumerate() {
                let text = |option: &Value| option["text"].as_str().unwrap().to_owned();
                let clock = |option: &Value| text(option).chars().take(16).collect::<String>();
                assert_eq!(clock(old), clock(new), "{from:?} {to:?}");
                assert_eq!(old["day"], new["day"]);
                let is_moved = old["startsAt"] != new["startsAt"];
                assert_eq!(
                    new["editedAt"].is_string(),
                    is_moved || text(old) != text(new),
                    "{from:?} {to:?} {at}: {old} {new}"
                );
                if at != 0 && at != 3 {
                    let start = text(new).split('/').next().unwrap().to_owned();
                    let start = chrono::DateTime::parse_from_rfc3339(&start).unwrap();
                    let stored =
                        chrono::DateTime::parse_from_rfc3339(new["startsAt"].as_str().unwrap())
                            .unwrap();
                    assert_eq!(start, stored, "{from:?} {to:?}");
                }
                let file = after["resultCsv"].as_str().unwrap();
                assert!(
                    file.starts_with('\u{feff}') && file.contains(&text(new)),
                    "{file}"
                );
            }
        }
    }
}

/// What is corrected, and what the option says then.
#[tokio::test]
async fn a_corrected_date_is_the_day_that_its_text_says_and_its_votes_stay() {
    let site = site().await;
    let moved = "2026-06-02T16:00:00.000Z";
    let cases = [
        (
            0,
            json!({ "text": "2026-05-02" }),
            json!(["2026-05-02", "2026-05-02", null]),
        ),
        (
            0,
            json!({ "time": { "day": "2026-05-02" } }),
            json!(["2026-05-02", "2026-05-02", null]),
        ),
        (
            0,
            json!({ "text": "At Ann's" }),
            json!(["At Ann's", "2026-05-01", null]),
        ),
        (
            0,
            json!({ "time": { "startsAt": "2026-06-02T18:00:00+02:00" } }),
            json!(["2026-06-02T18:00:00+02:00", null, moved]),
        ),
        (
            1,
            json!({ "text": "2026-06-02T18:00:00+02:00" }),
            json!(["2026-06-02T18:00:00+02:00", null, moved]),
        ),
        (
            1,
            json!({ "time": { "startsAt": "2026-06-02T18:00:00+02:00" } }),
            json!(["Sunday", null, moved]),
        ),
        (
            1,
            json!({ "time": { "startsAt": "2026-06-02T18:00:00+02:00", "text": "Monday" } }),
            json!(["Monday", null, moved]),
        ),
        (
            2,
            json!({ "text": "2026-05-02" }),
            json!(["2026-05-02", null, null]),
        ),
        (
            2,
            json!({ "time": { "day": "2026-05-02" } }),
            json!(["2026-05-02", "2026-05-02", null]),
        ),
    ];
    for is_voted in [false, true] {
        for (at, correction, wanted) in &cases {
            let times = json!([{ "day": "2026-05-01" }, { "startsAt": "2026-05-03T18:00:00Z", "text": "Sunday" }]);
            let made = poll(
                &site,
                json!({ "options": ["never"], "times": times, "timeZone": "Europe/Berlin" }),
            )
            .await;
            // Texts come before times.
            let at = [1, 2, 0][*at];
            let id = options(&site, &made).await[at].0.clone();
            if is_voted {
                mutate(
                    &site,
                    &made.token,
                    "vote",
                    "",
                    of(&made, json!({ "optionIds": [id] })),
                )
                .await;
            }
            let mut input = correction.clone();
            input["id"] = json!(id);
            let done = mutate(&site, &made.token, "updatePollOption", "", input).await;
            assert_eq!(errors(&done), [""; 0], "{correction}");
            let option = read(&site, &made).await["options"][at].clone();
            assert_eq!(
                json!([option["text"], option["day"], option["startsAt"]]),
                *wanted,
                "{correction}"
            );
            assert_eq!(
                option["voteCount"],
                json!(u32::from(is_voted)),
                "{correction}"
            );
            assert!(option["editedAt"].is_string(), "{correction}");
        }
    }
}

/// The ways in which people write a date, of numbers alone and with words of any language.
fn written(day: u32, month: u32, year: u32) -> Vec<String> {
    let mut all = vec![
        format!("{day}.{month}.{year}"),
        format!("{day:02}.{month:02}.{year}"),
        format!("{day}.{month}."),
        format!("{month}/{day}/{year}"),
        format!("{month}/{day}"),
        format!("{:02}/{:02}/{:02}", day, month, year % 100),
        format!("{year}年{month}月{day}日"),
        format!("{year}/{month:02}/{day:02}"),
    ];
    let name = chrono::Month::try_from(u8::try_from(month).unwrap()).unwrap();
    let name = name.name();
    let of_any_language = ["décembre", "декабря", "كانون الأول", "Δεκεμβρίου", "xii"];
    let words = [name.to_owned(), name[..3].to_owned(), name.to_uppercase()];
    let weekday = chrono::NaiveDate::from_ymd_opt(year.try_into().unwrap(), month, day);
    let weekday = weekday.unwrap().format("%A").to_string();
    let others = of_any_language.into_iter().filter(|_| month == 12);
    for word in words.into_iter().chain(others.map(str::to_owned)) {
        all.extend([
            format!("{day} {word} {year}"),
            format!("{day}. {word}"),
            format!("{word} {day}"),
            format!("{word} {day}, {year}"),
            format!("the {day}th of {word}"),
            format!("{weekday}, {day} {word}"),
            format!("Sonntag, den {day}. {word}, bei Ann"),
        ]);
    }
    all
}

/// A text never says another day than the one that is stored beside it: however it is written, it is refused, or changes the
/// day, or says the same one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_does_not_contradict_the_day_of_its_option() {
    let site = site().await;
    let times = json!([{ "day": "2026-12-13" }, { "startsAt": "2026-12-13T18:00:00+01:00", "text": "Sunday evening" }]);
    let made = poll(
        &site,
        json!({ "times": times, "timeZone": "Europe/Berlin" }),
    )
    .await;
    let ids: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.0)
        .collect();
    let shown = async |at: usize| {
        let options = read(&site, &made).await["options"].clone();
        options[at].clone()
    };
    for at in [3, 4] {
        let before = shown(at).await;
        for (day, month, year) in [
            (20, 12, 2026),
            (13, 11, 2026),
            (13, 12, 2027),
            (12, 12, 2026),
            (1, 1, 2030),
        ] {
            for text in written(day, month, year) {
                // A text without the part that differs says nothing else.
                let differs = [day != 13, month != 12, year != 2026];
                let is_said = [
                    true,
                    true,
                    text.contains(&year.to_string())
                        || text.contains("/27")
                        || text.contains("/30"),
                ];
                if !differs
                    .iter()
                    .zip(is_said)
                    .any(|(differs, is_said)| *differs && is_said)
                {
                    continue;
                }
                let input = json!({ "id": ids[at], "text": text });
                let refused = mutate(&site, &made.token, "updatePollOption", "", input).await;
                assert_eq!(errors(&refused), ["INVALID text"], "{text}");
                let message = refused["userErrors"][0]["message"].as_str().unwrap();
                assert!(message.contains("`time`"), "{message}");
                assert_eq!(shown(at).await, before, "{text}");
            }
        }
        // The same day, and texts that name none, are fine.
        for text in written(13, 12, 2026).iter().map(String::as_str).chain([
            "At Ann's",
            "Sunday",
            "Maybe",
            "Sun and 13 cakes",
        ]) {
            let input = json!({ "id": ids[at], "text": text });
            let done = mutate(&site, &made.token, "updatePollOption", "", input).await;
            assert_eq!(errors(&done), [""; 0], "{text}");
            let after = shown(at).await;
            assert_eq!(
                (&after["text"], &after["day"]),
                (&json!(text), &before["day"])
            );
            let back = json!({ "id": ids[at], "text": before["text"] });
            mutate(&site, &made.token, "updatePollOption", "", back).await;
        }
        // With the day beside it, any text is.
        let both = json!({ "id": ids[at], "text": "20 December", "time": { "day": "2026-12-20" } });
        let done = mutate(&site, &made.token, "updatePollOption", "", both).await;
        assert_eq!(errors(&done), [""; 0]);
        assert_eq!(shown(at).await["day"], "2026-12-20");
        let next =
            json!({ "id": ids[at], "text": before["text"], "time": { "day": "2026-12-27" } });
        mutate(&site, &made.token, "updatePollOption", "", next).await;
    }
}

/// Times around the changes of clocks of some zones, moved from each zone to each other: the zone is changed, and clocks show what
/// they showed and no two options have become one, or it is refused with an option and nothing has changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zone_is_not_corrected_if_a_time_would_be_lost() {
    const ZONES: [Option<&str>; 5] = [
        None,
        Some("Europe/Berlin"),
        Some("America/New_York"),
        Some("Australia/Lord_Howe"),
        Some("America/Sao_Paulo"),
    ];
    // The hour in UTC in which clocks of Berlin, New York or Lord Howe change.
    const CHANGES: [(&str, i64); 6] = [
        ("2026-03-29", 1),
        ("2026-10-25", 1),
        ("2026-03-08", 7),
        ("2026-11-01", 6),
        ("2026-04-04", 15),
        ("2026-10-03", 15),
    ];
    let (mut refused, mut changed) = (0, 0);
    for (day, hour) in CHANGES {
        let site = site().await;
        for from in ZONES {
            for to in ZONES.into_iter().filter(|to| *to != from) {
                // What the clocks of the zones show then is near the change in each of them.
                for shift in [0, 1, 5] {
                    let first = hour - 1 + shift;
                    let moments = (0..4).map(|half| {
                        let minutes = first * 60 + half * 30;
                        let start: chrono::DateTime<chrono::Utc> =
                            format!("{day}T00:00:00Z").parse().unwrap();
                        (start + chrono::TimeDelta::minutes(minutes)).to_rfc3339()
                    });
                    let times: Vec<_> = moments.map(|at| json!({ "startsAt": at })).collect();
                    let made = poll(
                        &site,
                        json!({ "options": [], "times": times, "timeZone": from }),
                    )
                    .await;
                    let about = format!("{day} {hour} {shift} from {from:?} to {to:?}");
                    let before = read(&site, &made).await;
                    let change = of(&made, json!({ "timeZone": to }));
                    let answer = mutate(&site, &made.token, "updatePoll", "", change).await;
                    let after = read(&site, &made).await;
                    let clocks = |poll: &Value| -> Vec<String> {
                        let options = poll["options"].as_array().unwrap().iter();
                        let text = |option: &Value| option["text"].as_str().unwrap().to_owned();
                        options
                            .map(|option| text(option).chars().take(16).collect())
                            .collect()
                    };
                    if errors(&answer).is_empty() {
                        changed += 1;
                        assert_eq!(clocks(&before), clocks(&after), "{about}");
                        let options = after["options"].as_array().unwrap();
                        let mut starts: Vec<_> = options.iter().map(|o| &o["startsAt"]).collect();
                        starts.dedup();
                        assert_eq!(starts.len(), options.len(), "{about}: {after:#}");
                        continue;
                    }
                    refused += 1;
                    assert_eq!(errors(&answer), ["CONFLICT timeZone"], "{about}");
                    assert_eq!(before, after, "{about}");
                    let message = answer["userErrors"][0]["message"].as_str().unwrap();
                    let options = before["options"].as_array().unwrap();
                    let is_named = options
                        .iter()
                        .any(|option| message.contains(option["text"].as_str().unwrap()));
                    assert!(is_named, "{about}: {message}");
                }
            }
        }
    }
    assert!(refused > 10 && changed > 100, "{refused} {changed}");
}
