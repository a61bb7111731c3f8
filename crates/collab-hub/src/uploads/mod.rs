//! Files of users, startups, applications and messages: what they may be, and where they are in the object store.
//!
//! An item stores the object key of its file. Whoever reads the field gets a URL of their own, after the check of the
//! field, that expires in minutes.

pub mod finished;
pub mod graphql;
pub mod sweep;

use async_graphql::ID;
use sha2::{Digest as _, Sha256};

use trestle_api::{Node as _, Session};
use trestle_domain::string_enum;
use trestle_domain::{Id, Rule, UserId, hex};

use trestle_api::Scalar;

use super::applications::Application;
use super::conversations::Conversation;
use super::file_types::TYPES;
use super::startups::Startup;
use super::users::User;

pub const MEGABYTE: i32 = 1024 * 1024;

string_enum! {
    /// What a file is for.
    UploadPurpose {
        /// The picture of a user: PNG, JPEG or WebP of at most 2 MB.
        Avatar = "AVATAR",
        /// The logo of a startup: PNG, JPEG or WebP of at most 2 MB.
        Logo = "LOGO",
        /// The pitch deck of a startup: PDF of at most 20 MB.
        PitchDeck = "PITCH_DECK",
        /// The resume of an application: PDF of at most 10 MB.
        Resume = "RESUME",
        /// A file of a message: PNG, JPEG, WebP or PDF of at most 10 MB. It is attached by `sendMessage`.
        Attachment = "ATTACHMENT",
    }
}

impl UploadPurpose {
    pub fn content_types(self) -> &'static [&'static str] {
        match self {
            UploadPurpose::Avatar | UploadPurpose::Logo => {
                &["image/png", "image/jpeg", "image/webp"]
            }
            UploadPurpose::PitchDeck | UploadPurpose::Resume => &["application/pdf"],
            UploadPurpose::Attachment => {
                &["image/png", "image/jpeg", "image/webp", "application/pdf"]
            }
        }
    }

    pub fn max_bytes(self) -> i32 {
        match self {
            UploadPurpose::Avatar | UploadPurpose::Logo => 2 * MEGABYTE,
            UploadPurpose::Resume | UploadPurpose::Attachment => 10 * MEGABYTE,
            UploadPurpose::PitchDeck => 20 * MEGABYTE,
        }
    }

    pub fn folder(self) -> &'static str {
        match self {
            UploadPurpose::Avatar => "avatars",
            UploadPurpose::Logo => "logos",
            UploadPurpose::PitchDeck => "pitch-decks",
            UploadPurpose::Resume => "resumes",
            UploadPurpose::Attachment => "attachments",
        }
    }
}

/// The entity that a file belongs to.
#[derive(Clone, Debug)]
pub enum Owner {
    User(UserId),
    Startup(Id<Startup>),
    Application(Id<Application>),
    /// A participant's files of a conversation: what one has uploaded, no other one sends.
    Conversation(Id<Conversation>, UserId),
}

impl Owner {
    /// The owner that an id names.
    pub fn named(purpose: UploadPurpose, id: &ID, session: &Session) -> Result<Self, Rule> {
        match purpose {
            UploadPurpose::Avatar => User::named(id, session).map(Owner::User),
            UploadPurpose::Logo | UploadPurpose::PitchDeck => {
                Startup::named(id, session).map(Owner::Startup)
            }
            UploadPurpose::Resume => Application::named(id, session)
                .map(Owner::Application)
                .or_else(|_| User::named(id, session).map(Owner::User)),
            UploadPurpose::Attachment => Conversation::named(id, session)
                .map(|conversation| Owner::Conversation(conversation, session.user())),
        }
    }

    /// The folder of its objects. A user's id is any text, so its digest stands for it.
    pub fn folder(&self) -> String {
        match self {
            Owner::User(user) => hex(&Sha256::digest(user.as_str().as_bytes())),
            Owner::Startup(id) => id.to_string(),
            Owner::Application(id) => id.to_string(),
            Owner::Conversation(id, user) => hex(&Sha256::digest(
                format!("{id}/{}", user.as_str()).as_bytes(),
            )),
        }
    }
}

/// An upload in the object store.
pub struct Object;

/// The name of an upload, as clients pass it: a ULID, and the extension of the file's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadName {
    /// The ULID.
    pub id: Id<Object>,
    /// The extension, with its dot. Empty in names of the first release.
    pub extension: &'static str,
}

impl UploadName {
    /// The name of a new upload.
    pub fn new(id: Id<Object>, content_type: &str) -> Self {
        let known = TYPES.iter().find(|(known, _)| *known == content_type);
        let extension = known.map_or("", |(_, extension)| extension);
        Self { id, extension }
    }
}

impl std::fmt::Display for UploadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.id, self.extension)
    }
}

impl Scalar for UploadName {
    type As = String;

    fn read(text: String) -> Result<Self, Rule> {
        let extension = TYPES
            .iter()
            .find(|(_, extension)| text.ends_with(extension));
        let extension = extension.map_or("", |(_, extension)| extension);
        let id = Id::parse(text.trim_end_matches(extension))?;
        Ok(Self { id, extension })
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Where an attached file is. No URL for an upload leads there.
pub fn key(purpose: UploadPurpose, owner: &Owner, upload: UploadName) -> String {
    [purpose.folder(), &owner.folder(), &upload.to_string()].join("/")
}

/// Whether a text is where an attached file is.
pub fn is_key(text: &str) -> bool {
    let mut segments = text.split('/');
    let folder = segments.next().unwrap_or_default();
    let is_folder = ["avatars", "logos", "pitch-decks", "resumes", "attachments"].contains(&folder);
    let upload = segments.nth(1).map(Id::<Object>::parse);
    is_folder && matches!(upload, Some(Ok(_))) && segments.next().is_none()
}

/// Where a client puts a file before it is attached.
pub fn incoming(purpose: UploadPurpose, owner: &Owner, upload: UploadName) -> String {
    format!("uploads/{}", key(purpose, owner, upload))
}
