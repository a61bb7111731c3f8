//! What the operator says about authentication, on the command line or in the environment, and what is
//! wrong with it. Knows nothing of requests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use url::{Host, Url};

use super::api_key::KeyFileError;
use crate::page_sign_in::PageSignIn;
use trestle_service::flags::time_or_seconds;

/// How requests prove who they are. With none of these, the server asks for nothing.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Authentication")]
pub struct AuthenticationArgs {
    /// File of API keys, one per line: `NAME none|read|write SHA-256`. `trestle api-key` generates them. Clients send
    /// a key in the header `Authorization: Bearer KEY` or `x-api-key: KEY`
    #[arg(long, env = "TRESTLE_API_KEYS", value_name = "FILE")]
    pub api_keys: Option<PathBuf>,

    /// Issuer of accepted tokens, exactly as in their claim `iss`, often with a slash at the end. Clients send a
    /// token in the header `Authorization: Bearer TOKEN`
    #[arg(long, env = "TRESTLE_JWT_ISSUER", value_name = "URL")]
    pub jwt_issuer: Option<String>,

    /// Audience of accepted tokens
    #[arg(long, env = "TRESTLE_JWT_AUDIENCE", value_name = "TEXT")]
    pub jwt_audience: Option<String>,

    /// URL of the issuer's signing keys: https, or http on a loopback address
    #[arg(long, env = "TRESTLE_JWT_JWKS_URL", value_name = "URL")]
    pub jwt_jwks_url: Option<String>,

    /// Maximum difference from the issuer's clock, at most 10m. A number without a unit is in seconds
    #[arg(
        long,
        env = "TRESTLE_JWT_CLOCK_SKEW",
        value_name = "TIME",
        default_value = "60s",
        value_parser = clock_skew
    )]
    pub jwt_clock_skew: Duration,

    /// Claim with the audience: `aud`, or `client_id` for access tokens of Amazon Cognito
    #[arg(
        long,
        env = "TRESTLE_JWT_AUDIENCE_CLAIM",
        value_name = "NAME",
        default_value = AUDIENCE
    )]
    pub jwt_audience_claim: String,

    /// Claim with the roles, as a list or separated by spaces: `permissions`, `scope`, `cognito:groups`, or a
    /// path that starts with a slash, such as `/realm_access/roles`
    #[arg(
        long,
        env = "TRESTLE_JWT_ROLES_CLAIM",
        value_name = "NAME",
        default_value = "roles"
    )]
    pub jwt_roles_claim: String,

    /// Role that allows queries and subscriptions. `*` allows every accepted token
    #[arg(
        long,
        env = "TRESTLE_JWT_READ_ROLE",
        value_name = "ROLE",
        default_value = "read"
    )]
    pub jwt_read_role: String,

    /// Role that allows mutations, queries and subscriptions. `*` allows every accepted token, for services that check
    /// their own users
    #[arg(
        long,
        env = "TRESTLE_JWT_WRITE_ROLE",
        value_name = "ROLE",
        default_value = "write"
    )]
    pub jwt_write_role: String,

    /// Claim with the owner for --tenancy owner, for example `org_id` for teams, or a path as in --jwt-roles-claim. Users
    /// must not be able to choose its value [default: sub]
    #[arg(long, env = "TRESTLE_TENANT_CLAIM", value_name = "NAME")]
    pub tenant_claim: Option<String>,

    /// Client id of the pages at the identity provider of --jwt-issuer: a public client, by which people sign in on the
    /// board and the page of graph-runs (OpenID Connect, authorization code with PKCE)
    #[arg(long, env = "TRESTLE_OIDC_CLIENT_ID", value_name = "ID")]
    pub oidc_client_id: Option<String>,

    /// Scopes that the pages ask for, separated by spaces. Sessions are renewed if one of them gives refresh tokens, often
    /// `offline_access`
    #[arg(
        long,
        env = "TRESTLE_OIDC_SCOPE",
        value_name = "TEXT",
        default_value = "openid"
    )]
    pub oidc_scope: String,
}

/// Why the server does not start with these arguments. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// The key file is not usable.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// Tokens need all of issuer, audience and JWKS URL.
    #[error(
        "Tokens need --jwt-issuer, --jwt-audience and --jwt-jwks-url together: {missing} is missing."
    )]
    Incomplete {
        /// The first one that is missing.
        missing: &'static str,
    },
    /// A setting that may not be empty is.
    #[error("{setting} is empty: give it a value, or leave it out for its default.")]
    Empty {
        /// The flag.
        setting: &'static str,
    },
    /// The JWKS URL is none, or one that someone on the way could answer.
    #[error(
        "--jwt-jwks-url has to be an https URL (or http on a loopback address): whoever can answer it \
         can forge tokens."
    )]
    JwksUrl,
    /// The pages have nobody to send people to.
    #[error(
        "--oidc-client-id needs --jwt-issuer, --jwt-audience and --jwt-jwks-url: people sign in at the \
         provider whose tokens the server accepts."
    )]
    NoProvider,
    /// Browsers cannot find the provider.
    #[error(
        "--oidc-client-id needs a --jwt-issuer that is an https URL (or http on a loopback address): \
         browsers find the provider there."
    )]
    IssuerUrl,
    /// Without it the provider answers no ID token.
    #[error("--oidc-scope has to contain openid.")]
    Scope,
    /// The HTTP client cannot be made: most often the system's root certificates are missing.
    #[error("Cannot set up HTTPS for --jwt-jwks-url: {0}. Are root certificates installed?")]
    HttpClient(#[source] reqwest::Error),
}

/// What an accepted token has to be, checked for completeness.
pub(super) struct TokenRules {
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) jwks_url: Url,
    pub(super) clock_skew: Duration,
    pub(super) audience_claim: String,
    pub(super) roles_claim: String,
    pub(super) read_role: String,
    pub(super) write_role: String,
    pub(super) tenant_claim: String,
}

impl AuthenticationArgs {
    pub(super) fn key_file(&self) -> Option<&Path> {
        self.api_keys.as_deref()
    }

    /// The claim that names the owner, if one is given.
    pub fn named_tenant_claim(&self) -> Option<&str> {
        given(&self.tenant_claim)
    }

    /// The rules for tokens; `None` when none of the three settings that name a provider is given.
    pub(super) fn jwt(&self) -> Result<Option<TokenRules>, ConfigurationError> {
        let issuer = given(&self.jwt_issuer);
        let audience = given(&self.jwt_audience);
        let jwks_url = given(&self.jwt_jwks_url);
        if issuer.or(audience).or(jwks_url).is_none() {
            return Ok(None);
        }
        let issuer = required("--jwt-issuer", issuer)?;
        let audience = required("--jwt-audience", audience)?;
        let jwks_url = required("--jwt-jwks-url", jwks_url)?;
        for (setting, value) in [
            ("--jwt-audience-claim", &self.jwt_audience_claim),
            ("--jwt-roles-claim", &self.jwt_roles_claim),
            ("--jwt-read-role", &self.jwt_read_role),
            ("--jwt-write-role", &self.jwt_write_role),
        ] {
            if value.trim().is_empty() {
                return Err(ConfigurationError::Empty { setting });
            }
        }
        Ok(Some(TokenRules {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            jwks_url: safe_url(jwks_url).ok_or(ConfigurationError::JwksUrl)?,
            clock_skew: self.jwt_clock_skew,
            audience_claim: self.jwt_audience_claim.clone(),
            roles_claim: self.jwt_roles_claim.clone(),
            read_role: self.jwt_read_role.clone(),
            write_role: self.jwt_write_role.clone(),
            tenant_claim: self.named_tenant_claim().unwrap_or(SUBJECT).to_owned(),
        }))
    }

    /// How people sign in on the pages; `None` if they have to give a key or a token themselves.
    ///
    /// # Errors
    /// A sentence for the operator if there is no provider for the client.
    pub fn page_sign_in(&self) -> Result<Option<PageSignIn>, ConfigurationError> {
        let Some(client_id) = given(&self.oidc_client_id) else {
            return Ok(None);
        };
        let rules = self.jwt()?.ok_or(ConfigurationError::NoProvider)?;
        let url = safe_url(&rules.issuer).ok_or(ConfigurationError::IssuerUrl)?;
        let mut scopes = self.oidc_scope.split_whitespace();
        if !scopes.any(|scope| scope == "openid") {
            return Err(ConfigurationError::Scope);
        }
        // An audience in another claim is the client and not what the token is for.
        let names_audience = rules.audience_claim == AUDIENCE;
        Ok(Some(PageSignIn {
            issuer: rules.issuer,
            client_id: client_id.to_owned(),
            scope: self.oidc_scope.trim().to_owned(),
            audience: names_audience.then_some(rules.audience),
            origin: url.origin().ascii_serialization(),
        }))
    }
}

/// The claim with the audience unless another one is given.
const AUDIENCE: &str = "aud";

/// The claim that names the owner unless another one is given.
const SUBJECT: &str = "sub";

/// The most that a clock may be off: beyond it, times in tokens mean nothing.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(600);

fn clock_skew(text: &str) -> Result<Duration, String> {
    match time_or_seconds(text)? {
        skew if skew <= MAX_CLOCK_SKEW => Ok(skew),
        _ => Err("give at most 10m".to_owned()),
    }
}

fn required<'s>(
    missing: &'static str,
    setting: Option<&'s str>,
) -> Result<&'s str, ConfigurationError> {
    setting.ok_or(ConfigurationError::Incomplete { missing })
}

/// A setting's value. An empty one counts as left out: a compose file passes unset variables so.
fn given(setting: &Option<String>) -> Option<&str> {
    setting
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// A URL whose answers nobody on the way can forge: https, or http on a loopback address.
fn safe_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let is_safe = match url.scheme() {
        "https" => url.has_host(),
        "http" => loopback,
        _ => false,
    };
    is_safe.then_some(url)
}
