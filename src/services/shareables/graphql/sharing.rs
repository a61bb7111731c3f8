//! Creating, opening, sharing, cloning and deleting shareables.

use async_graphql::{ID, SimpleObject};

use super::inputs::{
    ChangePasscodesInput, CloneShareableInput, CreateShareableInput, DeleteShareableInput,
    OpenShareableInput, RenewTokenInput, one,
};
use super::parts::ShareableToken;
use super::types::AnyShareable;
use crate::api::{ApiError, Failed, UserError, user_errors};
use crate::services::shareables::desk::{Desk, Made};
use crate::services::shareables::opening::{self, Opened};
use crate::services::shareables::removing;
use crate::{mutations, payloads};

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
            fn of(opened: Result<Opened, Failed>) -> Result<Self, ApiError> {
                Ok(match opened {
                    Ok(Opened { shareable, claims, token }) => Self {
                        shareable: Some(shareable.into()),
                        token: Some(ShareableToken { token, claims }),
                        user_errors: Vec::new(),
                    },
                    Err(error) => Self {
                        shareable: None,
                        token: None,
                        user_errors: user_errors(error)?,
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

mutations! {
    /// Mutations of shareables as a whole.
    SharingMutation {
        /// Creates a checklist or a poll, with its first items or options, and opens it.
        create_shareable("Parameters of the mutation.", CreateShareableInput) -> CreateShareablePayload = create,
        /// Opens a shareable: returns a token for it. An unknown short id, a wrong passcode and an expired shareable get the
        /// same error. Too many wrong passcodes get RATE_LIMITED for a while.
        open_shareable("Parameters of the mutation.", OpenShareableInput) -> OpenShareablePayload = open,
        /// Renews the request's token, as long as its passcode is the same.
        renew_token("Parameters of the mutation.", RenewTokenInput) -> RenewTokenPayload = renew,
        /// Changes passcodes. Tokens of the earlier passcode can no longer read or change the shareable; they can still
        /// tick and vote until they expire, for at most an hour. Needs the admin passcode.
        change_passcodes("Parameters of the mutation.", ChangePasscodesInput) -> ChangePasscodesPayload = change_passcodes,
        /// Creates a shareable with the same items, not ticked, or the same options, without votes. Also possible for a
        /// year after the shareable has expired. Needs the admin passcode.
        clone_shareable("Parameters of the mutation.", CloneShareableInput) -> CloneShareablePayload = clone,
        /// Deletes a shareable with everything that belongs to it. Its short id is never used again. Needs the admin
        /// passcode.
        delete_shareable("Parameters of the mutation.", DeleteShareableInput) -> DeleteShareablePayload = delete,
    }
}

async fn create(desk: Desk<'_>, input: CreateShareableInput) -> Result<Opened, Failed> {
    let (draft, voter) = input.draft(desk)?;
    opening::create(desk, draft, voter).await
}

async fn open(desk: Desk<'_>, input: OpenShareableInput) -> Result<Opened, Failed> {
    let (short_id, passcode, voter) = input.read()?;
    opening::open(desk, &short_id, passcode, voter).await
}

async fn renew(desk: Desk<'_>, input: RenewTokenInput) -> Result<Opened, Failed> {
    let short_id = one("shortId", input.short_id)?;
    opening::renew(desk, &short_id).await
}

async fn change_passcodes(desk: Desk<'_>, input: ChangePasscodesInput) -> Result<Opened, Failed> {
    let (short_id, new) = input.read()?;
    opening::change_passcodes(desk, &short_id, new).await
}

async fn clone(desk: Desk<'_>, input: CloneShareableInput) -> Result<Opened, Failed> {
    let (short_id, copy) = input.settings(desk)?;
    opening::clone(desk, &short_id, copy).await
}

async fn delete(desk: Desk<'_>, input: DeleteShareableInput) -> Made<ID> {
    let short_id = one("shortId", input.short_id)?;
    removing::delete(desk, &short_id, input.expected_version.map(u32::from)).await
}
