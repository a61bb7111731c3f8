//! Why credentials are refused.

/// Why credentials were refused: for the log, at level `debug`. Carries nothing of the credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("no credentials")]
    Missing,
    #[error("more than one credential")]
    Ambiguous,
    #[error("the credential is not ASCII, too long, or not a bearer token")]
    Malformed,
    #[error("no API key has this hash")]
    UnknownApiKey,
    #[error("the token is not a JWT")]
    NotAToken,
    #[error("the token's algorithm is not RS256, ES256 or EdDSA")]
    Algorithm,
    #[error("the token's header names an extension that must be understood and is not")]
    CriticalHeader,
    #[error("the provider has no key with the token's key id and algorithm")]
    UnknownSigningKey,
    #[error("the token's signature is wrong")]
    Signature,
    #[error("the token's issuer is wrong")]
    Issuer,
    #[error("the token's audience is wrong")]
    Audience,
    #[error("the token has expired, or does not say when it does")]
    Expired,
    #[error("the token is not valid yet")]
    NotYetValid,
    #[error("the token's subject is missing or too long")]
    Subject,
}
