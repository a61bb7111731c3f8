//! Sample data: the viewer has looked for work and invested before they founded a startup, and is an admin now. So every list has
//! something of theirs.

use serde_json::{Value, json};

use trestle_api::EventBus;
use trestle_service::{Demo, DemoUser, Failure, Sample};

use super::make_admin::make_admin;
use super::subscriptions::apply::Ledger;
use super::subscriptions::event::{Read, read};

/// Who registers: their ids, roles, names, and what they say of themselves.
const USERS: [(&str, &str, &str, &str); 8] = [
    ("rosa", "FOUNDER", "Rosa Lind", "Looks after this place."),
    ("local", "INVESTOR", "Ada Park", "Roofs, robots and rivers."),
    (
        "finn",
        "FOUNDER",
        "Finn Moor",
        "Builds turbines for small rivers.",
    ),
    (
        "tom",
        "TALENT",
        "Tom Reyes",
        "Firmware, and everything that turns.",
    ),
    ("uma", "TALENT", "Uma Okoye", "Designs what people touch."),
    ("ivy", "INVESTOR", "Ivy Chen", "Invests early in energy."),
    ("vic", "INVESTOR", "Vic Stone", "A sure thing, every time."),
    ("max", "TALENT", "Max Low", "Calls at night."),
];

/// Makes all of it.
pub async fn fill(demo: &Demo<'_>) -> Result<Vec<Sample>, Failure> {
    let [local, rosa, finn, tom, uma, ivy, vic] =
        ["local", "rosa", "finn", "tom", "uma", "ivy", "vic"].map(|name| user(demo, name));
    let ids = register(demo).await?;
    make_admin(&demo.tables, "rosa").await?;

    // As an investor.
    let tidewheel = startup(demo, &finn, 29, "Tidewheel", "Power from small rivers").await?;
    let at = demo.ago(28, 0);
    let ask = json!({ "startupId": tidewheel, "accessLevel": "VIEW_DECK", "message": "May I read the deck?" });
    let asked = local.mutate(at, "requestAccess", "accessRequest { id }", ask);
    let id = asked.await?["accessRequest"]["id"].take();
    let approval = json!({ "id": id, "status": "APPROVED" });
    finn.mutate(at, "decideAccess", "", approval).await?;

    // As talent.
    let role = json!({ "id": ids["local"], "role": "TALENT" });
    rosa.mutate(demo.ago(27, 0), "setUserRole", "", role)
        .await?;
    let engineer = role_of(demo, &finn, 26, &tidewheel, "Firmware engineer").await?;
    let saved = json!({ "roleId": engineer });
    local.mutate(demo.ago(26, 0), "saveRole", "", saved).await?;
    let application = apply(demo, &local, 25, &engineer, "I have built two inverters.").await?;
    let review = json!({ "id": application, "status": "SHORTLISTED", "reason": "We would like to meet you." });
    finn.mutate(demo.ago(24, 0), "reviewApplication", "", review)
        .await?;

    // As a founder.
    let role = json!({ "id": ids["local"], "role": "FOUNDER" });
    rosa.mutate(demo.ago(20, 0), "setUserRole", "", role)
        .await?;
    let sunroof = startup(demo, &local, 19, "Sunroof", "Roofs that pay for themselves").await?;
    let installer = role_of(demo, &local, 15, &sunroof, "Firmware engineer").await?;
    role_of(demo, &local, 14, &sunroof, "Product designer").await?;
    let application = apply(demo, &tom, 10, &installer, "I have wired my own roof.").await?;
    apply(demo, &uma, 9, &installer, "I can learn what I do not know.").await?;
    let review =
        json!({ "id": application, "status": "REVIEWING", "founderNotes": "Ask about the rota." });
    local
        .mutate(demo.ago(8, 0), "reviewApplication", "", review)
        .await?;
    let ask = json!({ "startupId": sunroof, "accessLevel": "FULL_ACCESS", "message": "We invest in energy." });
    ivy.mutate(demo.ago(7, 0), "requestAccess", "", ask).await?;
    let invite =
        json!({ "startupId": sunroof, "accessLevel": "VIEW_DECK", "email": "vic@example.com" });
    local
        .mutate(demo.ago(7, 0), "createInvitation", "", invite)
        .await?;
    subscribe(demo).await?;

    // Two talk, another one joins, and one who is asked about is reported.
    let at = demo.ago(3, 0);
    let talk = json!({ "type": "DIRECT", "participantIds": [ids["tom"]], "relatedApplicationId": application });
    let talk = local.mutate(at, "createConversation", "conversation { id }", talk);
    let conversation = talk.await?["conversation"]["id"].take();
    let texts = [
        (
            &local,
            "Hello Tom, thank you for applying. When can we talk?",
        ),
        (&tom, "Thursday suits me. Is the test roof in Basel?"),
        (&local, "It is. Bring a helmet: wet roofs are slippery."),
        (&tom, "I will. See you on Thursday!"),
    ];
    for (hour, (author, text)) in (1..).zip(texts) {
        let message = json!({ "conversationId": conversation, "content": text });
        let at = demo.ago(3, -60 * hour);
        author.mutate(at, "sendMessage", "", message).await?;
    }
    let at = demo.ago(2, 0);
    for (author, text) in [
        (&uma, "May I ask about the role?"),
        (&vic, "Double your money in a week!"),
    ] {
        let talk =
            json!({ "type": "GROUP", "participantIds": [ids["local"]], "introduction": text });
        author.mutate(at, "createConversation", "", talk).await?;
    }
    let report =
        json!({ "reportedId": ids["vic"], "reason": "SPAM", "details": "Promises too much." });
    local
        .mutate(demo.ago(1, 0), "createReport", "", report)
        .await?;
    let block = json!({ "id": ids["max"] });
    local.mutate(demo.ago(1, 0), "blockUser", "", block).await?;

    // What an admin sees is the rest of the API.
    let role = json!({ "id": ids["local"], "role": "ADMIN" });
    rosa.mutate(demo.ago(0, 60), "setUserRole", "", role)
        .await?;
    Ok(vec![Sample {
        name: "a hub of startups".to_owned(),
        fragment: String::new(),
        needs: "you are Ada Park, the founder of Sunroof, and an admin: ask for myStartups, inbox, notifications"
            .to_owned(),
    }])
}

fn user<'d>(demo: &'d Demo<'d>, name: &str) -> DemoUser<'d> {
    if name == "local" {
        demo.local()
    } else {
        demo.other(name, &[])
    }
}

/// Registers everybody. Their ids, by their names.
async fn register(demo: &Demo<'_>) -> Result<Value, Failure> {
    let mut ids = json!({});
    for (name, role, names, bio) in USERS {
        let (first, last) = names.split_once(' ').unwrap_or_default();
        let profile = json!({
            "role": role, "email": format!("{name}@example.com"), "firstName": first, "lastName": last, "bio": bio,
            "location": "Basel", "isDiscoverable": true,
        });
        let user = user(demo, name);
        let registered = user.mutate(demo.ago(30, 0), "registerUser", "user { id }", profile);
        ids[name] = registered.await?["user"]["id"].take();
    }
    Ok(ids)
}

/// A startup that its founder submits, and that an admin activates.
async fn startup(
    demo: &Demo<'_>,
    founder: &DemoUser<'_>,
    days: i64,
    name: &str,
    tagline: &str,
) -> Result<Value, Failure> {
    let startup = json!({
        "name": name, "tagline": tagline, "description": format!("{tagline}, made in Basel."), "industry": "Energy",
        "location": "Basel", "visibility": "PUBLIC", "stage": "MVP", "teamSize": 3, "fundingGoal": 500_000,
        "fundingRaised": 120_000, "tags": ["energy", "hardware"],
    });
    let at = demo.ago(days, 0);
    let created = founder.mutate(at, "createStartup", "startup { id }", startup);
    let id = created.await?["startup"]["id"].take();
    for (mover, status) in [(founder, "PENDING_REVIEW"), (&user(demo, "rosa"), "ACTIVE")] {
        let status = json!({ "id": id, "status": status });
        mover.mutate(at, "setStartupStatus", "", status).await?;
    }
    Ok(id)
}

/// An open role of a startup.
async fn role_of(
    demo: &Demo<'_>,
    founder: &DemoUser<'_>,
    days: i64,
    startup: &Value,
    title: &str,
) -> Result<Value, Failure> {
    let role = json!({
        "startupId": startup, "title": title, "description": "A team of three, and a lot to do.", "type": "FULL_TIME",
        "location": "Basel", "payMin": 90_000, "payMax": 120_000, "equityRange": "0.5 to 1 %",
    });
    let created = founder.mutate(demo.ago(days, 0), "createRole", "role { id }", role);
    Ok(created.await?["role"]["id"].take())
}

/// The application of somebody for a role.
async fn apply(
    demo: &Demo<'_>,
    talent: &DemoUser<'_>,
    days: i64,
    role: &Value,
    letter: &str,
) -> Result<Value, Failure> {
    let letter = json!({ "roleId": role, "coverLetter": letter });
    let applied = talent.mutate(
        demo.ago(days, 0),
        "applyForRole",
        "application { id }",
        letter,
    );
    Ok(applied.await?["application"]["id"].take())
}

/// What Stripe reports when the viewer pays.
async fn subscribe(demo: &Demo<'_>) -> Result<(), Failure> {
    let at = demo.ago(7, 0).timestamp();
    let event = json!({
        "id": "evt_demo", "type": "customer.subscription.created", "created": at, "data": { "object": {
            "id": "sub_demo", "customer": "cus_demo", "status": "active", "created": at,
            "metadata": { "userId": "local" },
            "items": { "data": [{
                "price": { "id": "price_demo", "metadata": { "tier": "PRO" } },
                "current_period_start": at, "current_period_end": at + 30 * 24 * 3600,
            }] },
        } },
    });
    let ledger = Ledger {
        tables: demo.tables.clone(),
        live: EventBus::default(),
    };
    let Read::Report(report) = read(event.to_string().as_bytes()) else {
        return Err(Failure::new("The event of Stripe cannot be read."));
    };
    ledger.apply(&report).await?;
    Ok(())
}
