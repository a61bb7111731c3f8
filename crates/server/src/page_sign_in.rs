//! How people sign in on the pages that this server serves: what the pages are told of the identity provider. Knows no page.

use serde::Serialize;

/// The identity provider, and the pages' client there. Nothing of it is secret: it is a part of the pages.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageSignIn {
    /// The issuer, exactly as in its tokens.
    pub issuer: String,
    /// The public client of the pages.
    pub client_id: String,
    /// What the pages ask for, separated by spaces.
    pub scope: String,
    /// What the tokens are for, if the provider has to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// The issuer's origin, which the pages connect to.
    #[serde(skip)]
    pub origin: String,
}
