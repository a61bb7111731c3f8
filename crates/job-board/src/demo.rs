//! Sample data: postings in several cities, and the viewer on both sides: a seeker with suggestions and a match, and an employer
//! whose posting somebody is interested in.

use serde_json::{Value, json};

use trestle_service::{Demo, Failure, Sample};

/// How many days ago which employer posted what, where, with which skills.
type Posting<'p> = (i64, &'p str, &'p str, [&'p str; 2], [&'p str; 2]);

const POSTINGS: [Posting<'_>; 8] = [
    (
        19,
        "northlight",
        "Backend Engineer",
        ["Austin, TX", "US"],
        ["Rust", "SQL"],
    ),
    (
        17,
        "harbor",
        "Data Engineer",
        ["Berlin", "DE"],
        ["Python", "SQL"],
    ),
    (
        14,
        "kestrel",
        "Site Reliability Engineer",
        ["Montréal, QC", "CA"],
        ["Kubernetes", "Go"],
    ),
    (
        12,
        "northlight",
        "Frontend Engineer",
        ["Austin, TX", "US"],
        ["TypeScript", "React"],
    ),
    (
        9,
        "harbor",
        "Nurse",
        ["Austin, TX", "US"],
        ["First aid", "Spanish"],
    ),
    (
        6,
        "kestrel",
        "Senior Software Engineer",
        ["Remote", "US"],
        ["Rust", "GraphQL"],
    ),
    (
        4,
        "local",
        "Platform Engineer",
        ["Berlin", "DE"],
        ["Rust", "AWS"],
    ),
    (
        2,
        "northlight",
        "Software Engineer",
        ["Austin, TX", "US"],
        ["Rust", "DynamoDB"],
    ),
];
const COMPANIES: [(&str, &str); 4] = [
    ("northlight", "Northlight"),
    ("harbor", "Bright Harbor Health"),
    ("kestrel", "Kestrel Security"),
    ("local", "Sunroof"),
];

/// Makes all of it.
pub async fn fill(demo: &Demo<'_>) -> Result<Vec<Sample>, Failure> {
    let (local, northlight) = (demo.local(), demo.other("northlight", &["employer"]));
    for (name, company) in COMPANIES {
        let profile = json!({ "company": company, "website": format!("https://{name}.example/") });
        let at = demo.ago(20, 0);
        employer(demo, name)
            .mutate(at, "saveEmployerProfile", "", profile)
            .await?;
    }
    let mut jobs = Vec::new();
    for (days, name, title, [city, country], skills) in POSTINGS {
        let company = COMPANIES.iter().find(|company| company.0 == name);
        let posting = json!({
            "company": company.map(|company| company.1), "title": title, "skills": skills,
            "places": [{ "city": city, "country": country }], "payMin": 90_000, "payMax": 120_000,
        });
        let posted = employer(demo, name);
        let posted = posted.mutate(demo.ago(days, 0), "createJob", "job { id }", posting);
        jobs.push(posted.await?["job"]["id"].take());
    }
    let seeker = json!({
        "name": "Ada Park", "headline": "Software engineer", "skills": ["Rust", "SQL", "GraphQL"],
        "places": [{ "city": "Austin, TX", "country": "US" }], "wantsRemote": true, "minPay": 85_000,
    });
    local
        .mutate(demo.ago(0, 180), "saveSeekerProfile", "", seeker)
        .await?;
    if super::makes_suggestions(demo.arguments) {
        let query = "{ mySeekerProfile { suggestionsPending } }";
        local
            .wait_for(query, "/mySeekerProfile/suggestionsPending", json!(false))
            .await?;
    }
    let search = json!({ "name": "Rust in Austin", "places": ["Austin, TX"], "filter": { "skills": ["Rust"] } });
    local
        .mutate(demo.ago(0, 170), "saveSearch", "", search)
        .await?;
    // One interest waits, the other one becomes a match.
    let at = demo.ago(0, 160);
    let mut interest = Value::Null;
    for job in [&jobs[3], &jobs[0]] {
        let asked = local.mutate(
            at,
            "expressInterest",
            "interest { id }",
            json!({ "jobId": job }),
        );
        interest = asked.await?["interest"]["id"].take();
    }
    let at = demo.ago(0, 90);
    let approved = northlight.mutate(
        at,
        "approveInterest",
        "match { id }",
        json!({ "id": interest }),
    );
    let id = approved.await?["match"]["id"].take();
    let text = "Hello Ada, we like your profile. When can we talk?";
    let message = json!({ "matchId": id, "as": "EMPLOYER", "text": text });
    northlight.mutate(at, "sendMessage", "", message).await?;
    let message =
        json!({ "matchId": id, "as": "SEEKER", "text": "On Thursday, from ten o'clock on." });
    local
        .mutate(demo.ago(0, 75), "sendMessage", "", message)
        .await?;
    let (tom, at) = (demo.other("tom", &["seeker"]), demo.ago(0, 60));
    let seeker = json!({
        "name": "Tom Reyes", "headline": "Platform engineer", "skills": ["AWS", "Rust"],
        "places": [{ "city": "Berlin", "country": "DE" }],
    });
    tom.mutate(at, "saveSeekerProfile", "", seeker).await?;
    let waiting = json!({ "jobId": jobs[6] });
    tom.mutate(at, "expressInterest", "", waiting).await?;
    Ok(vec![Sample {
        name: "a job board".to_owned(),
        fragment: String::new(),
        needs: "you are the seeker Ada Park and the employer Sunroof: ask for suggestions, matches, waitingInterests"
            .to_owned(),
    }])
}

fn employer<'d>(demo: &'d Demo<'d>, name: &str) -> trestle_service::DemoUser<'d> {
    if name == "local" {
        demo.local()
    } else {
        demo.other(name, &["employer"])
    }
}
