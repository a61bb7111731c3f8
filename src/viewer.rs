//! Who is asking. Knows nothing of how that was found out, nor of what they ask for.

/// The subject of a request and what it may do. Made by the server from the request's credentials and
/// handed to every resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    subject: String,
    access: Access,
}

/// What a viewer may do in the services that know no finer roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Queries and subscriptions.
    Read,
    /// Everything, mutations included.
    Write,
}

impl Viewer {
    /// A viewer that was authenticated as `subject`.
    pub fn new(subject: impl Into<String>, access: Access) -> Self {
        Self {
            subject: subject.into(),
            access,
        }
    }

    /// The one viewer of a server that asks for no credentials.
    pub fn local() -> Self {
        Self::new("local", Access::Write)
    }

    /// The authenticated subject: a key's name or a token's `sub`.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Whether mutations are allowed.
    pub fn may_write(&self) -> bool {
        self.access == Access::Write
    }
}
