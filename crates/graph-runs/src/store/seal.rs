//! Copies that nobody else can change: of an upload when its run starts, of what a worker hands in when it is verified.

use futures_util::StreamExt as _;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::error::ChangeError;
use crate::model::{Digest, Run, Upload};
use crate::objects;
use trestle_files::FilesError;

use super::Runs;

impl Runs {
    /// Copies the uploaded file to a key that only this server writes, under its checksum, and ends its upload URLs.
    /// Of the object store: a look, two copies, one read, one write and one delete.
    ///
    /// # Errors
    /// [`ChangeError::NotUploaded`], [`ChangeError::UploadTooLarge`], [`ChangeError::OtherUpload`].
    pub(super) async fn seal(&self, run: &Run) -> Result<Upload, ChangeError> {
        let (files, max) = (self.files(), self.settings().max_upload);
        // Before it is copied: a store may answer a copy of nothing in its own way.
        match files.size(&run.upload.key).await? {
            None => return Err(ChangeError::NotUploaded),
            Some(size) if size > max => return Err(ChangeError::UploadTooLarge(max)),
            Some(_) => {}
        }
        files.close(&run.upload.key).await?;
        let part = objects::part(run, "uploads", &unique());
        if !files.copy(&run.upload.key, &part).await? {
            return Err(ChangeError::NotUploaded);
        }
        let found = self.digest(&part, max).await;
        let (bytes, sha256) = match found {
            Err(ChangeError::Store(error)) => return Err(error.into()),
            Ok(Some(found)) if is_announced(&run.upload, &found) => found,
            refused => {
                // Another file may be uploaded in its place.
                files.delete(&part).await?;
                files.open_again(&run.upload.key).await?;
                return match refused? {
                    Some(_) => Err(ChangeError::OtherUpload),
                    None => Err(ChangeError::NotUploaded),
                };
            }
        };
        let key = objects::upload(run, &sha256);
        files.copy(&part, &key).await?;
        files.delete(&part).await?;
        Ok(Upload {
            key,
            format: run.upload.format,
            root: run.upload.root.clone(),
            bytes: Some(bytes),
            sha256: Some(sha256),
        })
    }

    /// Keeps a worker's object under a key of its checksum; `None` if there is none.
    pub(super) async fn keep(
        &self,
        run: &Run,
        incoming: &str,
        kind: &'static str,
        key: impl FnOnce(&Digest) -> String,
    ) -> Result<Option<String>, ChangeError> {
        let (files, part) = (self.files(), objects::part(run, kind, &unique()));
        if files.size(incoming).await?.is_none() || !files.copy(incoming, &part).await? {
            return Ok(None);
        }
        let found = self.digest(&part, self.settings().max_graph).await;
        let key = match &found {
            Ok(Some((_, sha256))) => {
                let key = key(sha256);
                files.copy(&part, &key).await?;
                Some(key)
            }
            Ok(None) | Err(_) => None,
        };
        files.delete(&part).await?;
        found.map(|_| key)
    }

    /// The size and the SHA-256 of an object, if it exists.
    async fn digest(&self, key: &str, max: u64) -> Result<Option<(u64, Digest)>, ChangeError> {
        let found = match self.files().get(key, max).await {
            Err(FilesError::TooLarge(max)) => return Err(ChangeError::UploadTooLarge(max)),
            found => found?,
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let (mut stream, mut bytes, mut digest) = (found.into_stream(), 0, Sha256::new());
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(FilesError::from)?;
            bytes += piece.len() as u64;
            digest.update(&piece);
        }
        Ok(Some((bytes, Digest(digest.finalize().into()))))
    }
}

fn is_announced(announced: &Upload, (bytes, sha256): &(u64, Digest)) -> bool {
    announced.bytes.is_none_or(|announced| announced == *bytes)
        && announced
            .sha256
            .is_none_or(|announced| announced == *sha256)
}

/// A name that no other writer has.
pub(super) fn unique() -> String {
    Uuid::new_v4().simple().to_string()
}
