//! The object store for the files of applications. It is opened by the first request that needs it: a server whose
//! applications have no files makes no folder for them, and needs no place for them.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use chrono::TimeDelta;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{Request, Response, StatusCode};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;
use url::Url;

use trestle_api::{HttpBody, HttpHandler, http_response};
use trestle_domain::hex;
use trestle_files::{self as files, Files, FilesArgs, FilesError, OpenError, Sweep, TableStore};
use trestle_service::ServiceContext;
use trestle_table::clock::Clock;

use crate::keys::Scope;
use crate::model::{ApplicationId, UploadName};

/// Why files cannot be reached.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ObjectsError {
    /// The object store cannot be opened.
    #[error(transparent)]
    Open(Arc<OpenError>),
    /// Nobody opened one.
    #[error("this program has opened no object store")]
    None,
    /// The object store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// The folder of files.
const KEPT: &str = "applications";
/// The folder of uploads that are not files yet.
const INCOMING: &str = "uploads/applications";
/// The folder of the files of a table without owners.
const SINGLE: &str = "all";
/// Deletes uploads that did not become files within a day.
const SWEEP: Sweep = Sweep {
    prefix: INCOMING,
    wait: TimeDelta::days(1),
    made: |_, written| Some(written),
};

/// Where the objects of one application are. Owners and ids may be any text, so digests stand for them.
fn folder(scope: &Scope, id: &ApplicationId) -> String {
    let owner = scope.owner().map(|owner| digest(owner.as_str()));
    let owner = owner.unwrap_or_else(|| SINGLE.to_owned());
    format!("{owner}/{}", digest(id.as_str()))
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn is_digest(text: &str) -> bool {
    trestle_domain::hex_32(text).is_some()
}

/// The key of a file. No URL for an upload leads there.
pub fn key(scope: &Scope, id: &ApplicationId, name: UploadName) -> String {
    format!("{KEPT}/{}/{name}", folder(scope, id))
}

/// Where a client puts a file before it is added.
pub fn incoming(scope: &Scope, id: &ApplicationId, name: UploadName) -> String {
    format!("{INCOMING}/{}/{name}", folder(scope, id))
}

/// Whether a file is one of this application: a list may come from another table.
pub fn is_of(scope: &Scope, id: &ApplicationId, key: &str) -> bool {
    key.starts_with(&format!("{KEPT}/{}/", folder(scope, id)))
}

/// Whether a text of an item is the key of a file.
pub fn is_key(text: &str) -> bool {
    let segments: Vec<_> = text.split('/').collect();
    match segments.as_slice() {
        [KEPT, owner, application, name] => {
            (*owner == SINGLE || is_digest(owner))
                && is_digest(application)
                && UploadName::parse(name).is_some()
        }
        _ => false,
    }
}

/// The object store, opened when it is needed.
#[derive(Clone)]
pub struct Objects(Arc<Inner>);

struct Inner {
    args: FilesArgs,
    folder: Option<PathBuf>,
    is_in_memory: bool,
    clock: Clock,
    opened: OnceCell<Files>,
    /// Where this server listens, for URLs of files that it serves.
    origin: OnceLock<Url>,
}

impl std::fmt::Debug for Objects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Objects")
    }
}

impl Objects {
    /// The object store that the options of `trestle serve` name.
    pub fn of(context: &ServiceContext<'_>, args: FilesArgs) -> Self {
        Self::new(Inner {
            args,
            folder: context.folder.map(PathBuf::from),
            is_in_memory: context.is_in_memory,
            clock: context.clock.clone(),
            opened: OnceCell::new(),
            origin: OnceLock::new(),
        })
    }

    /// An object store in memory.
    pub fn in_memory(clock: Clock) -> Self {
        Self::new(Inner {
            args: FilesArgs::default(),
            folder: None,
            is_in_memory: true,
            clock,
            opened: OnceCell::new(),
            origin: OnceLock::new(),
        })
    }

    fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// Notes where this server listens.
    pub fn on_listening(&self, origin: &Url) {
        // The first one counts.
        let origin = self.0.origin.get_or_init(|| origin.clone());
        if let Some(files) = self.0.opened.get() {
            files.on_listening(origin);
        }
    }

    /// The object store.
    ///
    /// # Errors
    /// [`ObjectsError::Open`]; the next call tries again.
    pub async fn files(&self) -> Result<&Files, ObjectsError> {
        let inner = &self.0;
        // Opening is rare, and its future is large.
        let open = Box::pin(async {
            let beside = TableStore::of(inner.folder.as_deref(), inner.is_in_memory);
            let files = files::open(&inner.args, crate::NAME, beside, inner.clock.clone());
            let files = files.await.map_err(Arc::new).map_err(ObjectsError::Open)?;
            if let Some(origin) = inner.origin.get() {
                files.on_listening(origin);
            }
            if files.are_served() {
                // On S3, a lifecycle rule does it.
                tokio::spawn(SWEEP.run(files.clone(), inner.clock.clone()));
            }
            Ok(files)
        });
        inner.opened.get_or_try_init(|| open).await
    }

    /// Deletes every file of an application.
    ///
    /// # Errors
    /// [`ObjectsError`]; some may be deleted.
    pub async fn discard_all(&self, scope: &Scope, id: &ApplicationId) -> Result<(), ObjectsError> {
        let prefix = format!("{KEPT}/{}", folder(scope, id));
        Ok(self.files().await?.delete_below(&prefix).await?)
    }
}

impl HttpHandler for Objects {
    fn answer(&self, request: Request<HttpBody>) -> BoxFuture<'_, Response<HttpBody>> {
        async move {
            match self.files().await {
                Ok(files) => HttpHandler::answer(files, request).await,
                Err(error) => {
                    tracing::error!(%error, "a file was not served");
                    let body =
                        json!({ "error": "The file store does not answer. Try again shortly." });
                    let status = StatusCode::SERVICE_UNAVAILABLE;
                    http_response(status, "application/json", body.to_string())
                }
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use trestle_api::viewer::Owner;

    use super::*;
    use crate::model::FileType;

    #[tokio::test]
    async fn files_of_an_application_are_deleted_and_uploads_wait() {
        let objects = Objects::in_memory(Clock::system());
        let name = UploadName {
            id: uuid::Uuid::new_v4(),
            of: FileType::named("text/plain").unwrap(),
        };
        let id = ApplicationId::stored("1").unwrap();
        let (from, kept) = (
            incoming(&Scope::Single, &id, name),
            key(&Scope::Single, &id, name),
        );
        let files = objects.files().await.unwrap();
        for key in [&from, &kept] {
            files.put(key, vec![1]).await.unwrap();
        }
        let sizes = async || {
            let sizes = [files.size(&from).await, files.size(&kept).await];
            sizes.map(Result::unwrap)
        };
        assert_eq!(sizes().await, [Some(1), Some(1)]);
        objects.discard_all(&Scope::Single, &id).await.unwrap();
        assert_eq!(sizes().await, [Some(1), None]);
    }

    #[test]
    fn a_key_is_of_one_application_of_one_owner() {
        let name = UploadName {
            id: uuid::Uuid::nil(),
            of: FileType::named("application/pdf").unwrap(),
        };
        let owner = |name: &str| Scope::Of(Owner::new(name).unwrap());
        let scopes = [Scope::Single, owner("all"), owner("a/b"), owner("../a")];
        let ids = ["1", "../1", "a/b"].map(|id| ApplicationId::stored(id).unwrap());
        let mut keys = std::collections::HashSet::new();
        for scope in &scopes {
            for id in &ids {
                let key = key(scope, id, name);
                assert!(is_key(&key), "{key}");
                assert!(!is_key(&incoming(scope, id, name)));
                for (other, of) in scopes
                    .iter()
                    .flat_map(|s| ids.iter().map(move |id| (s, id)))
                {
                    assert_eq!(is_of(other, of, &key), (other, of) == (scope, id));
                }
                assert!(keys.insert(key));
            }
        }
        assert!(!is_key("applications/all/notes/2026.pdf"));
    }
}
