//! Documents that are named by a hash: those that clients leave here (Apollo's automatic persisted
//! queries) and those that the operator trusts. Knows nothing of what is in them.
//!
//! Source: <https://www.apollographql.com/docs/apollo-server/performance/apq#apq-protocol>.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::ServerError;
use moka::sync::Cache;
use sha2::{Digest, Sha256};

use super::config::{ConfigError, DocumentArgs};
use super::errors::coded;
use crate::api::Code;
use crate::domain::hex;

/// How a request says which document it wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The document itself.
    pub query: Option<String>,
    /// `extensions.persistedQuery.sha256Hash`.
    pub sha256: Option<String>,
    /// `documentId`.
    pub document_id: Option<String>,
}

/// A document that the operator trusts.
pub struct Trusted {
    /// The document itself.
    pub text: Arc<str>,
    /// What named it: a file, or the board.
    pub of: Arc<str>,
}

/// Every document that has a name here.
pub struct Persisted {
    trusted: HashMap<String, Trusted>,
    left_here: Cache<(usize, String), Arc<str>>,
    only_trusted: bool,
    longest: usize,
}

impl Persisted {
    /// An empty cache of the configured size, and the operator's file.
    ///
    /// # Errors
    /// When the file is not a JSON object of documents by their hashes.
    pub fn open(args: &DocumentArgs) -> Result<Self, ConfigError> {
        let left_here = Cache::builder()
            .max_capacity(args.persisted_query_bytes)
            .weigher(|(_, hash): &(usize, String), text: &Arc<str>| {
                u32::try_from(hash.len() + text.len() + 128).unwrap_or(u32::MAX)
            })
            .build();
        let mut persisted = Self {
            trusted: HashMap::new(),
            left_here,
            only_trusted: args.only_trusted_documents,
            longest: args.max_document_bytes,
        };
        if let Some(file) = &args.trusted_documents {
            let of = file.display().to_string();
            let text = std::fs::read(file).map_err(|error| refused(&of, error.to_string()))?;
            persisted.trust(&of, &text)?;
        }
        Ok(persisted)
    }

    /// Trusts the documents of a JSON object by their hashes, too. `of` names where it comes from.
    ///
    /// # Errors
    /// When it is no such object, or empty.
    pub fn trust(&mut self, of: &str, json: &[u8]) -> Result<(), ConfigError> {
        let documents: HashMap<String, String> = serde_json::from_slice(json).map_err(|error| {
            let reason = format!("it is not a JSON object of documents by their hashes: {error}");
            refused(of, reason)
        })?;
        if documents.is_empty() {
            return Err(refused(of, "it names no document.".to_owned()));
        }
        let of: Arc<str> = of.into();
        self.trusted
            .extend(documents.into_iter().map(|(hash, text)| {
                let (text, of) = (text.into(), Arc::clone(&of));
                (bare(&hash).to_owned(), Trusted { text, of })
            }));
        Ok(())
    }

    /// The trusted documents by their hashes.
    pub fn trusted(&self) -> impl Iterator<Item = (&str, &Trusted)> {
        self.trusted
            .iter()
            .map(|(hash, trusted)| (hash.as_str(), trusted))
    }

    /// The document that a request to the service with this number wants. Keeps it when the request
    /// brings both document and hash.
    ///
    /// # Errors
    /// PERSISTED_QUERY_NOT_FOUND for an unknown hash, BAD_USER_INPUT for one that is not the document's
    /// or when nothing is wanted, FORBIDDEN for a document that is not trusted where only those run.
    pub fn document(&self, service: usize, wanted: Wanted) -> Result<Arc<str>, ServerError> {
        let Wanted {
            query,
            sha256,
            document_id,
        } = wanted;
        let id = document_id.as_deref().or(sha256.as_deref());
        if let Some(trusted) = id.and_then(|id| self.trusted.get(bare(id))) {
            return Ok(Arc::clone(&trusted.text));
        }
        match (query, sha256) {
            (Some(query), _) if self.only_trusted => {
                let mut texts = self.trusted.values().map(|trusted| &trusted.text);
                let trusted = texts.find(|text| ***text == *query);
                trusted.map(Arc::clone).ok_or_else(|| {
                    let message = "This server runs no documents but those it was given.";
                    coded(Code::Forbidden, message, None)
                })
            }
            (Some(query), None) => Ok(query.into()),
            (Some(query), Some(hash)) => self.keep(service, query, hash),
            (None, Some(hash)) => {
                let hash = hash.to_ascii_lowercase();
                self.left_here.get(&(service, hash)).ok_or_else(not_found)
            }
            (None, None) if document_id.is_some() => Err(not_found()),
            (None, None) => Err(coded(
                Code::BadUserInput,
                "The request has no document.",
                None,
            )),
        }
    }

    fn keep(&self, service: usize, query: String, hash: String) -> Result<Arc<str>, ServerError> {
        let query: Arc<str> = query.into();
        // Too long to run, and so not worth a hash.
        if query.len() > self.longest {
            return Ok(query);
        }
        let hash = hash.to_ascii_lowercase();
        if hash != hex(&Sha256::digest(query.as_bytes())) {
            let message = "provided sha does not match query";
            return Err(coded(Code::BadUserInput, message, None));
        }
        self.left_here.insert((service, hash), Arc::clone(&query));
        Ok(query)
    }
}

/// The text is the protocol's: older clients look for it instead of the code.
fn not_found() -> ServerError {
    coded(Code::PersistedQueryNotFound, "PersistedQueryNotFound", None)
}

/// A hash without its algorithm: files and clients write `sha256:` in front of it, or do not.
fn bare(id: &str) -> &str {
    id.split_once(':').map_or(id, |(_algorithm, hash)| hash)
}

fn refused(of: &str, reason: String) -> ConfigError {
    let of = of.to_owned();
    ConfigError::TrustedDocuments { of, reason }
}
