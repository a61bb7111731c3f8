//! Shareables in the API.

use async_graphql::{Context, ID, Interface, Object};

use crate::checklist::ChecklistItem;
use crate::devices::{Device, signed_in_devices};
use crate::invitation::Invitation;
use crate::invitations::invited;
use crate::part::Named;
use crate::poll::{PollOption, PollVote};
use crate::poll_csv::result;
use crate::request_context::RequestContext;
use crate::shareable::{
    ChecklistContent, Content, Name, Note, PollContent, Question, Shareable, TimeZone,
};
use crate::token::{ShareableRole, ViewerPermission};
use crate::votes::page_of_votes;
use crate::voting::voters;
use crate::wrong_passcodes::{WrongPasscodes, given};
use trestle_api::{ApiError, Connection, QueryResult, list_size};
use trestle_domain::{Moment, Seconds};

/// A checklist: a list of at most 200 items that people tick.
pub struct Checklist {
    shareable: Shareable,
    content: ChecklistContent,
    /// Its items, if they were read together with it.
    items: Option<Vec<ChecklistItem>>,
}

/// A poll: a question with at most 20 options that people vote for.
pub struct Poll {
    shareable: Shareable,
    content: PollContent,
    /// Its options, if they were read together with it.
    options: Option<Vec<PollOption>>,
}

/// A checklist or a poll, shared by a short id and passcodes.
#[derive(Interface)]
#[graphql(
    name = "Shareable",
    field(name = "id", ty = "ID", desc = "ID, for `node`."),
    field(
        name = "short_id",
        ty = "String",
        desc = "Short id. People type it, together with a passcode, to open it."
    ),
    field(name = "name", ty = "Name", desc = "Name, 1 to 120 characters."),
    field(
        name = "expires_at",
        ty = "Moment<Seconds>",
        desc = "When it expires: only the admin passcode opens it then, and nothing of it changes. It is deleted a year later."
    ),
    field(
        name = "stays_open",
        ty = "bool",
        desc = "Whether it is extended whenever it is opened with the admin passcode."
    ),
    field(
        name = "is_expired",
        ty = "Result<bool, ApiError>",
        desc = "Whether it has expired."
    ),
    field(
        name = "version",
        ty = "u32",
        desc = "Number of changes. Pass it as `expectedVersion` to prevent overwriting a newer version."
    ),
    field(
        name = "created_at",
        ty = "Option<Moment>",
        desc = "When it was created. `null` if another program made it and did not note it."
    ),
    field(
        name = "updated_at",
        ty = "Option<trestle_domain::Moment>",
        desc = "When it was last changed. Never decreases. `null` if another program made it and did not note it."
    )
)]
pub enum AnyShareable {
    /// A checklist.
    Checklist(Checklist),
    /// A poll.
    Poll(Poll),
}

impl AnyShareable {
    /// A shareable, with its items or options if they were read together with it.
    pub fn with(
        shareable: Shareable,
        items: Option<Vec<ChecklistItem>>,
        options: Option<Vec<PollOption>>,
    ) -> Self {
        match shareable.content.clone() {
            Content::Checklist(content) => AnyShareable::Checklist(Checklist {
                shareable,
                content,
                items,
            }),
            Content::Poll(content) => AnyShareable::Poll(Poll {
                shareable,
                content,
                options,
            }),
        }
    }

    /// The checklist, if it is one.
    pub fn checklist(self) -> Option<Checklist> {
        match self {
            AnyShareable::Checklist(checklist) => Some(checklist),
            AnyShareable::Poll(_) => None,
        }
    }

    /// The poll, if it is one.
    pub fn poll(self) -> Option<Poll> {
        match self {
            AnyShareable::Poll(poll) => Some(poll),
            AnyShareable::Checklist(_) => None,
        }
    }
}

impl From<Shareable> for AnyShareable {
    fn from(shareable: Shareable) -> Self {
        Self::with(shareable, None, None)
    }
}

/// Declares an object of a shareable: the fields that all have, and its own.
macro_rules! shareable_object {
    (
        $(#[$doc:meta])* $type:ident,
        $(#[$short_id:meta])* short_id,
        $(#[$updated_at:meta])* updated_at,
        { $($own:tt)* }
    ) => {
        $(#[$doc])*
        #[Object]
        impl $type {
            /// ID, for `node`.
            pub async fn id(&self) -> ID {
                Named::Shareable(self.shareable.short_id.clone()).to_id()
            }

            $(#[$short_id])*
            pub async fn short_id(&self) -> String {
                self.shareable.short_id.to_string()
            }

            /// Name, 1 to 120 characters.
            pub async fn name(&self) -> Name {
                self.shareable.name.clone()
            }

            /// When it expires: only the admin passcode opens it then, and nothing of it changes. It is deleted a year later.
            pub async fn expires_at(&self) -> Moment<Seconds> {
                self.shareable.expires_at
            }

            /// Whether it is extended whenever it is opened with the admin passcode.
            pub async fn stays_open(&self) -> bool {
                self.shareable.stays_open
            }

            /// The devices that stay signed in, for those with the admin passcode. `null` for others.
            async fn devices(&self, ctx: &Context<'_>) -> QueryResult<Connection<Device>> {
                signed_in_devices(ctx, &self.shareable).await.transpose()
            }

            /// Wrong passcodes that others have given lately, for those with the admin passcode. `null` for others.
            async fn wrong_passcodes(&self, ctx: &Context<'_>) -> QueryResult<WrongPasscodes> {
                let read = async { given(RequestContext::of(ctx)?, &self.shareable).await };
                read.await.transpose()
            }

            /// Whether it has expired.
            pub async fn is_expired(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
                Ok(self.shareable.is_expired(RequestContext::of(ctx)?.now()))
            }

            /// Number of changes. Pass it as `expectedVersion` to prevent overwriting a newer version.
            pub async fn version(&self) -> u32 {
                self.shareable.stamp.version
            }

            /// When it was created. `null` if another program made it and did not note it.
            pub async fn created_at(&self) -> Option<Moment> {
                self.shareable.created_at()
            }

            $(#[$updated_at])*
            pub async fn updated_at(&self) -> Option<Moment> {
                self.shareable.updated_at()
            }

            $($own)*
        }
    };
}

shareable_object! {
    /// A checklist: a list of at most 200 items that people tick.
    Checklist,
    /// Short id, such as ABC-DEF-12345. People type it, together with a passcode, to open the checklist.
    short_id,
    /// When it was last changed, or an item was added or deleted. Never decreases. `null` if another program made it and
    /// did not note it.
    updated_at,
    {
        /// Plain text, at most 2000 characters.
        async fn note(&self) -> Option<&Note> {
            self.content.note.as_ref()
        }

        /// What those with the view passcode may do, besides reading.
        async fn viewers_may(&self) -> &[ViewerPermission] {
            &self.content.viewers_may
        }

        /// Number of items.
        async fn item_count(&self, ctx: &Context<'_>) -> Result<u32, ApiError> {
            if let Some(count) = self.shareable.part_count {
                return Ok(count);
            }
            let items = match &self.items {
                Some(items) => items.len(),
                None => {
                    let context = RequestContext::of(ctx)?;
                    let short_id = &self.shareable.short_id;
                    context.parts::<ChecklistItem>(short_id).await?.len()
                }
            };
            Ok(u32::try_from(items).unwrap_or(u32::MAX))
        }

        /// Number of items that are ticked.
        async fn ticked_count(&self, ctx: &Context<'_>) -> Result<u32, ApiError> {
            let short_id = &self.shareable.short_id;
            let items = match &self.items {
                Some(items) => items.clone(),
                None => RequestContext::of(ctx)?.parts(short_id).await?,
            };
            let ticked = items.iter().filter(|item| item.ticked_at.is_some());
            Ok(u32::try_from(ticked.count()).unwrap_or(u32::MAX))
        }

        /// The items in their order, at most 200.
        #[graphql(directive = list_size::apply(200))]
        async fn items(&self, ctx: &Context<'_>) -> QueryResult<Vec<ChecklistItem>> {
            if let Some(items) = &self.items {
                return Some(Ok(items.clone()));
            }
            Some(async { RequestContext::of(ctx)?.parts(&self.shareable.short_id).await }.await)
        }
    }
}

shareable_object! {
    /// A poll: a question with at most 20 options that people vote for.
    Poll,
    /// Short id, such as ABC-DEF-12345. People type it, together with a passcode, to open the poll.
    short_id,
    /// When it was last changed, or an option was added or deleted. Never decreases. `null` if another program made it and
    /// did not note it.
    updated_at,
    {
        /// What the poll asks, 1 to 300 characters.
        async fn question(&self) -> &Question {
            &self.content.question
        }

        /// Whether a vote can be for several options.
        async fn allows_several(&self) -> bool {
            self.content.allows_several
        }

        /// Whether names of voters are shown only to themselves and to those with the admin passcode.
        async fn hides_names(&self) -> bool {
            self.content.hides_names
        }

        /// Whether a vote can have options that suit if need be.
        async fn allows_maybe(&self) -> bool {
            self.content.allows_maybe
        }

        /// Name of the time zone in which the options' times are meant.
        async fn time_zone(&self) -> Option<&TimeZone> {
            self.content.time_zone.as_ref()
        }

        /// Whether only those with a personal link vote.
        async fn invited_only(&self) -> bool {
            self.content.invited_only
        }

        /// The people who are invited, by their names, at most 60, for those with the admin passcode. `null` for others.
        #[graphql(directive = list_size::apply(60))]
        async fn invitations(&self, ctx: &Context<'_>) -> QueryResult<Vec<Invitation>> {
            let read = async {
                let context = RequestContext::of(ctx)?;
                match context.seen_claims(&self.shareable.short_id)?.role {
                    ShareableRole::Admin => invited(context, &self.shareable.short_id).await.map(Some),
                    ShareableRole::View => Ok(None),
                }
            };
            read.await.transpose()
        }

        /// Number of people who have voted.
        async fn voter_count(&self, ctx: &Context<'_>) -> Result<u32, ApiError> {
            voters(RequestContext::of(ctx)?, &self.shareable).await
        }

        /// Number of people whom none of the options suits. `null` as long as the poll hides its results.
        async fn none_count(&self, ctx: &Context<'_>) -> QueryResult<u32> {
            let hidden = RequestContext::of(ctx).map(|context| self.hides(context));
            hidden.map(|hidden| (!hidden).then_some(self.content.none_count)).transpose()
        }

        /// When the question, the zone or the settings of the poll were last corrected. `null` if they never were.
        async fn corrected_at(&self) -> Option<Moment<Seconds>> {
            self.content.corrected_at
        }

        /// Whether votes are hidden until the poll is closed. False once they are shown: they stay shown if the poll is
        /// opened again.
        async fn hides_results(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
            Ok(self.hides(RequestContext::of(ctx)?))
        }

        /// When the poll closes. `null` if it closes when it expires.
        async fn closes_at(&self) -> Option<Moment<Seconds>> {
            self.content.closes_at
        }

        /// When the closed poll was last opened again. `null` if it never was.
        async fn reopened_at(&self) -> Option<Moment<Seconds>> {
            self.content.reopened_at
        }

        /// Whether the poll is closed and accepts no votes.
        async fn is_closed(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
            Ok(self.closed(RequestContext::of(ctx)?))
        }

        /// The options in their order, at most 20.
        #[graphql(directive = list_size::apply(20))]
        async fn options(&self, ctx: &Context<'_>) -> QueryResult<Vec<PollOption>> {
            if let Some(options) = &self.options {
                return Some(Ok(options.clone()));
            }
            Some(async { RequestContext::of(ctx)?.parts(&self.shareable.short_id).await }.await)
        }

        /// The vote of the token's voter. `null` if they have not voted.
        async fn my_vote(&self, ctx: &Context<'_>) -> QueryResult<PollVote> {
            let read = async {
                let context = RequestContext::of(ctx)?;
                let voter = context.seen_claims(&self.shareable.short_id)?.public_voter_id();
                let id = (self.shareable.short_id.clone(), voter);
                Ok(context.tables().get::<PollVote>(&id).await?.filter(PollVote::is_cast))
            };
            read.await.transpose()
        }

        /// The votes, in the order in which people first voted. `null` as long as the poll hides its results.
        async fn votes(&self, ctx: &Context<'_>) -> QueryResult<Connection<PollVote>> {
            let read = async {
                if self.hides(RequestContext::of(ctx)?) { Ok(None) } else { page_of_votes(ctx, &self.shareable.short_id).await.map(Some) }
            };
            read.await.transpose()
        }

        /// The result as CSV (RFC 4180), for spreadsheets, beginning with a byte order mark: the votes in the order in which people first voted, at most 5,000,
        /// then the options' counts. A cell that a spreadsheet would take for a formula begins with an apostrophe. `null` as
        /// long as the poll hides its results.
        async fn result_csv(&self, ctx: &Context<'_>) -> QueryResult<String> {
            let read = async {
                let context = RequestContext::of(ctx)?;
                if self.hides(context) { Ok(None) } else { result(context, &self.shareable, &self.content).await.map(Some) }
            };
            read.await.transpose()
        }
    }
}

impl Poll {
    /// Whether it is too early to show votes.
    fn hides(&self, context: RequestContext<'_>) -> bool {
        self.content.hides_results && !self.closed(context)
    }

    fn closed(&self, context: RequestContext<'_>) -> bool {
        let until = self.content.votable_until(self.shareable.expires_at);
        context.now().timestamp() >= until.seconds()
    }
}
