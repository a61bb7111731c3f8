//! Who asks.

use async_graphql::SimpleObject;

use crate::keys::Scope;
use trestle_api::viewer;

/// The sender of the request, as the server knows it from the credentials.
#[derive(SimpleObject)]
pub struct Viewer {
    /// The name of the API key, or the subject of the token. It is recorded in history entries.
    subject: String,
    /// Whose applications the viewer sees. Null if the server has one list of applications for everyone.
    owner: Option<String>,
    /// The roles in the credentials.
    roles: Vec<String>,
    /// Whether the viewer may use mutations.
    can_write: bool,
}

impl Viewer {
    /// A viewer of the applications in this scope.
    pub fn new(viewer: &viewer::Viewer, scope: &Scope) -> Self {
        Self {
            subject: viewer.subject().to_owned(),
            owner: scope.owner().map(|owner| owner.as_str().to_owned()),
            roles: viewer.roles().to_vec(),
            can_write: viewer.may_write(),
        }
    }
}
