//! Creating, opening, sharing, cloning and deleting shareables.

use async_graphql::{ID, InputObject, SimpleObject};

use super::inputs::{
    ChangePasscodesInput, CloneShareableInput, CreateShareableInput, DeleteShareableInput,
    ExtendShareableInput, OpenShareableInput, one,
};
use super::parts::ShareableToken;
use super::types::AnyShareable;
use crate::cloning;
use crate::devices;
use crate::extending;
use crate::invitation::NewInvitation;
use crate::opened::{Opened, RefreshToken};
use crate::opening;
use crate::passcode::{MadePasscodes, Passcode};
use crate::passcode_change;
use crate::removing;
use crate::request_context::{Made, RequestContext};
use crate::short_id::ShortId;
use trestle_api::{ApiError, Failed, Input, UserError, user_errors};
use trestle_api::{mutations, payloads};
use trestle_domain::Check;

/// A shareable whose token is to be renewed.
#[derive(InputObject)]
pub struct RenewTokenInput {
    /// Short id of the shareable that the token opens.
    short_id: Input<ShortId>,
}

/// The personal link of an invitation.
#[derive(InputObject)]
pub struct OpenInvitationInput {
    /// Short id of the poll.
    short_id: Input<ShortId>,
    /// The secret of the link.
    secret: String,
}

/// The refresh token of a device.
#[derive(InputObject)]
pub struct UseRefreshTokenInput {
    /// The newest refresh token of the device.
    refresh_token: String,
}

/// Passcodes that the server has made. They are shown this once.
#[derive(SimpleObject)]
pub struct ShownPasscodes {
    /// The view passcode, if the server made it.
    view: Option<String>,
    /// The admin passcode, if the server made it.
    admin: Option<String>,
}

impl ShownPasscodes {
    /// What the server made, if anything.
    fn of(made: &MadePasscodes) -> Option<Self> {
        let shown = Self {
            view: made.view.as_ref().map(Passcode::reveal),
            admin: made.admin.as_ref().map(Passcode::reveal),
        };
        (shown.view.is_some() || shown.admin.is_some()).then_some(shown)
    }
}

macro_rules! opening_payloads {
    ($($type:ident { $($(#[$doc:meta])* $field:ident: $ty:ty = $of:expr,)* })+) => {$(
        /// The result of the mutation.
        #[derive(SimpleObject)]
        pub struct $type {
            /// The shareable. `null` if there are errors.
            shareable: Option<AnyShareable>,
            /// The token that opens the shareable. `null` if there are errors.
            token: Option<ShareableToken>,
            $($(#[$doc])* $field: $ty,)*
            /// Validation errors. If not empty, nothing was changed.
            user_errors: Vec<UserError>,
        }

        impl $type {
            fn of(opened: Result<Opened, Failed>) -> Result<Self, ApiError> {
                Ok(match opened {
                    Ok(opened) => Self {
                        $($field: $of(&opened),)*
                        shareable: Some(opened.shareable.into()),
                        token: Some(ShareableToken { token: opened.token, claims: opened.claims }),
                        user_errors: Vec::new(),
                    },
                    Err(error) => Self {
                        $($field: Default::default(),)*
                        shareable: None,
                        token: None,
                        user_errors: user_errors(error)?,
                    },
                })
            }
        }
    )+};
}

fn made(opened: &Opened) -> Option<ShownPasscodes> {
    ShownPasscodes::of(&opened.made)
}

fn refresh(opened: &Opened) -> Option<RefreshToken> {
    opened.refresh.clone()
}

fn invitations(opened: &Opened) -> Option<Vec<NewInvitation>> {
    let invitations = &opened.invitations;
    (!invitations.is_empty()).then(|| invitations.clone())
}

opening_payloads! {
    CreateShareablePayload {
        /// Passcodes that the server made: they are shown this once. `null` if it made none.
        made_passcodes: Option<ShownPasscodes> = made,
        /// The invitations of `voters`, with their personal links: they are shown this once. `null` if there are none.
        invitations: Option<Vec<NewInvitation>> = invitations,
    }
    OpenShareablePayload {
        /// The token with which the device stays signed in. `null` without `staysSignedIn`.
        refresh_token: Option<RefreshToken> = refresh,
    }
    OpenInvitationPayload {}
    UseRefreshTokenPayload {
        /// The next refresh token, which replaces the one that was used. `null` if there are errors.
        refresh_token: Option<RefreshToken> = refresh,
    }
    RenewTokenPayload {}
    ChangePasscodesPayload {
        /// The next refresh token of the device that has changed the admin passcode, which replaces its earlier one. `null` if
        /// it does not stay signed in, or its refresh token is still good.
        refresh_token: Option<RefreshToken> = refresh,
        /// Passcodes that the server made: they are shown this once. `null` if it made none.
        made_passcodes: Option<ShownPasscodes> = made,
    }
    CloneShareablePayload {
        /// Passcodes that the server made: they are shown this once. `null` if it made none.
        made_passcodes: Option<ShownPasscodes> = made,
    }
}

payloads! {
    /// The result of the mutation.
    ExtendShareablePayload {
        /// The extended shareable. `null` if there are errors.
        shareable: AnyShareable
    }
}

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
        create_shareable(CreateShareableInput) -> CreateShareablePayload = create,
        /// Opens a shareable: returns a token for it. An unknown short id and a wrong passcode get the same error; the view
        /// passcode of an expired shareable gets a CONFLICT. Too many wrong passcodes get RATE_LIMITED for a while: those of
        /// others do not keep out an address or a voter that has opened the shareable before.
        open_shareable(OpenShareableInput) -> OpenShareablePayload = open,
        /// Opens a poll by the personal link of an invitation, as the invited person. A wrong link, one that was replaced and
        /// an unknown short id get the same error.
        open_invitation(OpenInvitationInput) -> OpenInvitationPayload = open_invitation,
        /// Opens a shareable by the refresh token of a device that stays signed in, and returns the next refresh token. A
        /// refresh token that was used more than a minute ago signs the device out, because somebody has copied it.
        use_refresh_token(UseRefreshTokenInput) -> UseRefreshTokenPayload = use_refresh_token,
        /// Renews the request's token, as long as its passcode is the same.
        renew_token(RenewTokenInput) -> RenewTokenPayload = renew,
        /// Changes passcodes. Tokens of the earlier passcode open nothing any more, and devices are signed out. Needs a token
        /// of the admin passcode, and the passcode again.
        change_passcodes(ChangePasscodesInput) -> ChangePasscodesPayload = change_passcodes,
        /// Creates a shareable with the same items, not ticked, or the same options, without votes. Also possible for a
        /// year after the shareable has expired. Needs the admin passcode.
        clone_shareable(CloneShareableInput) -> CloneShareablePayload = clone,
        /// Makes a shareable expire later, also one that has expired. Needs the admin passcode.
        extend_shareable(ExtendShareableInput) -> ExtendShareablePayload = extend,
        /// Deletes a shareable with everything that belongs to it. Its short id is never used again. Needs a token of the
        /// admin passcode, and the passcode again.
        delete_shareable(DeleteShareableInput) -> DeleteShareablePayload = delete,
    }
}

async fn create(
    context: RequestContext<'_>,
    input: CreateShareableInput,
) -> Result<Opened, Failed> {
    let (draft, voter) = input.draft(context)?;
    opening::create(context, draft, voter).await
}

async fn open(context: RequestContext<'_>, input: OpenShareableInput) -> Result<Opened, Failed> {
    opening::open(context, input.read()?).await
}

async fn renew(context: RequestContext<'_>, input: RenewTokenInput) -> Result<Opened, Failed> {
    let short_id = one("shortId", input.short_id)?;
    opening::renew(context, &short_id).await
}

async fn change_passcodes(
    context: RequestContext<'_>,
    input: ChangePasscodesInput,
) -> Result<Opened, Failed> {
    let (short_id, passcode, new) = input.read()?;
    passcode_change::change_passcodes(context, &short_id, passcode, new).await
}

async fn clone(context: RequestContext<'_>, input: CloneShareableInput) -> Result<Opened, Failed> {
    let (short_id, copy) = input.settings(context)?;
    cloning::clone(context, &short_id, copy).await
}

async fn open_invitation(
    context: RequestContext<'_>,
    input: OpenInvitationInput,
) -> Result<Opened, Failed> {
    let short_id = one("shortId", input.short_id)?;
    crate::invitations::open(context, &short_id, &input.secret).await
}

async fn use_refresh_token(
    context: RequestContext<'_>,
    input: UseRefreshTokenInput,
) -> Result<Opened, Failed> {
    let opened = devices::refresh(context, &input.refresh_token).await?;
    extending::kept_open(context, opened).await
}

async fn extend(context: RequestContext<'_>, input: ExtendShareableInput) -> Made<AnyShareable> {
    let (short_id, extension) = input.read(context)?;
    let extended = extending::extend(context, &short_id, extension).await?;
    Ok(extended.map(AnyShareable::from))
}

async fn delete(context: RequestContext<'_>, input: DeleteShareableInput) -> Made<ID> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let passcode = check.need("passcode", input.passcode);
    let (short_id, passcode) = check.finish(|| short_id.zip(passcode))?;
    let expected = input.expected_version.map(u32::from);
    removing::delete(context, &short_id, passcode, expected).await
}
