//! Creating runs.

use crate::error::{ChangeError, StoreError};
use crate::model::{Expiry, NewRun, Pointer, Rule, Run, RunChangeKind, RunId, Upload, later};
use crate::objects;
use trestle_files::{SignedUrl, Upload as Expected};

use super::{Runs, URL_LIFETIME};

impl Runs {
    /// Creates a run of the viewer, and says where its file goes. `USER#user` / `RUN#createdAt#run`,
    /// `RUN#run` / `POINTER` and `EXPIRY`, one TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError::Invalid`], [`ChangeError::Store`].
    pub async fn create(&self, new: NewRun) -> Result<(Run, SignedUrl), ChangeError> {
        let max = self.settings().max_upload;
        if new.bytes.is_some_and(|bytes| bytes == 0 || bytes > max) {
            let rule = Rule::OutOfRange(1, max.try_into().unwrap_or(i64::MAX));
            return Err(rule.at("iacBytes").into());
        }
        let (user, now) = (self.user(), self.session.tables.now());
        let id = self.place.ids.next(now).to_string();
        let id = RunId::parse(&id).map_err(|rule| rule.at("runId"))?;
        let key = objects::incoming_upload(new.environment, &user, &id, new.format);
        let now = self.now();
        let expires = later(now, self.settings().retention.unstarted);
        let run = new.make(id, user, key, now, expires);
        let signed = self.upload_url(&run.upload).await?;
        let note = expires.map(|due| Expiry::of(&run, due));
        let pointer = Pointer::to(&run);
        let created = self.session.tables.create(run, |unit| {
            unit.put(&pointer).step();
            if let Some(note) = &note {
                unit.put(note).step();
            }
        });
        let run = created.await.map_err(ChangeError::from)?.entity;
        self.announce(RunChangeKind::Created, &run);
        Ok((run, signed))
    }

    /// A URL for the file of a run that has not started. No call.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn upload_url(&self, file: &Upload) -> Result<SignedUrl, StoreError> {
        let expected = Expected {
            max_bytes: self.settings().max_upload,
            content_type: None,
            bytes: file.bytes,
            sha256: file.sha256.map(|digest| digest.0),
        };
        Ok(self
            .files()
            .upload_url(&file.key, &expected, URL_LIFETIME)
            .await?)
    }
}
