//! Shareables in the API.

use async_graphql::{Context, ID, Interface, Object};

use crate::api::{Answer, ApiError, Connection, list_size, page};
use crate::domain::{Moment, Seconds};
use crate::services::shareables::checklist::ChecklistItem;
use crate::services::shareables::desk::Desk;
use crate::services::shareables::part::Named;
use crate::services::shareables::poll::{PollOption, PollVote, votes_of};
use crate::services::shareables::shareable::{
    ChecklistContent, Content, Name, Note, PollContent, Question, Shareable,
};

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
        name = "is_expired",
        ty = "Result<bool, ApiError>",
        desc = "Whether it has expired."
    ),
    field(
        name = "version",
        ty = "u32",
        desc = "Number of changes. Pass it as `expectedVersion` to prevent overwriting a newer version."
    ),
    field(name = "created_at", ty = "Moment", desc = "When it was created."),
    field(
        name = "updated_at",
        ty = "crate::domain::Moment",
        desc = "When it was last changed. Never decreases."
    )
)]
pub enum AnyShareable {
    /// A checklist.
    Checklist(Checklist),
    /// A poll.
    Poll(Poll),
}

/// An object with an ID.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "ID of the object."))]
pub enum Node {
    /// A checklist.
    Checklist(Checklist),
    /// A poll.
    Poll(Poll),
    /// An item of a checklist.
    ChecklistItem(ChecklistItem),
    /// An option of a poll.
    PollOption(PollOption),
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

impl From<AnyShareable> for Node {
    fn from(shareable: AnyShareable) -> Self {
        match shareable {
            AnyShareable::Checklist(checklist) => Node::Checklist(checklist),
            AnyShareable::Poll(poll) => Node::Poll(poll),
        }
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

            /// Whether it has expired.
            pub async fn is_expired(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
                Ok(self.shareable.is_expired(Desk::of(ctx)?.now()))
            }

            /// Number of changes. Pass it as `expectedVersion` to prevent overwriting a newer version.
            pub async fn version(&self) -> u32 {
                self.shareable.stamp.version
            }

            /// When it was created.
            pub async fn created_at(&self) -> Moment {
                self.shareable.stamp.created_at
            }

            $(#[$updated_at])*
            pub async fn updated_at(&self) -> Moment {
                self.shareable.stamp.updated_at
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
    /// When it was last changed, or an item was added or deleted. Never decreases.
    updated_at,
    {
        /// Plain text, at most 2000 characters.
        async fn note(&self) -> Option<&Note> {
            self.content.note.as_ref()
        }

        /// Number of items.
        async fn item_count(&self) -> u32 {
            self.shareable.part_count
        }

        /// The items in their order, at most 200.
        #[graphql(directive = list_size::apply(200))]
        async fn items(&self, ctx: &Context<'_>) -> Answer<Vec<ChecklistItem>> {
            if let Some(items) = &self.items {
                return Some(Ok(items.clone()));
            }
            Some(async { Desk::of(ctx)?.parts(&self.shareable.short_id).await }.await)
        }
    }
}

shareable_object! {
    /// A poll: a question with at most 20 options that people vote for.
    Poll,
    /// Short id, such as ABC-DEF-12345. People type it, together with a passcode, to open the poll.
    short_id,
    /// When it was last changed, or an option was added or deleted. Never decreases.
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

        /// Whether votes are shown only when the poll is closed.
        async fn hides_results(&self) -> bool {
            self.content.hides_results
        }

        /// When the poll closes. `null` if it closes when it expires.
        async fn closes_at(&self) -> Option<Moment<Seconds>> {
            self.content.closes_at
        }

        /// Whether the poll is closed and accepts no votes.
        async fn is_closed(&self, ctx: &Context<'_>) -> Result<bool, ApiError> {
            Ok(self.closed(Desk::of(ctx)?))
        }

        /// The options in their order, at most 20.
        #[graphql(directive = list_size::apply(20))]
        async fn options(&self, ctx: &Context<'_>) -> Answer<Vec<PollOption>> {
            if let Some(options) = &self.options {
                return Some(Ok(options.clone()));
            }
            Some(async { Desk::of(ctx)?.parts(&self.shareable.short_id).await }.await)
        }

        /// The vote of the token's voter. `null` if they have not voted.
        async fn my_vote(&self, ctx: &Context<'_>) -> Answer<PollVote> {
            let read = async {
                let desk = Desk::of(ctx)?;
                let voter = desk.claims()?.public_voter_id();
                let id = (self.shareable.short_id.clone(), voter);
                Ok(desk.tables().get::<PollVote>(&id).await?)
            };
            read.await.transpose()
        }

        /// The votes. `null` as long as the poll hides its results.
        async fn votes(&self, ctx: &Context<'_>) -> Answer<Connection<PollVote>> {
            let read = async {
                if self.content.hides_results && !self.closed(Desk::of(ctx)?) {
                    return Ok(None);
                }
                let votes = votes_of(&self.shareable.short_id);
                page(ctx, &votes, &()).await.map(Some)
            };
            read.await.transpose()
        }
    }
}

impl Poll {
    fn closed(&self, desk: Desk<'_>) -> bool {
        let until = self.content.votable_until(self.shareable.expires_at);
        desk.now().timestamp() >= until.seconds()
    }
}
