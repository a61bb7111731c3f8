//! Skills, titles and places in every spelling: what is written one way is found and suggested the other way.

use serde_json::{Value, json};
use trestle_testing::odd::item;

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, text, with};

/// The titles that a search in Montreal finds.
async fn found(board: &Board, filter: Value) -> Vec<String> {
    let list = "query($filter: JobFilter) { jobs(city: \"Montreal\", filter: $filter) { edges { node { title } } } }";
    let list = board.data(BOB, list, json!({ "filter": filter })).await;
    let titles = nodes(&list["jobs"]).into_iter();
    let mut titles: Vec<_> = titles.map(|job| text(&job["title"])).collect();
    titles.sort_unstable();
    titles
}

/// The titles that are suggested to a seeker with this profile.
async fn suggested(board: &Board, changes: Value) -> Vec<String> {
    let bare = json!({
        "name": "Ann", "places": [{ "city": "montreal", "country": "CA" }], "skills": [],
    });
    board.save(ANN, with(bare, changes)).await;
    board.make().await;
    let list = "{ suggestions { edges { node { job { title } } } } }";
    let list = board.data(ANN, list, json!({})).await;
    let titles = nodes(&list["suggestions"]).into_iter();
    let mut titles: Vec<_> = titles.map(|node| text(&node["job"]["title"])).collect();
    titles.sort_unstable();
    titles
}

#[tokio::test]
async fn a_skill_is_found_in_every_spelling() {
    let board = Board::start().await;
    for (title, skill) in [
        ("One", "Golang (Go)"),
        ("Two", "Kubernetes"),
        ("Three", "JavaScript/ES6"),
        ("Four", "PostgreSQL 16"),
        ("Five", "Node.js"),
        ("Six", "React.js"),
        ("Seven", "C#"),
        ("Eight", "C++17"),
        ("Nine", ".NET Core"),
    ] {
        let posting = json!({ "title": title, "skills": [skill], "description": null });
        board.post(ERIN, with(job(), posting)).await;
    }
    for (spellings, title) in [
        (["golang", "Go", "go lang"], "One"),
        (["k8s", "kube", "Kubernetes (K8s)"], "Two"),
        (["JS", "javascript", "Java Script"], "Three"),
        (["postgres", "Postgre SQL", "psql"], "Four"),
        (["node", "NodeJS", "node js"], "Five"),
        (["react", "ReactJS", "React JS"], "Six"),
        (["csharp", "C Sharp", "c #"], "Seven"),
        (["cpp", "C ++", "C++"], "Eight"),
        (["dotnet", "ASP.NET", ".NET 8"], "Nine"),
    ] {
        for spelling in spellings {
            let skills = json!({ "skills": [spelling] });
            assert_eq!(found(&board, skills).await, [title], "{spelling}");
            let profile = json!({ "skills": [spelling], "headline": null });
            assert_eq!(suggested(&board, profile).await, [title], "{spelling}");
        }
    }
    // A word of the text that names a skill is found in titles, descriptions and skills.
    for (words, title, by_skill) in [
        (["k8s", "kube"], "Kubernetes Engineer", "Two"),
        (["postgres", "psql"], "PostgreSQL Administrator", "Four"),
        (["dotnet", ".NET"], "ASP.NET Developer", "Nine"),
    ] {
        let posting = json!({ "title": title, "skills": [], "description": null });
        board.post(ERIN, with(job(), posting)).await;
        let mut both = [title, by_skill];
        both.sort_unstable();
        for word in words {
            assert_eq!(found(&board, json!({ "text": word })).await, both, "{word}");
        }
    }
}

#[tokio::test]
async fn skills_with_marks_are_found_on_both_sides() {
    let board = Board::start().await;
    for (title, skill) in [
        ("Both", "C/C++"),
        ("Plus", "C++"),
        ("Pipelines", "CI/CD"),
        ("Net", "TCP/IP"),
        ("Dot", ".NET"),
        ("Sharp", "C#"),
        ("Query", "PL/SQL"),
        ("Tests", "A/B testing"),
        ("Pair", "React/Redux"),
    ] {
        let posting = json!({ "title": title, "skills": [skill], "description": null });
        board.post(ERIN, with(job(), posting)).await;
    }
    for (spelling, titles) in [
        ("C/C++", &["Both", "Plus"][..]),
        ("C++", &["Both", "Plus"]),
        ("cpp", &["Both", "Plus"]),
        ("C", &["Both"]),
        ("CI/CD", &["Pipelines"]),
        ("ci cd", &["Pipelines"]),
        ("CI / CD", &["Pipelines"]),
        ("Continuous integration", &["Pipelines"]),
        ("TCP/IP", &["Net"]),
        ("TCP-IP", &["Net"]),
        (".NET", &["Dot"]),
        ("dotnet", &["Dot"]),
        ("C#", &["Sharp"]),
        ("C#/.NET", &["Dot", "Sharp"]),
        ("PL/SQL", &["Query"]),
        ("plsql", &["Query"]),
        ("AB Testing", &["Tests"]),
        ("Redux", &["Pair"]),
        ("React", &["Pair"]),
    ] {
        let skills = json!({ "skills": [spelling] });
        assert_eq!(found(&board, skills).await, titles, "{spelling}");
        let profile = json!({ "skills": [spelling], "headline": null });
        assert_eq!(suggested(&board, profile).await, titles, "{spelling}");
    }
    // In a text, the words of one skill belong together.
    for (titles, spelling) in [
        (
            &["Continuous Integration Engineer", "Pipelines"][..],
            "CI/CD",
        ),
        (&["ML Researcher"], "machine learning"),
        (&["Net", "TCP/IP Expert"], "tcp-ip"),
    ] {
        let title = titles.iter().max_by_key(|title| title.len());
        let posting = json!({ "title": title, "skills": [], "description": null });
        board.post(ERIN, with(job(), posting)).await;
        let text = json!({ "text": spelling });
        assert_eq!(found(&board, text).await, titles, "{spelling}");
    }
}

#[tokio::test]
async fn a_skill_stays_as_it_is_written_and_is_found_in_every_spelling() {
    let board = Board::start().await;
    let skills = ["PL/SQL", "plsql", "Transact-SQL", "ASP.NET Core", "JS"];
    let own = json!(["PL/SQL", "Transact-SQL", "ASP.NET Core", "JS"]);
    let posting = with(job(), json!({ "title": "Kinds", "skills": skills }));
    board.post(ERIN, posting).await;
    let mine = "{ myJobs { edges { node { skills } } } }";
    let mine = nodes(&board.data(ERIN, mine, json!({})).await["myJobs"]);
    assert_eq!(mine, [json!({ "skills": own })]);
    let saved = with(profile(), json!({ "skills": skills }));
    let saved = board.done(ANN, "saveSeekerProfile", saved, "seeker { skills }");
    assert_eq!(saved.await["seeker"]["skills"], own);
    for spelling in ["SQL", "T-SQL", "PL/SQL", ".NET", "asp.net", "javascript"] {
        let skills = json!({ "skills": [spelling] });
        assert_eq!(found(&board, skills).await, ["Kinds"], "{spelling}");
    }
}

#[tokio::test]
async fn what_only_belongs_together_is_not_one_skill() {
    let board = Board::start().await;
    for (title, skill) in [
        ("Chips", "Verilog"),
        ("Books", "Bookkeeping"),
        ("Robots", "ROS"),
    ] {
        let posting = json!({ "title": title, "skills": [skill], "description": null });
        board.post(ERIN, with(job(), posting)).await;
    }
    for (other, own, title) in [
        ("FPGA", "System Verilog", None),
        ("VHDL", "verilog", Some("Chips")),
        ("Accounting", "book keeping", Some("Books")),
        ("Robotics", "ROS 2", Some("Robots")),
    ] {
        let by = |skill: &str| json!({ "skills": [skill] });
        assert!(found(&board, by(other)).await.is_empty(), "{other}");
        let titles: Vec<&str> = title.into_iter().collect();
        assert_eq!(found(&board, by(own)).await, titles, "{own}");
    }
}

#[tokio::test]
async fn data_entry_is_not_an_entry_level() {
    let board = Board::start().await;
    for title in ["Data Entry Clerk", "Entry-Level Accountant"] {
        board
            .post(ERIN, with(job(), json!({ "title": title })))
            .await;
    }
    let entry = json!({ "seniorities": ["ENTRY"] });
    assert_eq!(found(&board, entry).await, ["Entry-Level Accountant"]);
    let internship = json!({ "title": "Data Entry Intern", "skills": [] });
    board.post(ERIN, with(job(), internship)).await;
    let seeker = json!({ "headline": "Data entry" });
    assert_eq!(suggested(&board, seeker).await[0], "Data Entry Clerk");
}

#[tokio::test]
async fn a_headline_finds_a_title_in_every_spelling() {
    for (headline, title) in [
        ("Golang developer", "Backend Engineer, Go"),
        ("Go developer", "Software Engineer (Golang)"),
        ("K8s engineer", "Kubernetes Engineer"),
        ("React developer", "Senior React.js Developer"),
        ("Node developer", "Node.js Engineer"),
        ("dotnet developer", ".NET Engineer"),
        ("C# developer", "CSharp Software Engineer"),
        ("C/C++ developer", "C++ Engineer"),
        ("C++ developer", "C/C++ Engineer"),
        ("DevOps/SRE", "SRE, Platform"),
    ] {
        let board = Board::start().await;
        let posting = json!({ "title": title, "skills": [], "description": null });
        board.post(ERIN, with(job(), posting)).await;
        let profile = json!({ "headline": headline });
        assert_eq!(suggested(&board, profile).await, [title], "{headline}");
    }
}

#[tokio::test]
async fn codes_of_requisitions_say_nothing_and_internships_are_for_beginners() {
    let board = Board::start().await;
    for title in [
        "Robotics Software Engineer II R2",
        "Robotics Software Engineer Intern R2",
        "Robotics Software Engineer (REQ-10234)",
    ] {
        let posting = json!({ "title": title, "skills": [], "description": null });
        board.post(ERIN, with(job(), posting)).await;
    }
    let others = [
        "Robotics Software Engineer (REQ-10234)",
        "Robotics Software Engineer II R2",
    ];
    let intern = "Robotics Software Engineer Intern R2";
    for headline in [
        "Robotics Software Engineer",
        "Senior Robotics Software Engineer",
    ] {
        let profile = json!({ "headline": headline });
        assert_eq!(suggested(&board, profile).await, others, "{headline}");
    }
    let list = "{ suggestions(relevance: R1) { edges { node { job { title } } } } }";
    let profile = json!({ "headline": "Robotics Software Engineer" });
    suggested(&board, profile).await;
    let best = nodes(&board.data(ANN, list, json!({})).await["suggestions"]);
    assert_eq!(best.len(), 2, "nothing keeps a title from matching");
    for headline in [
        "Robotics Software Engineer Intern",
        "Junior Robotics Software Engineer",
        "Student looking for a robotics software engineer position",
    ] {
        let profile = json!({ "headline": headline });
        let found = suggested(&board, profile).await;
        assert!(found.contains(&intern.to_owned()), "{headline}: {found:?}");
    }
}

#[tokio::test]
async fn a_step_that_says_nothing_names_what_to_give() {
    let board = Board::start().await;
    let matched = board.matched().await;
    let empty = json!({ "id": matched });
    let refused = board.mutate(ERIN, "moveMatch", empty, "").await;
    let error = &refused["userErrors"][0];
    assert_eq!(error["field"], json!(["stage"]));
    let message =
        "`stage` must be given unless `note` is: name the new stage, write a note, or both.";
    assert_eq!(error["message"], message);
}

/// A stored job in Washington, as an earlier version or another program has written it.
async fn stored_in_washington(board: &Board, id: &str, zip: &str) {
    let place = format!("j#2026-02-20#{zip}#{id}");
    let stored = json!({
        "pk": "job#washington#", "sk": place, "entityType": "job", "GSI1PK": "employer#erin", "GSI1SK": place,
        "createdAt": "2026-02-20T10:00:00.000Z", "updatedAt": "2026-02-20T10:00:00.000Z", "jobId": id,
        "employerId": "erin", "city": "washington", "zip": zip, "company": "Acme", "title": format!("Engineer of {zip}!"),
        "skills": [], "isRemote": false, "lastDay": "9999-12-31",
        "places": [{ "city": "Washington", "country": "US", "zip": zip }],
    });
    let put = board.dynamodb.put_item().table_name("job-app");
    put.set_item(Some(item(&stored))).send().await.unwrap();
}

#[tokio::test]
async fn washington_alone_is_the_city_and_the_state_unless_its_zip_code_says_which() {
    let board = Board::start().await;
    for (n, zip) in [(1, ""), (2, "20001"), (3, "98101")] {
        let id = crate::board::ulid("2026-02-20T10:00:00Z", n);
        stored_in_washington(&board, &id, zip).await;
    }
    let list = "query($city: String!) { jobs(city: $city) { edges { node { title } } } }";
    for (city, expected) in [
        (
            "Washington, DC",
            &["Engineer of !", "Engineer of 20001!"][..],
        ),
        ("Washington, WA", &["Engineer of !", "Engineer of 98101!"]),
        (
            "Washington",
            &["Engineer of !", "Engineer of 20001!", "Engineer of 98101!"],
        ),
    ] {
        let list = board.data(ANN, list, json!({ "city": city })).await;
        let mut titles: Vec<_> = nodes(&list["jobs"])
            .iter()
            .map(|job| text(&job["title"]))
            .collect();
        titles.sort_unstable();
        assert_eq!(titles, expected, "{city}");
    }
    // Whoever writes it now says which one.
    let places = json!({ "places": [{ "city": "Washington", "country": "US" }] });
    let refused = board
        .mutate(ERIN, "createJob", with(job(), places), "")
        .await;
    let message = text(&refused["userErrors"][0]["message"]);
    assert!(message.contains("\"Washington, DC\""), "{message}");
}

#[tokio::test]
async fn items_without_moments_are_read() {
    let board = Board::start().await;
    let matched = board.matched().await;
    board.send(ANN, &matched, "Hello").await;
    board.save(BOB, profile()).await;
    for stored in board.items("job-app").await {
        let kind = stored["entityType"].as_s().unwrap().clone();
        let removed: &[&str] = match kind.as_str() {
            "job" | "message" | "match" => &["createdAt", "updatedAt"],
            "seeker" | "employer" => &["createdAt"],
            _ => continue,
        };
        let mut bare = stored.clone();
        for name in removed {
            bare.remove(*name);
        }
        let put = board.dynamodb.put_item().table_name("job-app");
        put.set_item(Some(bare)).send().await.unwrap();
    }
    let at = "2026-02-22T19:12:11.000Z";
    let reads = [
        (
            ERIN,
            "{ myJobs { edges { node { createdAt updatedAt } } } }",
            "myJobs",
        ),
        (
            ANN,
            "{ matches { edges { node { matchedOn createdAt messages { edges { node { sentAt } } } } } } }",
            "matches",
        ),
    ];
    for (viewer, query, list) in reads {
        let read = board.data(viewer, query, json!({})).await;
        let node = &nodes(&read[list])[0];
        let day = match list {
            // Its key has the day of the approval.
            "matches" => "2026-02-22T00:00:00.000Z",
            _ => at,
        };
        assert_eq!(node["createdAt"], day, "{node}");
        if list == "matches" {
            assert_eq!(node["messages"]["edges"][0]["node"]["sentAt"], at);
        }
    }
    let own = "{ mySeekerProfile { name createdAt updatedAt } }";
    let own = board.data(BOB, own, json!({})).await;
    assert_eq!(
        own["mySeekerProfile"]["createdAt"],
        own["mySeekerProfile"]["updatedAt"]
    );
    // They are changed as others are, and nothing is made up in them.
    board
        .save(BOB, with(profile(), json!({ "name": "Bob" })))
        .await;
    let step = json!({ "id": matched, "note": "Call" });
    board.done(ERIN, "moveMatch", step, "").await;
    let stored = board.stored("match").await;
    assert!(!stored[0].contains_key("createdAt"));
}
