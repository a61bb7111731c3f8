//! Who is asking. Knows nothing of how that was found out, nor of what they ask for.

/// The subject of a request and what it may do. Made by the server from the request's credentials and
/// handed to every resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    subject: String,
    access: Access,
    roles: Roles,
}

/// The roles of a viewer, beyond reading and writing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Roles {
    /// Every one: the only viewer of a server that asks for no credentials.
    All,
    /// These.
    Named(Vec<String>),
}

/// What a viewer may do, whatever their roles.
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
            roles: Roles::Named(Vec::new()),
        }
    }

    /// The same viewer with these roles. What a role is good for, each service says.
    pub fn with_roles(self, roles: impl IntoIterator<Item = String>) -> Self {
        Self {
            roles: Roles::Named(roles.into_iter().collect()),
            ..self
        }
    }

    /// The one viewer of a server that asks for no credentials, who may do everything.
    pub fn local() -> Self {
        Self {
            roles: Roles::All,
            ..Self::new("local", Access::Write)
        }
    }

    /// The authenticated subject: a key's name or a token's `sub`.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Whether the viewer has a role.
    pub fn has_role(&self, role: &str) -> bool {
        match &self.roles {
            Roles::All => true,
            Roles::Named(names) => names.iter().any(|name| name == role),
        }
    }

    /// Whether mutations are allowed.
    pub fn may_write(&self) -> bool {
        self.access == Access::Write
    }
}
