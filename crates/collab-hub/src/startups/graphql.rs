//! Startups in the API.

use async_graphql::{ComplexObject, Context, ID, Object};

use crate::access_requests::unblocked::OfUnblocked;
use crate::access_requests::{self, AccessRequest, AccessStatus};
use crate::applications::Entry;
use crate::applications::graphql::for_startup;
use crate::invitations::{self, Invitation};
use crate::member::{active, profile};
use crate::pages::{admin_page, bad_filter, own_page};
use crate::roles::{self, Role};
use crate::signed;
use crate::users::{User, UserRole};
use crate::visibility::{OfSeenStartups, reads_deck, reads_figures, sees, shelves};
use trestle_api::{ApiError, Connection, Node, QueryResult, Session, Url, found, page, session};
use trestle_domain::{Id, Text};
use trestle_table::Condition;

use super::search::{StartupFilter, search};
use super::{Dollars, Startup, StartupStatus, Visibility, of_founder, of_status};

impl Node for Startup {
    const TAG: u8 = b'S';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
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
    async fn founder(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.founder_id).await
    }

    /// Logo, at a URL that expires in minutes.
    async fn logo_url(&self, ctx: &Context<'_>) -> QueryResult<Url> {
        signed::url(ctx, self.logo_url.as_ref()).await
    }

    /// The admin's reason for the status. Null for everyone but the founder and admins.
    async fn status_reason(&self, ctx: &Context<'_>) -> QueryResult<&Text<1, 1000>> {
        self.for_review(ctx, self.status_reason.as_ref()).await
    }

    /// Whether the name, tagline, description, industry, website or tags have changed since an admin activated the
    /// startup. Null for everyone but the founder and admins.
    async fn changed_since_review(&self, ctx: &Context<'_>) -> QueryResult<bool> {
        let has_changed = self.changed_since_review.unwrap_or(false);
        self.for_review(ctx, Some(has_changed)).await
    }

    /// Funding that the startup is looking for, in whole US dollars. Of a private startup, null for investors with less
    /// than FULL_ACCESS.
    async fn funding_goal(&self, ctx: &Context<'_>) -> QueryResult<Dollars> {
        self.figure(ctx, self.funding_goal).await
    }

    /// Funding that the startup has raised, in whole US dollars. Of a private startup, null for investors with less than
    /// FULL_ACCESS.
    async fn funding_raised(&self, ctx: &Context<'_>) -> QueryResult<Dollars> {
        self.figure(ctx, self.funding_raised).await
    }

    /// Pitch deck, at a URL of the viewer that expires in minutes. Null for everyone but the founder and investors with
    /// the access level VIEW_DECK or FULL_ACCESS.
    async fn pitch_deck_url(&self, ctx: &Context<'_>) -> QueryResult<Url> {
        let deck = self.pitch_deck_url.as_ref()?;
        let may_read = async { reads_deck(session(ctx)?, self).await };
        match may_read.await {
            Ok(true) => signed::url(ctx, Some(deck)).await,
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Roles, newest first.
    async fn roles(&self, ctx: &Context<'_>) -> QueryResult<Connection<Role>> {
        Some(page(ctx, &roles::of_startup(self.startup_id), &()).await)
    }

    /// Applications for all roles that are not withdrawn, newest first. Null for everyone but the founder.
    async fn applications(&self, ctx: &Context<'_>) -> QueryResult<Connection<Entry>> {
        match self.is_own(ctx).await {
            Ok(true) => Some(for_startup(ctx, self).await),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Invitations of investors, newest first. Null for everyone but the founder.
    async fn invitations(&self, ctx: &Context<'_>) -> QueryResult<Connection<Invitation>> {
        match self.is_own(ctx).await {
            Ok(true) => Some(page(ctx, &invitations::of_startup(self.startup_id), &()).await),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Access requests, by status and then oldest first, without open ones of users whom the founder has blocked. Null for
    /// everyone but the founder.
    async fn access_requests(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only requests with this status.")] status: Option<AccessStatus>,
    ) -> QueryResult<Connection<AccessRequest>> {
        let requests = async {
            if !self.is_own(ctx).await? {
                return Ok(None);
            }
            let session = session(ctx)?;
            let list = access_requests::of_startup(self.startup_id, status, session.now());
            page(ctx, &list, &OfUnblocked(session)).await.map(Some)
        };
        requests.await.transpose()
    }
}

impl Startup {
    /// The name of a startup as it is stored with something of it; for what another program has made, which does not have it,
    /// the present one if it exists.
    pub async fn name_of(
        ctx: &Context<'_>,
        id: Id<Self>,
        stored: Option<&Text<1, 120>>,
    ) -> QueryResult<Text<1, 120>> {
        if let Some(name) = stored {
            return Some(Ok(name.clone()));
        }
        let load = async {
            let startup = session(ctx)?.load::<Self>(&id).await?;
            Ok(startup.map(|startup| startup.name))
        };
        load.await.transpose()
    }

    async fn figure(&self, ctx: &Context<'_>, figure: Option<Dollars>) -> QueryResult<Dollars> {
        let figure = figure?;
        let may_read = async { reads_figures(session(ctx)?, self).await };
        let figure = may_read.await.map(|may_read| may_read.then_some(figure));
        figure.transpose()
    }

    async fn for_review<T>(&self, ctx: &Context<'_>, value: Option<T>) -> QueryResult<T> {
        let value = value?;
        let viewer = async { active(session(ctx)?).await };
        let value = viewer.await.map(|viewer| {
            let reads = viewer.id == self.founder_id || viewer.role == UserRole::Admin;
            reads.then_some(value)
        });
        value.transpose()
    }

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
    /// `myAccessRequests`. With a filter, a page is short after 2,000 startups of a visibility were read.
    async fn startups(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only startups that match.")] filter: Option<StartupFilter>,
    ) -> QueryResult<Connection<Startup>> {
        Some(found_startups(ctx, "", filter).await)
    }

    /// A startup by its id. Null if it does not exist or the viewer may not see it. As `node`, with fewer reads.
    async fn startup(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The startup's id.")] id: ID,
    ) -> QueryResult<Startup> {
        let find = async {
            let session = session(ctx)?;
            let Ok(id) = Startup::named(&id, session) else {
                return Ok(None);
            };
            // Read together with the viewer's profile, which decides whether the startup is shown.
            let (startup, _) = tokio::try_join!(session.load::<Startup>(&id), profile(session))?;
            match startup {
                Some(startup) => startup.visible_to(session).await,
                None => Ok(None),
            }
        };
        find.await.transpose()
    }

    /// Startups that the viewer founded, newest first.
    async fn my_startups(&self, ctx: &Context<'_>) -> QueryResult<Connection<Startup>> {
        own_page(ctx, |member| of_founder(&member.id)).await
    }

    /// Startups of every visibility with a status, newest first. For admins.
    async fn startups_by_status(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The status.")] status: StartupStatus,
        #[graphql(
            desc = "Only startups that have changed since their review (`changedSinceReview`).",
            default
        )]
        only_changed: bool,
    ) -> QueryResult<Connection<Startup>> {
        let list = of_status(Visibility::ALL, status);
        let list = if only_changed {
            list.filtered(Condition::is("changedSinceReview", &true))
        } else {
            list
        };
        admin_page(ctx, |_| Ok(list)).await
    }

    /// Active startups that the viewer sees and that contain every word of `query` in the name, tagline, industry or
    /// tags, newest first. A page reads at most 2,000 startups of each visibility; one that ends early has fewer edges,
    /// and its `endCursor` continues after the last startup that was read.
    async fn search_startups(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "Words to search for, 1 to 100 characters. Letter case and accents are ignored."
        )]
        query: String,
        #[graphql(desc = "Only startups that match.")] filter: Option<StartupFilter>,
    ) -> QueryResult<Connection<Startup>> {
        let page = async {
            active(session(ctx)?).await?;
            let query: Text<1, 100> = Text::parse(&query)
                .map_err(|_| ApiError::bad_input("`query` must have 1 to 100 characters."))?;
            found_startups(ctx, query.as_str(), filter).await
        };
        Some(page.await)
    }
}

/// A page of the startups that the viewer sees, and that match.
async fn found_startups(
    ctx: &Context<'_>,
    query: &str,
    filter: Option<StartupFilter>,
) -> Result<Connection<Startup>, ApiError> {
    let session = session(ctx)?;
    let member = active(session).await?;
    let list = search(shelves(&member), query, filter.unwrap_or_default());
    let gate = OfSeenStartups::of(session).await?;
    page(ctx, &list.map_err(bad_filter)?, &gate).await
}
