//! Startups in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, Object};

use crate::api::{
    Answer, ApiError, Connection, Given, Node, Session, Stamp, Url, Version, Written, found, page,
    session,
};
use crate::domain::{Check, Id, Link, List, Rule, Text, Violations};
use crate::mutations;
use crate::services::collab_hub::access_requests::{self, AccessRequest, AccessStatus};
use crate::services::collab_hub::applications::{self, Entry};
use crate::services::collab_hub::journal::Journal;
use crate::services::collab_hub::member::{acting, acting_as, active, profile};
use crate::services::collab_hub::pages::{admin_page, own_page};
use crate::services::collab_hub::roles::{self, Role};
use crate::services::collab_hub::signed;
use crate::services::collab_hub::users::{User, UserRole};
use crate::services::collab_hub::visibility::{reads_deck, sees, shelves};
use crate::table::Unit;

use super::{
    Dollars, Startup, StartupStage, StartupStatus, TeamSize, Visibility, of_founder, of_status,
    published,
};

impl Node for Startup {
    const TAG: u8 = b'S';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        Ok(sees(session, &self).await?.then_some(self))
    }
}

#[ComplexObject]
impl Startup {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The founder. Null if the viewer may not see the user.
    async fn founder(&self, ctx: &Context<'_>) -> Answer<User> {
        found(ctx, &self.founder_id).await
    }

    /// Logo, at a URL that expires in minutes.
    async fn logo_url(&self, ctx: &Context<'_>) -> Answer<Url> {
        signed::url(ctx, self.logo_url.as_ref()).await
    }

    /// Pitch deck, at a URL of the viewer that expires in minutes. Null for everyone but the founder and investors with
    /// the access level VIEW_DECK or FULL_ACCESS.
    async fn pitch_deck_url(&self, ctx: &Context<'_>) -> Answer<Url> {
        let deck = self.pitch_deck_url.as_ref()?;
        let may_read = async { reads_deck(session(ctx)?, self).await };
        match may_read.await {
            Ok(true) => signed::url(ctx, Some(deck)).await,
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Roles, newest first.
    async fn roles(&self, ctx: &Context<'_>) -> Answer<Connection<Role>> {
        Some(page(ctx, &roles::of_startup(self.startup_id), &()).await)
    }

    /// Applications for all roles that are not withdrawn, newest first. Null for everyone but the founder.
    async fn applications(&self, ctx: &Context<'_>) -> Answer<Connection<Entry>> {
        match self.is_own(ctx).await {
            Ok(true) => Some(page(ctx, &applications::of_startup(self.startup_id), &()).await),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Access requests, by status and then oldest first. Null for everyone but the founder.
    async fn access_requests(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only requests with this status.")] status: Option<AccessStatus>,
    ) -> Answer<Connection<AccessRequest>> {
        let list = access_requests::of_startup(self.startup_id, status);
        match self.is_own(ctx).await {
            Ok(true) => Some(page(ctx, &list, &()).await),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl Startup {
    async fn is_own(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
        Ok(active(session(ctx)?).await?.id == self.founder_id)
    }
}

/// Queries for startups.
#[derive(Default)]
pub struct StartupQuery;

#[Object]
impl StartupQuery {
    /// Active startups that the viewer sees, newest first. Private startups to which an investor has access are in
    /// `myAccessRequests`.
    async fn startups(&self, ctx: &Context<'_>) -> Answer<Connection<Startup>> {
        own_page(ctx, |member| published(shelves(member))).await
    }

    /// A startup by its id. Null if it does not exist or the viewer may not see it. As `node`, with fewer reads.
    async fn startup(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The startup's id.")] id: ID,
    ) -> Answer<Startup> {
        let find = async {
            let session = session(ctx)?;
            let Ok(id) = Startup::named(&id, session) else {
                return Ok(None);
            };
            // Read together with the viewer's profile, which decides whether the startup is shown.
            let (startup, _) = tokio::try_join!(session.load::<Startup>(&id), profile(session))?;
            match startup {
                Some(startup) => startup.shown(session).await,
                None => Ok(None),
            }
        };
        find.await.transpose()
    }

    /// Startups that the viewer founded, newest first.
    async fn my_startups(&self, ctx: &Context<'_>) -> Answer<Connection<Startup>> {
        own_page(ctx, |member| of_founder(&member.id)).await
    }

    /// Startups of every visibility with a status, newest first. For admins.
    async fn startups_by_status(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The status.")] status: StartupStatus,
    ) -> Answer<Connection<Startup>> {
        admin_page(ctx, |_| Ok(of_status(Visibility::ALL, status))).await
    }

    /// Active startups that the viewer sees and that contain every word of `query` in the name, tagline, industry or
    /// tags, newest first. A page reads at most 2,000 startups of each visibility; one that ends early has fewer edges,
    /// and its `endCursor` continues after the last startup that was read.
    async fn search_startups(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Words to search for, 1 to 100 characters. Letter case is ignored.")]
        query: String,
    ) -> Answer<Connection<Startup>> {
        let page = async {
            let member = active(session(ctx)?).await?;
            let query: Text<1, 100> = Text::parse(&query)
                .map_err(|_| ApiError::bad_input("`query` must have 1 to 100 characters."))?;
            page(
                ctx,
                &super::search::search(shelves(&member), query.as_str()),
                &(),
            )
            .await
        };
        Some(page.await)
    }
}

/// Input of `createStartup`.
#[derive(InputObject, Clone)]
pub struct CreateStartupInput {
    /// A ULID for the startup, so that the same input can be sent again. Defaults to a new one.
    startup_id: Option<Given<Id<Startup>>>,
    /// Name, 1 to 120 characters.
    name: Given<Text<1, 120>>,
    /// One sentence about the startup, 1 to 200 characters.
    tagline: Given<Text<1, 200>>,
    /// Description, 1 to 5000 characters.
    description: Given<Text<1, 5000>>,
    /// Industry, 1 to 80 characters.
    industry: Given<Text<1, 80>>,
    /// Location, 1 to 120 characters.
    location: Given<Text<1, 120>>,
    #[graphql(flatten)]
    more: StartupDetails,
}

/// Input of `updateStartup`. An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct UpdateStartupInput {
    /// The startup's id.
    id: ID,
    /// Change the startup only if it still has this version.
    expected_version: Option<Version>,
    /// Name, 1 to 120 characters. Cannot be cleared.
    name: MaybeUndefined<Given<Text<1, 120>>>,
    /// One sentence about the startup, 1 to 200 characters. Cannot be cleared.
    tagline: MaybeUndefined<Given<Text<1, 200>>>,
    /// Description, 1 to 5000 characters. Cannot be cleared.
    description: MaybeUndefined<Given<Text<1, 5000>>>,
    /// Industry, 1 to 80 characters. Cannot be cleared.
    industry: MaybeUndefined<Given<Text<1, 80>>>,
    /// Location, 1 to 120 characters. Cannot be cleared.
    location: MaybeUndefined<Given<Text<1, 120>>>,
    #[graphql(flatten)]
    more: StartupDetails,
}

/// Attributes of a startup with a default or without a value.
#[derive(InputObject, Clone)]
pub struct StartupDetails {
    /// Stage. Defaults to IDEA. Cannot be cleared.
    stage: MaybeUndefined<StartupStage>,
    /// Who sees the startup. Defaults to PRIVATE. Cannot be cleared.
    visibility: MaybeUndefined<Visibility>,
    /// Number of people in the team. Defaults to 1. Cannot be cleared.
    team_size: MaybeUndefined<Given<TeamSize>>,
    /// Funding that the startup is looking for, in whole US dollars.
    funding_goal: MaybeUndefined<Given<Dollars>>,
    /// Funding that the startup has raised, in whole US dollars.
    funding_raised: MaybeUndefined<Given<Dollars>>,
    /// Website.
    website_url: MaybeUndefined<Given<Link>>,
    /// Tags, at most 20. Cannot be cleared; pass an empty list instead.
    tags: MaybeUndefined<Given<List<Text<1, 40>, 20>>>,
}

impl CreateStartupInput {
    fn make(self, session: &Session) -> Result<Startup, Violations> {
        let (mut check, more) = (Check::default(), self.more);
        let new = || Ok(Id::new(session.tables.now()));
        let id = check.need("startupId", self.startup_id.map_or_else(new, Into::into));
        let name = check.need("name", self.name);
        let tagline = check.need("tagline", self.tagline);
        let description = check.need("description", self.description);
        let industry = check.need("industry", self.industry);
        let location = check.need("location", self.location);
        let stage = check.may_or("stage", more.stage, StartupStage::Idea);
        let visibility = check.may_or("visibility", more.visibility, Visibility::Private);
        let team_size = check.may("teamSize", more.team_size);
        let funding_goal = check.may("fundingGoal", more.funding_goal);
        let funding_raised = check.may("fundingRaised", more.funding_raised);
        let website_url = check.may("websiteUrl", more.website_url);
        let tags = check.may_or("tags", more.tags, List::default());
        check.finish(|| {
            Some(Startup {
                startup_id: id?,
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
                stamp: Stamp::new(session.now()),
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

pub(super) const NO_STARTUP: Rule = Rule::NotFound("does not name a startup of yours");

/// One GetItem of the viewer and one TransactWriteItems: the startup and the audit entry.
async fn create(session: &Session, input: CreateStartupInput) -> Written<Startup> {
    let otherwise = "Only users with the role FOUNDER create startups";
    acting_as(session, &[UserRole::Founder], otherwise).await?;
    let startup = input.make(session)?;
    let (id, journal) = (startup.startup_id, Journal::of(session));
    let with = |unit: &mut Unit<Violations>| {
        journal.record::<Startup>(unit, "STARTUP_CREATED", id);
    };
    journal.create(startup, "startupId", with).await
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup and the audit entry.
async fn update(session: &Session, input: UpdateStartupInput) -> Written<Startup> {
    let user = acting(session).await?.id;
    let id = Startup::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let journal = Journal::of(session);
    let plan = |now: &Startup, unit: &mut Unit<Violations>| {
        if now.founder_id != user {
            return Err(NO_STARTUP.at("id"));
        }
        let next = input.clone().change(now)?;
        if next != *now {
            journal.record::<Startup>(unit, "STARTUP_UPDATED", now.startup_id);
        }
        Ok(next)
    };
    let expected = input.expected_version.map(u32::from);
    let is_own = |now: &Startup| now.founder_id == user;
    let changed = journal.change((&id, expected), is_own, plan).await;
    changed.map_err(|error| error.if_missing(NO_STARTUP.at("id")))
}

mutations! {
    /// Mutations of startups.
    StartupMutation -> startup: Startup {
        /// Creates a startup of the viewer, a founder. Its status is DRAFT. Sending the same input with the same
        /// `startupId` again returns the same startup.
        create_startup(CreateStartupInput) -> CreateStartupPayload = create,
        /// Updates a startup that the viewer founded.
        update_startup(UpdateStartupInput) -> UpdateStartupPayload = update,
    }
}
