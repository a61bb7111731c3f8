//! Invitations of voters: what is stored of them, and the secrets of their personal links.

use async_graphql::SimpleObject;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::part::key_of_part;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{Secret, VoterName};
use trestle_api::ApiError;
use trestle_domain::Moment;
use trestle_service::random_bytes;
use trestle_table::{Entity, Key, TableDefinition};

/// A person who is invited to vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Invitation {
    #[graphql(skip)]
    pub short_id: ShortId,
    #[graphql(skip)]
    pub invitation_id: Uuid,
    /// Name, shown with the vote.
    pub name: VoterName,
    /// The hash of the present link's secret.
    #[graphql(skip)]
    pub link_hash: String,
    /// When the person was invited.
    pub created_at: Moment,
    /// When the link was first opened. `null` if it never was.
    pub opened_at: Option<Moment>,
    #[graphql(skip)]
    pub ttl: i64,
}

/// `invitation#abcdef12345` / `01#<uuid without dashes>#`.
impl Entity for Invitation {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "invitation";
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.invitation_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

/// The secret of a personal link: which invitation, and 128 random bits.
#[derive(Clone)]
pub struct LinkSecret([u8; 32]);

impl LinkSecret {
    /// A new secret for the link of an invitation.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn new(invitation: Uuid) -> Result<Self, ApiError> {
        let mut bytes: [u8; 32] = random_bytes().map_err(ApiError::internal)?;
        bytes[..16].copy_from_slice(invitation.as_bytes());
        Ok(Self(bytes))
    }

    /// A secret that a client sends.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// The invitation that it is for.
    pub fn invitation(&self) -> Uuid {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.0[..16]);
        Uuid::from_bytes(bytes)
    }

    /// Its bytes, of which the hash is stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The secret in clear, for the one answer that shows it.
    pub fn reveal(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// An invitation, and the secret of its link, which is shown this once.
#[derive(Clone)]
pub struct NewInvitation {
    pub invitation: Invitation,
    pub link: LinkSecret,
}

/// An invitation to make.
pub struct InvitationDraft {
    id: Uuid,
    name: VoterName,
    link: LinkSecret,
}

impl InvitationDraft {
    /// An invitation of somebody.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn new(name: VoterName) -> Result<Self, ApiError> {
        let id = Uuid::new_v4();
        let link = LinkSecret::new(id)?;
        Ok(Self { id, name, link })
    }

    /// The invitation to a poll that is kept until `ttl`.
    pub fn under(
        &self,
        secret: &Secret,
        short_id: &ShortId,
        now: Moment,
        ttl: i64,
    ) -> NewInvitation {
        NewInvitation {
            invitation: Invitation {
                short_id: short_id.clone(),
                invitation_id: self.id,
                name: self.name.clone(),
                link_hash: secret.hash_of_link(self.link.as_bytes()),
                created_at: now,
                opened_at: None,
                ttl,
            },
            link: self.link.clone(),
        }
    }
}

/// Whether two names read the same.
pub fn is_same_name(a: &VoterName, b: &VoterName) -> bool {
    a.as_str().to_lowercase() == b.as_str().to_lowercase()
}
