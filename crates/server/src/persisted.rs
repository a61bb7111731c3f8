//! Documents that are named by a hash: those that clients leave here (Apollo's automatic persisted
//! queries) and those that the operator trusts. Knows nothing of what is in them.
//!
//! Source: <https://www.apollographql.com/docs/apollo-server/performance/apq#apq-protocol>.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use async_graphql::ServerError;
use moka::sync::Cache;
use sha2::{Digest, Sha256};

use super::config::{ConfigError, DocumentArgs};
use super::documents::Documents;
use super::errors::coded;
use super::front_ends::FrontEnd;
use super::settings_file::{MAX_FILE, read_file};
use trestle_api::Code;
use trestle_domain::hex;

/// How a request says which document it wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersistedQueryRef {
    /// The document itself.
    pub query: Option<String>,
    /// `extensions.persistedQuery.sha256Hash`.
    pub sha256: Option<String>,
    /// `documentId`.
    pub document_id: Option<String>,
}

/// A document that the operator trusts.
#[derive(Clone, PartialEq, Eq)]
pub struct Trusted {
    /// The document itself.
    pub text: Arc<str>,
    /// What named it: a file, or a front end.
    pub of: Arc<str>,
}

/// Trusted documents by their hashes.
type TrustedDocuments = HashMap<String, Trusted>;

/// Every document that has a name here.
pub struct PersistedDocuments {
    trusted: RwLock<Arc<TrustedDocuments>>,
    /// The operator's file, and the documents that are trusted besides.
    file: Option<PathBuf>,
    front_ends: TrustedDocuments,
    left_here: Cache<(usize, String), Arc<str>>,
    only_trusted: bool,
    longest: usize,
}

impl PersistedDocuments {
    /// An empty cache of the configured size, the operator's file, and the documents of front ends, in JSON. Each trusted
    /// document has to run on one of the services, of which these are the documents. A front end of which one does not run,
    /// because the limits are too narrow for it, is left out.
    ///
    /// # Errors
    /// When the file is not a JSON object of documents by their hashes, or one of them runs on no service.
    pub fn open(
        args: &DocumentArgs,
        front_ends: &mut Vec<&FrontEnd>,
        services: &[Arc<Documents>],
    ) -> Result<Self, ConfigError> {
        let left_here = Cache::builder()
            .max_capacity(args.persisted_query_bytes)
            .weigher(|(_, hash): &(usize, String), text: &Arc<str>| {
                u32::try_from(hash.len() + text.len() + 128).unwrap_or(u32::MAX)
            })
            .build();
        let mut sent = TrustedDocuments::new();
        front_ends.retain(|front_end| {
            let json = front_end.documents().unwrap_or_default();
            let own = parse(front_end.name, &json);
            let own = own.and_then(|own| check_trusted(&own, services).map(|()| own));
            match own {
                Ok(own) => {
                    sent.extend(own);
                    true
                }
                Err(error) => {
                    tracing::warn!(path = front_end.path, %error, "the page is not served");
                    false
                }
            }
        });
        if args.only_trusted_documents && args.trusted_documents.is_none() && sent.is_empty() {
            return Err(ConfigError::NoTrustedDocuments);
        }
        let persisted = Self {
            trusted: RwLock::default(),
            file: args.trusted_documents.clone(),
            front_ends: sent,
            left_here,
            only_trusted: args.only_trusted_documents,
            longest: args.max_document_bytes,
        };
        persisted.read_again(services)?;
        Ok(persisted)
    }

    /// Reads the operator's file again. Answers whether something has changed.
    ///
    /// # Errors
    /// As [`Self::open`]. What was trusted before stays trusted.
    pub fn read_again(&self, services: &[Arc<Documents>]) -> Result<bool, ConfigError> {
        let mut trusted = self.front_ends.clone();
        if let Some(file) = &self.file {
            let of = file.display().to_string();
            let text =
                read_file(file, MAX_FILE).map_err(|error| refused(&of, error.to_string()))?;
            trusted.extend(parse(&of, &text)?);
        }
        check_trusted(&trusted, services)?;
        let mut current = self.trusted.write().unwrap_or_else(PoisonError::into_inner);
        let has_changed = **current != trusted;
        *current = Arc::new(trusted);
        Ok(has_changed)
    }

    fn trusted(&self) -> Arc<TrustedDocuments> {
        Arc::clone(&self.trusted.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The document that a request to the service with this number wants, and whether it is trusted. Keeps it when the request
    /// brings both document and hash.
    ///
    /// # Errors
    /// PERSISTED_QUERY_NOT_FOUND for an unknown hash, BAD_USER_INPUT for one that is not the document's
    /// or when nothing is wanted, FORBIDDEN for a document that is not trusted where only those run.
    pub fn document(
        &self,
        service: usize,
        wanted: PersistedQueryRef,
    ) -> Result<(Arc<str>, bool), ServerError> {
        let PersistedQueryRef {
            query,
            sha256,
            document_id,
        } = wanted;
        let id = document_id.as_deref().or(sha256.as_deref());
        let trusted = self.trusted();
        if let Some(trusted) = id.and_then(|id| trusted.get(bare(id))) {
            return Ok((Arc::clone(&trusted.text), true));
        }
        let text = match (query, sha256) {
            (Some(query), _) if self.only_trusted => {
                let mut texts = trusted.values().map(|trusted| &trusted.text);
                let trusted = texts.find(|text| ***text == *query);
                let trusted = trusted.map(|text| (Arc::clone(text), true));
                return trusted.ok_or_else(|| {
                    let message = "This server runs no documents but those it was given.";
                    coded(Code::Forbidden, message, None)
                });
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
        };
        text.map(|text| (text, false))
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

/// Trusted documents out of a JSON object by their hashes. `of` names where it comes from.
fn parse(of: &str, json: &[u8]) -> Result<TrustedDocuments, ConfigError> {
    let documents: HashMap<String, String> = serde_json::from_slice(json).map_err(|error| {
        let reason = format!("it is not a JSON object of documents by their hashes: {error}");
        refused(of, reason)
    })?;
    if documents.is_empty() {
        return Err(refused(of, "it names no document.".to_owned()));
    }
    let of: Arc<str> = of.into();
    let trusted = documents.into_iter().map(|(hash, text)| {
        let (text, of) = (text.into(), Arc::clone(&of));
        (bare(&hash).to_owned(), Trusted { text, of })
    });
    Ok(trusted.collect())
}

/// Each trusted document has to run on one of the services.
fn check_trusted(
    trusted: &TrustedDocuments,
    services: &[Arc<Documents>],
) -> Result<(), ConfigError> {
    for (hash, trusted) in trusted {
        let mut reason = String::new();
        let mut services = services.iter();
        let runs = services.any(|documents| match &*documents.check(&trusted.text) {
            Ok(_) => true,
            Err(errors) => {
                let first = errors.first().map(|error| error.message.clone());
                reason = first.unwrap_or_default();
                false
            }
        });
        if !runs {
            let reason = format!("the document {hash} runs on no service: {reason}");
            return Err(refused(&trusted.of, reason));
        }
    }
    Ok(())
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
