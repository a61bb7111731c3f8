//! From an uploaded file to a complete run, by a process of its own.

use bytes::Bytes;
use tokio::time::sleep;

use crate::error::{ChangeError, StoreError};
use crate::model::{Claims, Rule, Run, Text, UserId};
use crate::objects;
use crate::worker::{self, Ended, Task};
use trestle_files::{Files, FilesError};
use trestle_table::Entity as _;
use trestle_terraform::HashKey;

use super::Runs;
use super::queue::POLL;

/// The most bytes of a key in its file.
const MAX_KEY: u64 = 128;

impl Runs {
    /// Processes a run. A file that cannot be processed fails the run with the reason.
    pub(super) async fn process(&self, run: &Run) -> Result<(), ChangeError> {
        let max = self.settings().max_upload;
        let file = match self.uploaded(run, max).await {
            Err(ChangeError::UploadTooLarge(max)) => {
                let reason = format!("The uploaded file has more than {max} bytes.");
                return self.failed(run, &reason).await;
            }
            found => found?,
        };
        let Some(file) = file else {
            return self.failed(run, "The uploaded file was deleted.").await;
        };
        let key = hash_key(self.files(), &run.user).await?;
        let mut graph = self.files().writer(&objects::incoming_graph(run)).await?;
        let mut report = self.files().writer(&objects::incoming_report(run)).await?;
        let root = run.upload.root.as_ref().map(ToString::to_string);
        let workspace = run.provenance.workspace.as_ref().map(ToString::to_string);
        let task = Task {
            format: run.upload.format,
            root: root.as_deref(),
            workspace: workspace.as_deref(),
            key: &key,
        };
        let settings = self.settings();
        let results = [&mut graph, &mut report];
        let ended = worker::run(&settings.worker, settings.max_graph, &task, file, results).await;
        match ended? {
            Ended::Made => {
                for writer in [graph, report] {
                    writer.finish().await.map_err(FilesError::from)?;
                }
                let claims = Claims::default();
                match self.complete(&run.id, Some(run.attempt), &claims).await {
                    Err(ChangeError::Graph(problem)) => self.failed(run, &problem.0).await,
                    other => other.map(drop),
                }
            }
            Ended::Killed => {
                for writer in [graph, report] {
                    drop(writer.abort().await);
                }
                Err(ChangeError::WorkerKilled)
            }
            Ended::Stopped => {
                for writer in [graph, report] {
                    drop(writer.abort().await);
                }
                Err(StoreError::Worker("it was told to stop".to_owned()).into())
            }
            Ended::Unusable(reason) => {
                for writer in [graph, report] {
                    // A store that fails at that, too, drops it by itself.
                    drop(writer.abort().await);
                }
                self.failed(run, &reason).await
            }
        }
    }

    /// The file of a run. That it is not there is believed on the second look only, after a pause: that would end the run
    /// for good, and object stores and file systems can be wrong for a moment.
    async fn uploaded(&self, run: &Run, max: u64) -> Result<Option<Bytes>, ChangeError> {
        let look = async |key: &str| match self.files().read(key, max).await {
            Err(FilesError::TooLarge(max)) => Err(ChangeError::UploadTooLarge(max)),
            found => Ok(found?),
        };
        if let Some(file) = look(&run.upload.key).await? {
            return Ok(Some(file));
        }
        tracing::warn!(run = %run.id, "the uploaded file is not there: the server looks again");
        sleep(POLL).await;
        let run = self.session.tables.get::<Run>(&run.identity()).await?;
        match run {
            Some(run) => look(&run.upload.key).await,
            None => Err(ChangeError::NotFound),
        }
    }

    async fn failed(&self, run: &Run, reason: &str) -> Result<(), ChangeError> {
        let empty = || ChangeError::Invalid(Rule::Required.at("reason"));
        let reason = Text::cut(reason).ok_or_else(empty)?;
        self.fail(&run.id, Some(run.attempt), &reason)
            .await
            .map(drop)
    }
}

/// The key of the hashes of values in a user's runs. It outlives the runs, so that later runs can be compared with them. If two
/// servers create it at the same time, both use that of the first one.
async fn hash_key(files: &Files, user: &UserId) -> Result<HashKey, ChangeError> {
    let at = objects::hash_key(user);
    let read = async || -> Result<Option<HashKey>, ChangeError> {
        let bytes = files.read(&at, MAX_KEY).await.map_err(StoreError::from)?;
        let text = bytes.as_deref().map(std::str::from_utf8);
        Ok(text.and_then(|text| HashKey::parse(text.ok()?.trim())))
    };
    if let Some(key) = read().await? {
        return Ok(key);
    }
    let made = HashKey::random();
    let bytes = || made.text().into_bytes();
    let is_new = files.put_new(&at, bytes()).await;
    if is_new.map_err(StoreError::from)? {
        return Ok(made);
    }
    if let Some(key) = read().await? {
        return Ok(key);
    }
    // The file does not have a key.
    files.put(&at, bytes()).await.map_err(StoreError::from)?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::local::LocalFileSystem;
    use trestle_files::SigningKey;
    use trestle_table::clock::Clock;

    use super::*;

    #[tokio::test]
    async fn runs_of_a_user_that_begin_at_once_have_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
        let key = SigningKey::random().unwrap();
        let files = Files::served("graph-runs", store, key, None, Clock::system());
        for user in 0..50 {
            let user = UserId::new(format!("u{user}"));
            let keys = (0..4).map(|_| hash_key(&files, &user));
            let keys = futures_util::future::try_join_all(keys).await.unwrap();
            assert!(keys.windows(2).all(|two| two[0] == two[1]), "{user:?}");
            assert_eq!(hash_key(&files, &user).await.unwrap(), keys[0]);
        }
        files
            .put(&objects::hash_key(&UserId::new("b")), b"x".to_vec())
            .await
            .unwrap();
        let made = hash_key(&files, &UserId::new("b")).await.unwrap();
        assert_eq!(hash_key(&files, &UserId::new("b")).await.unwrap(), made);
    }
}
