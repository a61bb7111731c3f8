//! Files of users, startups and applications: what they may be, and where they are in the object store.
//!
//! An item stores the object key of its file. Whoever reads the field gets a URL of their own, after the check of the
//! field, that expires in minutes.

pub mod graphql;

use async_graphql::ID;
use sha2::{Digest as _, Sha256};

use crate::api::{Node as _, Session};
use crate::domain::{Id, Rule, UserId, hex};
use crate::words;

use super::applications::Application;
use super::startups::Startup;
use super::users::User;

pub const MEGABYTE: i32 = 1024 * 1024;

words! {
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
    }
}

impl UploadPurpose {
    pub fn content_types(self) -> &'static [&'static str] {
        match self {
            UploadPurpose::Avatar | UploadPurpose::Logo => {
                &["image/png", "image/jpeg", "image/webp"]
            }
            UploadPurpose::PitchDeck | UploadPurpose::Resume => &["application/pdf"],
        }
    }

    pub fn max_bytes(self) -> i32 {
        match self {
            UploadPurpose::Avatar | UploadPurpose::Logo => 2 * MEGABYTE,
            UploadPurpose::Resume => 10 * MEGABYTE,
            UploadPurpose::PitchDeck => 20 * MEGABYTE,
        }
    }

    pub fn folder(self) -> &'static str {
        match self {
            UploadPurpose::Avatar => "avatars",
            UploadPurpose::Logo => "logos",
            UploadPurpose::PitchDeck => "pitch-decks",
            UploadPurpose::Resume => "resumes",
        }
    }
}

/// The entity that a file belongs to.
#[derive(Clone, Debug)]
pub enum Owner {
    User(UserId),
    Startup(Id<Startup>),
    Application(Id<Application>),
}

impl Owner {
    /// The owner that an id names.
    pub fn named(purpose: UploadPurpose, id: &ID, session: &Session) -> Result<Self, Rule> {
        match purpose {
            UploadPurpose::Avatar => User::named(id, session).map(Owner::User),
            UploadPurpose::Logo | UploadPurpose::PitchDeck => {
                Startup::named(id, session).map(Owner::Startup)
            }
            UploadPurpose::Resume => Application::named(id, session).map(Owner::Application),
        }
    }

    /// The folder of its objects. A user's id is any text, so its digest stands for it.
    pub fn folder(&self) -> String {
        match self {
            Owner::User(user) => hex(&Sha256::digest(user.as_str().as_bytes())),
            Owner::Startup(id) => id.to_string(),
            Owner::Application(id) => id.to_string(),
        }
    }
}

/// An upload in the object store.
pub struct Object;

/// Where an attached file is. No URL for an upload leads there.
pub fn key(purpose: UploadPurpose, owner: &Owner, upload: Id<Object>) -> String {
    [purpose.folder(), &owner.folder(), &upload.to_string()].join("/")
}

/// Where a client puts a file before it is attached.
pub fn incoming(purpose: UploadPurpose, owner: &Owner, upload: Id<Object>) -> String {
    format!("uploads/{}", key(purpose, owner, upload))
}
