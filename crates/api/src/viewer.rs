//! Who is asking. Knows nothing of how that was found out, nor of what they ask for.

use std::fmt;
use std::sync::Arc;

/// The subject of a request and what it may do. Made by the server from the request's credentials and
/// handed to every resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    subject: String,
    owner: Option<Owner>,
    access: Access,
    roles: Roles,
    email: Option<String>,
    address: Option<String>,
    agent: Option<String>,
}

/// The roles of a viewer, beyond reading and writing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Roles {
    /// Every one: the only viewer of a server that asks for no credentials.
    All,
    /// These.
    Named(Vec<String>),
}

/// Whose data a viewer works with, in tables with a part for each owner: a person, or a team.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(Arc<str>);

impl Owner {
    /// The most bytes of a name. It is part of keys, which have at most 2048 bytes, with each byte encoded in at most 3.
    pub const MAX: usize = 256;

    /// The owner with this name, which may have any characters; `None` if it is empty or longer than [`Owner::MAX`].
    pub fn new(name: impl Into<String>) -> Option<Self> {
        let name = name.into();
        (1..=Self::MAX)
            .contains(&name.len())
            .then(|| Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl trestle_domain::Segment for Owner {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        std::borrow::Cow::Borrowed(self.as_str())
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a viewer may do, whatever their other roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No operation at all.
    None,
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
            owner: None,
            access,
            roles: Roles::Named(Vec::new()),
            email: None,
            address: None,
            agent: None,
        }
    }

    /// The same viewer with these roles. What a role is good for, each service says.
    pub fn with_roles(self, roles: impl IntoIterator<Item = String>) -> Self {
        Self {
            roles: Roles::Named(roles.into_iter().collect()),
            ..self
        }
    }

    /// The same viewer, who works with the data of this owner.
    pub fn with_owner(self, owner: Option<Owner>) -> Self {
        Self { owner, ..self }
    }

    /// The same viewer with an email address that the identity provider has verified.
    pub fn with_email(self, email: impl Into<String>) -> Self {
        Self {
            email: Some(email.into()),
            ..self
        }
    }

    /// The same viewer, whose request came from this network address and program, for audit logs.
    pub fn with_client(self, address: Option<String>, agent: Option<String>) -> Self {
        Self {
            address,
            agent,
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

    /// Whose data the viewer works with; `None` if the credentials name no owner.
    pub fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// Whether this is the only viewer of a server that asks for no credentials.
    pub fn is_local(&self) -> bool {
        self.roles == Roles::All
    }

    /// The names of the viewer's roles; none of a viewer that has every role.
    pub fn roles(&self) -> &[String] {
        match &self.roles {
            Roles::All => &[],
            Roles::Named(names) => names,
        }
    }

    /// The network address that the request came from, if it is known.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// The program that sent the request, as it names itself.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Whether the viewer has a role.
    pub fn has_role(&self, role: &str) -> bool {
        match &self.roles {
            Roles::All => true,
            Roles::Named(names) => names.iter().any(|name| name == role),
        }
    }

    /// Whether the identity provider has verified that this email address is the viewer's. Letter case is ignored.
    pub fn has_verified(&self, email: &str) -> bool {
        match (&self.roles, &self.email) {
            (Roles::All, _) => true,
            (Roles::Named(_), Some(verified)) => verified.to_lowercase() == email.to_lowercase(),
            (Roles::Named(_), None) => false,
        }
    }

    /// Whether queries and subscriptions are allowed.
    pub fn may_read(&self) -> bool {
        match self.access {
            Access::None => false,
            Access::Read | Access::Write => true,
        }
    }

    /// Whether mutations are allowed.
    pub fn may_write(&self) -> bool {
        self.access == Access::Write
    }
}
