//! The secret address at which calendars subscribe to the agenda.

use async_graphql::{Context, InputObject, SimpleObject};

use super::types::store;
use crate::calendar::Addresses;
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::{self, AddressError, Applications, CalendarToken};
use trestle_api::mutations;
use trestle_api::{ApiError, DateTime, FromRequest, Url, UserError, UserErrorCode};

/// The secret address at which calendars subscribe to the agenda. The address itself is returned only when it is created
/// or renewed, because only a hash of it is stored.
#[derive(SimpleObject)]
pub struct CalendarAddress {
    /// When the address was created or renewed.
    created_at: DateTime,
    /// Whether the events have alarms.
    alarms: bool,
}

impl From<store::CalendarAddress> for CalendarAddress {
    fn from(address: store::CalendarAddress) -> Self {
        Self {
            created_at: DateTime(address.created_at.to_string()),
            alarms: address.alarms,
        }
    }
}

/// Options of a new calendar address.
#[derive(InputObject)]
pub struct CreateCalendarAddressInput {
    /// Whether the events have alarms. Defaults to true.
    alarms: Option<bool>,
}

/// A calendar address to replace.
#[derive(InputObject)]
pub struct RenewCalendarAddressInput {
    /// Whether the events have alarms. Defaults to the present setting.
    alarms: Option<bool>,
    /// Renew it only if this is still its `createdAt`.
    created_at: Option<DateTime>,
}

/// A calendar address to revoke.
#[derive(InputObject)]
pub struct RevokeCalendarAddressInput {
    /// Revoke it only if this is still its `createdAt`.
    created_at: Option<DateTime>,
}

/// An address as it was just made, with its secret.
struct Made {
    address: CalendarAddress,
    path: String,
    url: Option<Url>,
}

/// The result of a change of the address.
type Changed<T> = Result<T, Vec<UserError>>;

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident)+) => {$(
        $(#[$doc])*
        #[derive(SimpleObject, Default)]
        pub struct $type {
            /// The address, without its secret. Null if there are errors.
            calendar_address: Option<CalendarAddress>,
            /// The address for calendar programs. It is returned this once. Whoever has it can read the agenda. Null if the
            /// server does not know where clients reach it: then `path` follows the server's own URL.
            url: Option<Url>,
            /// The path of the address on this server. Null if there are errors.
            path: Option<String>,
            /// Errors that the user can correct. If not empty, nothing was changed.
            user_errors: Vec<UserError>,
        }

        impl $type {
            fn of(made: Result<Changed<Made>, ApiError>) -> Result<Self, ApiError> {
                Ok(match made? {
                    Ok(made) => Self {
                        calendar_address: Some(made.address),
                        url: made.url,
                        path: Some(made.path),
                        user_errors: Vec::new(),
                    },
                    Err(user_errors) => Self { user_errors, ..Self::default() },
                })
            }
        }
    )+};
}

payloads! {
    /// The result of `createCalendarAddress`.
    CreateCalendarAddressPayload
    /// The result of `renewCalendarAddress`.
    RenewCalendarAddressPayload
}

/// The result of `revokeCalendarAddress`.
#[derive(SimpleObject, Default)]
pub struct RevokeCalendarAddressPayload {
    /// The address that was revoked. Null if there are errors.
    revoked_calendar_address: Option<CalendarAddress>,
    /// Errors that the user can correct. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

impl RevokeCalendarAddressPayload {
    fn of(revoked: Result<Changed<CalendarAddress>, ApiError>) -> Result<Self, ApiError> {
        Ok(match revoked? {
            Ok(address) => Self {
                revoked_calendar_address: Some(address),
                user_errors: Vec::new(),
            },
            Err(user_errors) => Self {
                user_errors,
                ..Self::default()
            },
        })
    }
}

/// What a mutation of the address works with.
struct Calendars<'c> {
    store: &'c Applications,
    addresses: &'c Addresses,
}

impl<'c> FromRequest<'c> for Calendars<'c> {
    fn from_request(ctx: &Context<'c>) -> Result<Self, ApiError> {
        let addresses = ctx.data_opt::<Addresses>();
        Ok(Self {
            store: store(ctx)?,
            addresses: addresses.ok_or_else(|| ApiError::internal(StoreError::LostKey))?,
        })
    }
}

impl Calendars<'_> {
    fn made(&self, token: &CalendarToken, address: store::CalendarAddress) -> Made {
        Made {
            address: address.into(),
            path: self.addresses.path(token),
            url: self.addresses.url(token).map(|url| Url(url.to_string())),
        }
    }
}

mutations! {
    /// The mutations of the calendar address.
    CalendarMutation {
        /// Creates the secret address at which calendars subscribe to the agenda. There is one at a time.
        create_calendar_address(CreateCalendarAddressInput)
            -> CreateCalendarAddressPayload = create,
        /// Replaces the calendar address: calendars that have the former one get nothing from now on.
        renew_calendar_address(RenewCalendarAddressInput)
            -> RenewCalendarAddressPayload = renew,
        /// Revokes the calendar address: calendars that have it get nothing from now on.
        revoke_calendar_address(RevokeCalendarAddressInput) -> RevokeCalendarAddressPayload = revoke,
    }
}

/// The address of the calendar, if there is one.
pub async fn calendar_address(ctx: &Context<'_>) -> Result<Option<CalendarAddress>, ApiError> {
    let address = store(ctx)?.calendar_address().await?;
    Ok(address.map(CalendarAddress::from))
}

async fn create(
    calendars: Calendars<'_>,
    input: CreateCalendarAddressInput,
) -> Result<Changed<Made>, ApiError> {
    let token = CalendarToken::random().map_err(ApiError::internal)?;
    let alarms = input.alarms.unwrap_or(true);
    let created = calendars
        .store
        .create_calendar_address(&token, alarms)
        .await;
    settled(created.map(|address| calendars.made(&token, address)))
}

async fn renew(
    calendars: Calendars<'_>,
    input: RenewCalendarAddressInput,
) -> Result<Changed<Made>, ApiError> {
    let expected = match expected(input.created_at.as_ref()) {
        Ok(expected) => expected,
        Err(error) => return Ok(Err(vec![error])),
    };
    let token = CalendarToken::random().map_err(ApiError::internal)?;
    let renewed = calendars
        .store
        .renew_calendar_address(&token, input.alarms, expected)
        .await;
    settled(renewed.map(|address| calendars.made(&token, address)))
}

async fn revoke(
    calendars: Calendars<'_>,
    input: RevokeCalendarAddressInput,
) -> Result<Changed<CalendarAddress>, ApiError> {
    let expected = match expected(input.created_at.as_ref()) {
        Ok(expected) => expected,
        Err(error) => return Ok(Err(vec![error])),
    };
    let revoked = calendars.store.revoke_calendar_address(expected).await;
    settled(revoked.map(CalendarAddress::from))
}

/// The moment that an input expects.
fn expected(given: Option<&DateTime>) -> Result<Option<Timestamp>, UserError> {
    let parsed = given.map(|moment| Timestamp::parse(&moment.0)).transpose();
    parsed.map_err(|_| {
        let message = "`createdAt` must be a timestamp such as 2026-11-20T09:30:00.000Z.";
        user_error(UserErrorCode::Invalid, message, Some("createdAt"))
    })
}

/// The result of a change, or its user errors.
fn settled<T>(changed: Result<T, AddressError>) -> Result<Changed<T>, ApiError> {
    let error = match changed {
        Ok(changed) => return Ok(Ok(changed)),
        Err(AddressError::Exists) => user_error(
            UserErrorCode::Conflict,
            "There is a calendar address already. Replace it with `renewCalendarAddress`.",
            None,
        ),
        Err(AddressError::Missing) => user_error(
            UserErrorCode::NotFound,
            "There is no calendar address. Create one with `createCalendarAddress`.",
            None,
        ),
        Err(AddressError::Other) => user_error(
            UserErrorCode::Conflict,
            "The calendar address was renewed at another moment. Read `calendarAddress`, then repeat the mutation.",
            Some("createdAt"),
        ),
        Err(AddressError::Failed(error)) => {
            return crate::error::user_errors(error, "id").map(Err);
        }
    };
    Ok(Err(vec![error]))
}

fn user_error(code: UserErrorCode, message: &str, field: Option<&str>) -> UserError {
    UserError {
        code,
        message: message.to_owned(),
        field: field.map(|field| vec![field.to_owned()]),
        current_version: None,
    }
}
