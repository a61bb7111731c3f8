//! Creating, opening, sharing, cloning and deleting shareables.

use async_graphql::{Context, ID, Object, SimpleObject};

use super::inputs::{
    ChangePasscodesInput, CloneShareableInput, CreateShareableInput, DeleteShareableInput,
    OpenShareableInput, RenewTokenInput,
};
use super::parts::ShareableToken;
use super::types::AnyShareable;
use crate::api::{Answer, ApiError, Given, UserError, Written, broken_rules};
use crate::domain::{Rule, Violations};
use crate::payloads;
use crate::services::shareables::desk::Desk;
use crate::services::shareables::opening::{self, Opened};
use crate::services::shareables::removing;

/// The only value of an input.
fn one<T>(field: &'static str, given: Given<T>) -> Result<T, Violations> {
    Result::from(given).map_err(|rule: Rule| rule.at(field))
}

macro_rules! opening_payloads {
    ($($type:ident)+) => {$(
        /// The result of the mutation.
        #[derive(SimpleObject)]
        pub struct $type {
            /// The shareable. `null` if there are errors.
            shareable: Option<AnyShareable>,
            /// The token that opens the shareable. `null` if there are errors.
            token: Option<ShareableToken>,
            /// Validation errors. If not empty, nothing was changed.
            user_errors: Vec<UserError>,
        }

        impl $type {
            fn of(desk: Desk<'_>, opened: Result<Opened, Violations>) -> Result<Self, ApiError> {
                Ok(match opened {
                    Ok(Opened { shareable, claims }) => Self {
                        shareable: Some(shareable.into()),
                        token: Some(ShareableToken { token: desk.token(&claims)?, claims }),
                        user_errors: Vec::new(),
                    },
                    Err(violations) => Self {
                        shareable: None,
                        token: None,
                        user_errors: broken_rules(&violations)?,
                    },
                })
            }
        }
    )+};
}

opening_payloads! { CreateShareablePayload OpenShareablePayload RenewTokenPayload ChangePasscodesPayload CloneShareablePayload }

payloads! {
    /// The result of the mutation.
    DeleteShareablePayload {
        /// ID of the deleted shareable. `null` if there are errors.
        deleted_id: ID
    }
}

/// Mutations of shareables as a whole.
#[derive(Default)]
pub struct SharingMutation;

/// Mutations of shareables as a whole.
#[Object]
impl SharingMutation {
    /// Creates a checklist or a poll, with its first items or options, and opens it.
    async fn create_shareable(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Parameters of the mutation.")] input: CreateShareableInput,
    ) -> Answer<CreateShareablePayload> {
        let run = async {
            let desk = Desk::of(ctx)?;
            let opened = match input.draft(desk) {
                Ok((draft, voter)) => opening::create(desk, draft, voter).await?,
                Err(violations) => Err(violations),
            };
            CreateShareablePayload::of(desk, opened)
        };
        Some(run.await)
    }

    /// Opens a shareable: returns a token for it. An unknown short id, a wrong passcode and an expired shareable get the
    /// same error. Too many wrong passcodes get RATE_LIMITED for a while.
    async fn open_shareable(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Parameters of the mutation.")] input: OpenShareableInput,
    ) -> Answer<OpenShareablePayload> {
        let run = async {
            let desk = Desk::of(ctx)?;
            let opened = match input.read() {
                Ok((short_id, passcode, voter)) => {
                    opening::open(desk, &short_id, passcode, voter).await?
                }
                Err(violations) => Err(violations),
            };
            OpenShareablePayload::of(desk, opened)
        };
        Some(run.await)
    }

    /// Renews the request's token, as long as its passcode is the same.
    async fn renew_token(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Parameters of the mutation.")] input: RenewTokenInput,
    ) -> Answer<RenewTokenPayload> {
        let run = async {
            let desk = Desk::of(ctx)?;
            let opened = match one("shortId", input.short_id) {
                Ok(short_id) => opening::renew(desk, &short_id).await?,
                Err(violations) => Err(violations),
            };
            RenewTokenPayload::of(desk, opened)
        };
        Some(run.await)
    }

    /// Changes passcodes. Tokens of the earlier passcode can no longer read or change the shareable; they can still
    /// tick and vote until they expire, for at most an hour. Needs the admin passcode.
    async fn change_passcodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Parameters of the mutation.")] input: ChangePasscodesInput,
    ) -> Answer<ChangePasscodesPayload> {
        let run = async {
            let desk = Desk::of(ctx)?;
            let opened = match input.read() {
                Ok((short_id, new)) => opening::change_passcodes(desk, &short_id, new).await?,
                Err(violations) => Err(violations),
            };
            ChangePasscodesPayload::of(desk, opened)
        };
        Some(run.await)
    }

    /// Creates a shareable with the same items, not ticked, or the same options, without votes. Also possible for a
    /// year after the shareable has expired. Needs the admin passcode.
    async fn clone_shareable(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Parameters of the mutation.")] input: CloneShareableInput,
    ) -> Answer<CloneShareablePayload> {
        let run = async {
            let desk = Desk::of(ctx)?;
            let opened = match input.settings(desk) {
                Ok((short_id, copy)) => opening::clone(desk, &short_id, copy).await?,
                Err(violations) => Err(violations),
            };
            CloneShareablePayload::of(desk, opened)
        };
        Some(run.await)
    }

    /// Deletes a shareable with everything that belongs to it. Its short id is never used again. Needs the admin
    /// passcode.
    async fn delete_shareable(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Parameters of the mutation.")] input: DeleteShareableInput,
    ) -> Answer<DeleteShareablePayload> {
        let run = async {
            let desk = Desk::of(ctx)?;
            let written: Written<ID> = match one("shortId", input.short_id) {
                Ok(short_id) => {
                    removing::delete(desk, &short_id, input.expected_version.map(u32::from)).await?
                }
                Err(violations) => Err(violations.into()),
            };
            DeleteShareablePayload::of(written)
        };
        Some(run.await)
    }
}
