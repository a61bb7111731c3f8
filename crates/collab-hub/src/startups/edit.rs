//! Startups as their founders write them: created and updated.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::journal::Journal;
use crate::member::{acting, acting_as};
use crate::named::given_name;
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::UserRole;
use trestle_api::mutations;
use trestle_api::{Input, MutationResult, Node as _, Revision, Session, Version};
use trestle_domain::{Check, Id, Link, List, Text, Violations};
use trestle_table::{ChangeError, TransactionBuilder};

use super::review::tell_admins;
use super::{Dollars, NO_STARTUP, Startup, StartupStage, StartupStatus, TeamSize, Visibility};

#[derive(InputObject, Clone)]
pub struct CreateStartupInput {
    /// A ULID of the client's, so that the same input can be sent again. The startup gets an id of its own.
    startup_id: Option<Input<Id<Startup>>>,
    /// Name, 1 to 120 characters.
    name: Input<Text<1, 120>>,
    /// One sentence about the startup, 1 to 200 characters.
    tagline: Input<Text<1, 200>>,
    /// Description, 1 to 5000 characters.
    description: Input<Text<1, 5000>>,
    /// Industry, 1 to 80 characters.
    industry: Input<Text<1, 80>>,
    /// Location, 1 to 120 characters.
    location: Input<Text<1, 120>>,
    #[graphql(flatten)]
    more: StartupDetails,
}

/// An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct UpdateStartupInput {
    /// The startup's id.
    id: ID,
    /// Change the startup only if it still has this version.
    expected_version: Option<Version>,
    /// Name, 1 to 120 characters. Cannot be cleared.
    name: MaybeUndefined<Input<Text<1, 120>>>,
    /// One sentence about the startup, 1 to 200 characters. Cannot be cleared.
    tagline: MaybeUndefined<Input<Text<1, 200>>>,
    /// Description, 1 to 5000 characters. Cannot be cleared.
    description: MaybeUndefined<Input<Text<1, 5000>>>,
    /// Industry, 1 to 80 characters. Cannot be cleared.
    industry: MaybeUndefined<Input<Text<1, 80>>>,
    /// Location, 1 to 120 characters. Cannot be cleared.
    location: MaybeUndefined<Input<Text<1, 120>>>,
    #[graphql(flatten)]
    more: StartupDetails,
}

/// Attributes of a startup with a default or without a value.
#[derive(InputObject, Clone)]
pub struct StartupDetails {
    /// Stage. Defaults to IDEA. Cannot be cleared.
    stage: MaybeUndefined<StartupStage>,
    /// Who sees the startup once it is active. Defaults to INVESTORS_ONLY. Nobody finds a PRIVATE startup: its founder
    /// invites investors by `createInvitation`. Cannot be cleared.
    visibility: MaybeUndefined<Visibility>,
    /// Number of people in the team. Defaults to 1. Cannot be cleared.
    team_size: MaybeUndefined<Input<TeamSize>>,
    /// Funding that the startup is looking for, in whole US dollars.
    funding_goal: MaybeUndefined<Input<Dollars>>,
    /// Funding that the startup has raised, in whole US dollars.
    funding_raised: MaybeUndefined<Input<Dollars>>,
    /// Website.
    website_url: MaybeUndefined<Input<Link>>,
    /// Tags, at most 20. Cannot be cleared; pass an empty list instead.
    tags: MaybeUndefined<Input<List<Text<1, 40>, 20>>>,
}

impl CreateStartupInput {
    fn make(self, session: &Session) -> Result<Startup, Violations> {
        let (mut check, more) = (Check::default(), self.more);
        let name = check.need("name", self.name);
        let tagline = check.need("tagline", self.tagline);
        let description = check.need("description", self.description);
        let industry = check.need("industry", self.industry);
        let location = check.need("location", self.location);
        let stage = check.may_or("stage", more.stage, StartupStage::Idea);
        let visibility = check.may_or("visibility", more.visibility, Visibility::InvestorsOnly);
        let team_size = check.may("teamSize", more.team_size);
        let funding_goal = check.may("fundingGoal", more.funding_goal);
        let funding_raised = check.may("fundingRaised", more.funding_raised);
        let website_url = check.may("websiteUrl", more.website_url);
        let tags = check.may_or("tags", more.tags, List::default());
        check.finish(|| {
            Some(Startup {
                startup_id: Id::new(session.tables.now()),
                founder_id: session.user(),
                name: name?,
                tagline: tagline?,
                description: description?,
                industry: industry?,
                stage,
                funding_goal,
                funding_raised,
                logo_url: None,
                website_url,
                pitch_deck_url: None,
                visibility,
                status: StartupStatus::Draft,
                team_size: team_size.or_else(|| TeamSize::parse(1).ok())?,
                location: location?,
                tags,
                status_reason: None,
                changed_since_review: None,
                is_foreign: false,
                stamp: Revision::new(session.now()),
            })
        })
    }
}

impl UpdateStartupInput {
    fn change(self, startup: &Startup) -> Result<Startup, Violations> {
        let (mut next, mut check, more) = (startup.clone(), Check::default(), self.more);
        check.set("name", &mut next.name, self.name);
        check.set("tagline", &mut next.tagline, self.tagline);
        check.set("description", &mut next.description, self.description);
        check.set("industry", &mut next.industry, self.industry);
        check.set("location", &mut next.location, self.location);
        check.set("stage", &mut next.stage, more.stage);
        check.set("visibility", &mut next.visibility, more.visibility);
        check.set("teamSize", &mut next.team_size, more.team_size);
        check.set_opt("fundingGoal", &mut next.funding_goal, more.funding_goal);
        check.set_opt(
            "fundingRaised",
            &mut next.funding_raised,
            more.funding_raised,
        );
        check.set_opt("websiteUrl", &mut next.website_url, more.website_url);
        check.set("tags", &mut next.tags, more.tags);
        check.finish(|| Some(next))
    }
}

/// One GetItem of the viewer and one TransactWriteItems: the startup and the audit entry.
async fn create(session: &Session, input: CreateStartupInput) -> MutationResult<Startup> {
    let otherwise = "Only users with the role FOUNDER create startups";
    let member = acting_as(session, &[UserRole::Founder], otherwise).await?;
    let name = given_name(input.startup_id.clone(), "startupId")?;
    let startup = input.make(session)?;
    let (id, journal) = (startup.startup_id, Journal::of(session));
    let created = journal.create_named(name, "startupId", startup, |unit| {
        Usage::spend(unit, session, &member, Quota::Startups, 1, "input");
        journal.record::<Startup>(unit, "STARTUP_CREATED", id);
        None
    });
    created.await
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup and the audit entry. If a field that
/// was reviewed changes for the first time since, a Query of the admins and one TransactWriteItems notify them.
async fn update(session: &Session, input: UpdateStartupInput) -> MutationResult<Startup> {
    let user = acting(session).await?.id;
    let id = Startup::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let journal = Journal::of(session);
    let plan = |now: &Startup, unit: &mut TransactionBuilder<Violations>| {
        if now.founder_id != user {
            return Err(NO_STARTUP.at("id"));
        }
        let mut next = input.clone().change(now)?;
        let is_reviewed = matches!(
            now.status,
            StartupStatus::Active | StartupStatus::PendingReview
        );
        let is_flagged =
            is_reviewed && now.changed_since_review != Some(true) && !next.is_reviewed_as(now);
        if is_flagged {
            next.changed_since_review = Some(true);
        }
        if next != *now {
            let fields = next.fields_unlike(now).join(", ");
            let details = [("fields", fields.as_str())];
            journal.record_with::<Startup>(unit, "STARTUP_UPDATED", now.startup_id, &details);
        }
        Ok((next, is_flagged))
    };
    let expected = input.expected_version.map(u32::from);
    let missing = |error: ChangeError<Violations>| error.if_missing(NO_STARTUP.at("id"));
    journal
        .guard(&id, expected, |now: &Startup| now.founder_id == user)
        .await
        .map_err(missing)?;
    let changed = session.tables.change_with(&id, expected, plan).await;
    let (changed, is_flagged) = changed.map_err(missing)?;
    if is_flagged {
        let title = match changed.entity.status {
            StartupStatus::PendingReview => "Startup changed during its review",
            _ => "Startup changed after its review",
        };
        tell_admins(session, &changed.entity, title).await;
    }
    Ok(changed)
}

mutations! {
    /// Mutations of startups.
    StartupMutation -> startup: Startup {
        /// Creates a startup of the viewer, a founder. Its status is DRAFT. Sending the same input with the same
        /// `startupId` again returns the same startup.
        create_startup(CreateStartupInput) -> CreateStartupPayload = create,
        /// Updates a startup that the viewer founded. A change of the name, tagline, description, industry, website or tags
        /// of a startup that is active or waits for its review is reported to admins, and the startup keeps its status.
        update_startup(UpdateStartupInput) -> UpdateStartupPayload = update,
    }
}
