//! Tokens: signature, issuer, audience, time, subject and role. Sources: RFC 7519, RFC 8725 (best current
//! practices). Does not know where the keys come from.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, Header, Validation};
use serde_json::{Map, Value};

use super::arguments::{ConfigurationError, TokenRules};
use super::jwks::{Jwks, KeySet};
use super::refusal::Refusal;
use trestle_api::viewer::{Access, Owner, Viewer};
use trestle_table::clock::Clock;

/// The most bytes of a subject: it goes into logs, limits and stored items.
const MAX_SUBJECT: usize = 256;

/// As a role: every accepted token has it.
const EVERYONE: &str = "*";

/// Checks the tokens of one issuer.
pub(super) struct Tokens {
    rules: TokenRules,
    keys: Arc<Jwks>,
    clock: Clock,
}

impl Tokens {
    pub(super) fn new(rules: TokenRules, clock: Clock) -> Result<Self, ConfigurationError> {
        let keys = Jwks::new(rules.jwks_url.clone(), clock.clone())?;
        Ok(Self { rules, keys, clock })
    }

    pub(super) async fn warm_up(&self) {
        // A fetch that fails is in the log; a task that panicked is too, and has fetched nothing.
        let _ = self.keys.refresh().await;
    }

    pub(super) fn failed_fetches(&self) -> Arc<AtomicU64> {
        self.keys.failed()
    }

    pub(super) async fn viewer(&self, token: &str) -> Result<Viewer, Refusal> {
        let claims = self.verify(token).await?;
        self.rules.check_issuer(&claims)?;
        self.rules.check_audience(&claims)?;
        self.rules.check_time(&claims, self.clock.now())?;
        let subject = match claims.get("sub") {
            Some(Value::String(text)) if !text.is_empty() && text.len() <= MAX_SUBJECT => text,
            _ => return Err(Refusal::Subject),
        };
        let roles = self.rules.roles(&claims);
        let access = self.rules.access(&roles);
        let viewer = Viewer::new(subject, access)
            .with_owner(self.rules.owner(&claims))
            .with_roles(roles);
        Ok(match verified_email(&claims) {
            Some(email) => viewer.with_email(email),
            None => viewer,
        })
    }

    /// The claims of a token whose signature is right.
    async fn verify(&self, token: &str) -> Result<Map<String, Value>, Refusal> {
        // `none` and names that nobody knows fail here, where the header is read.
        let header = jsonwebtoken::decode_header(token).map_err(|_| Refusal::NotAToken)?;
        if !matches!(
            header.alg,
            Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA
        ) {
            return Err(Refusal::Algorithm);
        }
        // RFC 7515, 4.1.11: we understand no extension.
        if header.crit.is_some() {
            return Err(Refusal::CriticalHeader);
        }
        let known = self.keys.known();
        let refusal = match verified(token, &header, &known) {
            Ok(claims) => return Ok(claims),
            Err(refusal) => refusal,
        };
        // The token may be signed with a new key, which may even have the id of an old one.
        match self.keys.renewed(&known).await {
            Some(renewed) => verified(token, &header, &renewed),
            None => Err(refusal),
        }
    }
}

/// The claims of a token if one of the keys has signed it. The key decides the algorithm: one of another is no candidate, so
/// that a public RSA key is never taken for an HMAC secret.
fn verified(token: &str, header: &Header, keys: &KeySet) -> Result<Map<String, Value>, Refusal> {
    let mut signature_alone = Validation::new(header.alg);
    // The claims are checked by our rules: the library's checks read the system's clock.
    signature_alone.required_spec_claims.clear();
    signature_alone.validate_exp = false;
    signature_alone.validate_aud = false;
    let mut refusal = Refusal::UnknownSigningKey;
    for key in keys.candidates(header) {
        match jsonwebtoken::decode(token, key, &signature_alone) {
            Ok(token) => return Ok(token.claims),
            Err(_) => refusal = Refusal::Signature,
        }
    }
    Err(refusal)
}

/// The email address, if the provider has verified it. Some providers write the boolean as text.
/// Source: OpenID Connect Core 1.0, section 5.1.
fn verified_email(claims: &Map<String, Value>) -> Option<&str> {
    let is_verified = match claims.get("email_verified")? {
        Value::Bool(verified) => *verified,
        Value::String(text) => text == "true",
        _ => false,
    };
    let email = claims.get("email")?.as_str()?;
    (is_verified && email.len() <= MAX_SUBJECT).then_some(email)
}

impl TokenRules {
    fn access(&self, roles: &[String]) -> Access {
        let has = |role: &String| role == EVERYONE || roles.contains(role);
        match (has(&self.write_role), has(&self.read_role)) {
            (true, _) => Access::Write,
            (false, true) => Access::Read,
            (false, false) => Access::None,
        }
    }

    /// The owner that the token names. A token that names none can be used with what has no owners.
    fn owner(&self, claims: &Map<String, Value>) -> Option<Owner> {
        let name = claim(claims, &self.tenant_claim)?.as_str()?;
        Owner::new(name)
    }

    fn check_issuer(&self, claims: &Map<String, Value>) -> Result<(), Refusal> {
        let right = claims.get("iss").and_then(Value::as_str) == Some(&self.issuer);
        right.then_some(()).ok_or(Refusal::Issuer)
    }

    fn check_audience(&self, claims: &Map<String, Value>) -> Result<(), Refusal> {
        // One audience, or a list of them: RFC 7519, section 4.1.3.
        let audiences = match claims.get(&self.audience_claim) {
            Some(Value::Array(several)) => several.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        if audiences.iter().any(|audience| audience == &self.audience) {
            Ok(())
        } else {
            Err(Refusal::Audience)
        }
    }

    /// RFC 7519, 4.1.4 to 4.1.6. A token without an end is refused: it could never be withdrawn.
    fn check_time(&self, claims: &Map<String, Value>, now: DateTime<Utc>) -> Result<(), Refusal> {
        let now = now.timestamp_millis() as f64 / 1000.0;
        let skew = self.clock_skew.as_secs_f64();
        let expires = claims
            .get("exp")
            .and_then(Value::as_f64)
            .ok_or(Refusal::Expired)?;
        if now >= expires + skew {
            return Err(Refusal::Expired);
        }
        for claim in ["nbf", "iat"] {
            let Some(value) = claims.get(claim) else {
                continue;
            };
            let from = value.as_f64().ok_or(Refusal::NotYetValid)?;
            if now + skew < from {
                return Err(Refusal::NotYetValid);
            }
        }
        Ok(())
    }

    fn roles(&self, claims: &Map<String, Value>) -> Vec<String> {
        match claim(claims, &self.roles_claim) {
            Some(Value::String(words)) => words.split_whitespace().map(str::to_owned).collect(),
            Some(Value::Array(list)) => {
                let names = list.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The claim with this name, or at the end of this path, which begins with a slash.
fn claim<'c>(claims: &'c Map<String, Value>, name: &str) -> Option<&'c Value> {
    let Some(path) = name.strip_prefix('/') else {
        return claims.get(name);
    };
    let mut steps = path.split('/');
    let first = claims.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}
