//! Uploads in the API.

use std::time::Duration;

use async_graphql::{ID, InputObject, SimpleObject};

use crate::applications::{Application, ApplicationStatus};
use crate::conversations::Conversation;
use crate::journal::Journal;
use crate::member::{Profile, acting};
use crate::signed::{FileKey, files};
use crate::startups::Startup;
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::User;
use trestle_api::{DateTime, Failed, Input, Session, Url, UserError, Version};
use trestle_api::{mutations, own_payloads, payloads};
use trestle_domain::{Bounded, Check, Id, Millis, Moment, Rule, UserId, Violations};
use trestle_files::Upload;
use trestle_table::{ChangeError, Changed, TableError, TransactionBuilder};

use super::finished::{discard, failed, uploaded};
use super::{MEGABYTE, Object, Owner, UploadName, UploadPurpose, incoming, key};

/// How long a URL for an upload is valid.
const UPLOAD_LIFETIME: Duration = Duration::from_secs(15 * 60);

#[derive(InputObject, Clone)]
pub struct CreateUploadInput {
    /// What the file is for.
    purpose: UploadPurpose,
    /// The id of the viewer's user for AVATAR, of a startup that the viewer founded for LOGO and PITCH_DECK, and for RESUME
    /// of an application of the viewer, or of the viewer's user before `applyForRole`; of a conversation in which the viewer
    /// takes part for ATTACHMENT.
    id: ID,
    /// Media type, such as application/pdf.
    content_type: String,
    /// Number of bytes.
    size: Input<Bounded<1, { 20 * MEGABYTE }>>,
}

#[derive(InputObject, Clone)]
pub struct AttachUploadInput {
    /// What the file is for, as in `createUpload`.
    purpose: UploadPurpose,
    /// The id of the entity, as in `createUpload`.
    id: ID,
    /// Change the entity only if it still has this version.
    expected_version: Option<Version>,
    /// The `uploadId` of `createUpload`, after the upload. Without it, the file is removed from the entity.
    upload_id: Option<Input<UploadName>>,
}

/// A header that the client must send with an upload.
#[derive(SimpleObject)]
pub struct UploadHeader {
    /// Name.
    name: String,
    /// Value.
    value: String,
}

/// A permission to upload one file.
#[derive(SimpleObject)]
pub struct UploadTicket {
    /// The id for `attachUpload`.
    upload_id: String,
    /// The URL to PUT the file to.
    url: Url,
    /// The headers that the client must send.
    headers: Vec<UploadHeader>,
    /// When the URL expires.
    expires_at: DateTime,
}

payloads! {
    /// The result of `createUpload`.
    CreateUploadPayload {
        /// The permission to upload. `null` if there are errors.
        upload: UploadTicket
    }
}

/// The result of `attachUpload`.
#[derive(SimpleObject, Default)]
pub struct AttachUploadPayload {
    /// The changed user, for AVATAR.
    user: Option<User>,
    /// The changed startup, for LOGO and PITCH_DECK.
    startup: Option<Startup>,
    /// The changed application, for RESUME.
    application: Option<Application>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

mutations! {
    /// Mutations of files.
    UploadMutation {
        /// Permits the viewer to upload a file: PUT it to the returned URL, then call `attachUpload`.
        create_upload(CreateUploadInput) -> CreateUploadPayload = create,
        /// Makes an uploaded file the avatar, logo, pitch deck or resume of its entity.
        attach_upload(AttachUploadInput) -> AttachUploadPayload = attach,
    }
}

own_payloads! {
    AttachUploadPayload
}

const SETTLED: &str =
    "names an application that is decided or withdrawn, whose resume stays as it is";
const NOT_OWNED: Rule = Rule::NotFound("does not name anything of yours for this purpose");

/// Two GetItems, of the viewer's profile and the owner, and one UpdateItem of what the viewer has uploaded today.
async fn create(
    session: &Session,
    input: CreateUploadInput,
) -> Result<Changed<UploadTicket>, Failed> {
    let member = acting(session).await?;
    let mut check = Check::default();
    let size = check.need("size", input.size);
    let fits = size.is_none_or(|size| size.get() <= input.purpose.max_bytes());
    check.that(
        fits,
        "size",
        Rule::OutOfRange(1, input.purpose.max_bytes().into()),
    );
    let is_allowed = input
        .purpose
        .content_types()
        .contains(&input.content_type.as_str());
    let form = match input.purpose {
        UploadPurpose::Avatar | UploadPurpose::Logo => "image/png, image/jpeg or image/webp",
        UploadPurpose::PitchDeck | UploadPurpose::Resume => "application/pdf",
        UploadPurpose::Attachment => "image/png, image/jpeg, image/webp or application/pdf",
    };
    check.that(is_allowed, "contentType", Rule::Invalid(form));
    let owner = check.need("id", Owner::named(input.purpose, &input.id, session));
    let (owner, size) = check.finish(|| owner.zip(size))?;
    if !is_owned(session, &owner, &member.id).await? {
        return Err(NOT_OWNED.at("id").into());
    }
    let id = Id::<Object>::new(session.tables.now());
    let bytes = u64::from(size.get().unsigned_abs());
    // Before the URL is signed, because the object store takes what the URL allows.
    Usage::spend_now(session, &member, Quota::UploadedBytes, bytes, "size").await?;
    let upload = Upload {
        max_bytes: bytes,
        content_type: Some(input.content_type.clone()),
        bytes: Some(bytes),
        sha256: None,
    };
    let name = UploadName::new(id, &input.content_type);
    let key = incoming(input.purpose, &owner, name);
    let files = files(session)?;
    let url = files.upload_url(&key, &upload, UPLOAD_LIFETIME).await;
    let url = url.map_err(failed)?;
    let header = |(name, value): (&str, String)| UploadHeader {
        name: name.to_owned(),
        value,
    };
    Ok(Changed::now(UploadTicket {
        upload_id: name.to_string(),
        url: Url(url.url.to_string()),
        headers: url.headers.into_iter().map(header).collect(),
        expires_at: DateTime(Moment::<Millis>::new(url.expires).to_string()),
    }))
}

async fn is_owned(session: &Session, owner: &Owner, user: &UserId) -> Result<bool, TableError> {
    Ok(match owner {
        Owner::User(owner) => owner == user,
        Owner::Startup(id) => {
            let startup = session.tables.get::<Startup>(id).await?;
            startup.is_some_and(|startup| startup.founder_id == *user)
        }
        Owner::Application(id) => {
            let application = session.tables.get::<Application>(id).await?;
            application.is_some_and(|application| application.applicant_id == *user)
        }
        Owner::Conversation(id, _) => {
            let conversation = session.tables.get::<Conversation>(id).await?;
            conversation.is_some_and(|conversation| conversation.includes(user))
        }
    })
}

/// Two GetItems, of the viewer's profile and the owner, a look at the object, and one TransactWriteItems: the owner and the
/// audit entry. With an expected version, one GetItem more.
async fn attach(
    session: &Session,
    input: AttachUploadInput,
) -> Result<AttachUploadPayload, Failed> {
    let user = acting(session).await?.id;
    let mut check = Check::default();
    let is_attached = input.purpose != UploadPurpose::Attachment;
    let others =
        Rule::Invalid("AVATAR, LOGO, PITCH_DECK or RESUME; `sendMessage` takes attachments");
    check.that(is_attached, "purpose", others);
    let owner = check.need("id", Owner::named(input.purpose, &input.id, session));
    let upload = check.if_given("uploadId", input.upload_id.clone());
    let owner = check.finish(|| owner)?;
    let journal = Journal::of(session);
    must_own(
        &journal,
        &owner,
        input.expected_version.map(u32::from),
        &user,
    )
    .await?;
    let place = match upload {
        Some(upload) => {
            let from = incoming(input.purpose, &owner, upload);
            let key = key(input.purpose, &owner, upload);
            Some(uploaded(session, input.purpose, &from, key).await?)
        }
        None => None,
    };
    let (expected, purpose) = (input.expected_version.map(u32::from), input.purpose);
    // The file that the plan finds in the place of the new one.
    let another =
        |earlier: &Option<FileKey>| earlier.clone().filter(|key| Some(key) != place.as_ref());
    let payload = AttachUploadPayload::default();
    let (attached, replaced) = match &owner {
        // Refused above.
        Owner::Conversation(..) => return Err(NOT_OWNED.at("id").into()),
        Owner::User(id) => {
            let plan = |now: &User, unit: &mut TransactionBuilder<Violations>| {
                owned(*id == user && purpose == UploadPurpose::Avatar)?;
                journal.record::<User>(unit, "FILE_ATTACHED", id);
                let next = User {
                    avatar_url: place.clone(),
                    ..now.clone()
                };
                Ok((next, another(&now.avatar_url)))
            };
            let changed = session.tables.change_with(id, expected, plan).await;
            session.forget::<Profile>();
            let (changed, replaced) = changed.map_err(hidden)?;
            let attached = AttachUploadPayload {
                user: Some(changed.entity),
                ..payload
            };
            (attached, replaced)
        }
        Owner::Startup(id) => {
            let plan = |now: &Startup, unit: &mut TransactionBuilder<Violations>| {
                owned(now.founder_id == user)?;
                journal.record::<Startup>(unit, "FILE_ATTACHED", *id);
                let mut next = now.clone();
                let replaced = match purpose {
                    UploadPurpose::Logo => {
                        next.logo_url = place.clone();
                        another(&now.logo_url)
                    }
                    UploadPurpose::PitchDeck => {
                        next.pitch_deck_url = place.clone();
                        another(&now.pitch_deck_url)
                    }
                    UploadPurpose::Avatar | UploadPurpose::Resume | UploadPurpose::Attachment => {
                        None
                    }
                };
                Ok((next, replaced))
            };
            let changed = session.tables.change_with(id, expected, plan).await;
            let (changed, replaced) = changed.map_err(hidden)?;
            let attached = AttachUploadPayload {
                startup: Some(changed.entity),
                ..payload
            };
            (attached, replaced)
        }
        Owner::Application(id) => {
            let plan = |now: &Application, unit: &mut TransactionBuilder<Violations>| {
                owned(now.applicant_id == user)?;
                if now.status.is_decided() || now.status == ApplicationStatus::Withdrawn {
                    return Err(Rule::Conflict(SETTLED).at("id"));
                }
                // A resume that came with the application may belong to others of the same user, too.
                let is_own = |key: &FileKey| key.as_str().contains(&id.to_string());
                journal.record::<Application>(unit, "FILE_ATTACHED", *id);
                let next = Application {
                    resume_url: place.clone(),
                    ..now.clone()
                };
                Ok((next, another(&now.resume_url.clone().filter(is_own))))
            };
            let changed = session.tables.change_with(id, expected, plan).await;
            let (changed, replaced) = changed.map_err(hidden)?;
            let attached = AttachUploadPayload {
                application: Some(changed.entity),
                ..payload
            };
            (attached, replaced)
        }
    };
    if let Some(replaced) = replaced {
        discard(session, &replaced).await;
    }
    Ok(attached)
}

/// Refuses an owner that is not the viewer's before its version is compared.
async fn must_own(
    journal: &Journal<'_>,
    owner: &Owner,
    expected: Option<u32>,
    user: &UserId,
) -> Result<(), ChangeError<Violations>> {
    let guarded = match owner {
        Owner::User(id) => return owned(id == user).map_err(ChangeError::from),
        Owner::Startup(id) => {
            let may = |startup: &Startup| startup.founder_id == *user;
            journal.guard(id, expected, may).await
        }
        Owner::Application(id) => {
            let may = |application: &Application| application.applicant_id == *user;
            journal.guard(id, expected, may).await
        }
        Owner::Conversation(..) => return Err(NOT_OWNED.at("id").into()),
    };
    guarded.map_err(hidden)
}

/// Answers for what does not exist as for what belongs to somebody else.
fn hidden(error: ChangeError<Violations>) -> ChangeError<Violations> {
    error.if_missing(NOT_OWNED.at("id"))
}

fn owned(is_owned: bool) -> Result<(), Violations> {
    if is_owned {
        Ok(())
    } else {
        Err(NOT_OWNED.at("id"))
    }
}
