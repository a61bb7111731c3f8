//! The files of an application: a list beside it, and an object for each of its entries.

use std::time::Duration;

use futures_util::future::try_join;
use uuid::Uuid;

use crate::error::{ChangeError, StoreError};
use crate::keys::Annex;
use crate::model::{
    ApplicationFileKind, ApplicationId, AttachedFile, FileName, FileType, MAX_FILE, Rule,
    UploadName,
};
use crate::objects::{self, Objects, ObjectsError};
use trestle_files::{Download, SignedUrl, Upload};
use trestle_table::Projection;

use super::Applications;
use super::annex::Entry;

/// How long a URL for an upload is valid.
const UPLOAD: Duration = Duration::from_secs(15 * 60);
/// How long a URL for a download is valid.
const DOWNLOAD: Duration = Duration::from_secs(15 * 60);

impl Entry for AttachedFile {
    const ANNEX: Annex = Annex::Files;
    const ATTRIBUTE: &'static str = "files";
    const MAX: usize = 10;
}

/// The rule of an application that has as many files as it can have.
const FULL: Rule = Rule::LimitReached("names an application that has 10 files, the most");
/// The rule of an upload that is not there.
const NO_UPLOAD: Rule = Rule::NotFound("does not name a finished upload");

impl From<ObjectsError> for StoreError {
    fn from(error: ObjectsError) -> Self {
        StoreError::Objects(error)
    }
}

impl From<ObjectsError> for ChangeError {
    fn from(error: ObjectsError) -> Self {
        ChangeError::Store(error.into())
    }
}

impl From<trestle_files::FilesError> for ChangeError {
    fn from(error: trestle_files::FilesError) -> Self {
        ObjectsError::from(error).into()
    }
}

impl Applications {
    fn objects(&self) -> Result<&Objects, StoreError> {
        let objects = self.objects.as_ref();
        objects.ok_or(StoreError::Objects(ObjectsError::None))
    }

    /// A URL to upload a file of so many bytes, and the name of the upload. GetItem of the application and of its list.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn file_upload(
        &self,
        id: &ApplicationId,
        of: FileType,
        bytes: u64,
    ) -> Result<(UploadName, SignedUrl), ChangeError> {
        let key = self.scope.application(id);
        let application = self.item(key, Projection::Only(vec!["PK"]));
        let application = async { application.await.map_err(StoreError::from) };
        let (application, files) =
            try_join(application, self.listed_beside::<AttachedFile>(id)).await?;
        if application.is_none() {
            return Err(ChangeError::NotFound);
        }
        if files.len() >= AttachedFile::MAX {
            return Err(FULL.at("applicationId").into());
        }
        let name = UploadName {
            id: Uuid::new_v4(),
            of,
        };
        let upload = Upload {
            max_bytes: u64::from(MAX_FILE.unsigned_abs()),
            content_type: Some(of.name().to_owned()),
            bytes: Some(bytes),
            sha256: None,
        };
        let key = objects::incoming(&self.scope, id, name);
        let files = self.objects()?.files().await?;
        Ok((name, files.upload_url(&key, &upload, UPLOAD).await?))
    }

    /// Adds an upload to the files of an application, and answers all of them. The same upload is added once. Up to four
    /// requests to the object store, and those of a change of a list.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_file(
        &self,
        id: &ApplicationId,
        upload: UploadName,
        name: FileName,
        kind: ApplicationFileKind,
    ) -> Result<Vec<AttachedFile>, ChangeError> {
        let known = self.listed_beside::<AttachedFile>(id).await?;
        if let Some(there) = known.iter().find(|file| file.id == upload.id) {
            is_same(there, &name, kind)?;
            return Ok(known);
        }
        let key = objects::key(&self.scope, id, upload);
        let from = objects::incoming(&self.scope, id, upload);
        let files = self.objects()?.files().await?;
        let bytes = match files.size(&key).await? {
            Some(bytes) => bytes,
            // Where its upload URL does not lead.
            None if files.copy(&from, &key).await? => {
                files.size(&key).await?.ok_or_else(no_upload)?
            }
            None => return Err(no_upload()),
        };
        let bytes = i32::try_from(bytes).ok().filter(|bytes| *bytes <= MAX_FILE);
        let Some(bytes) = bytes else {
            files.delete(&key).await?;
            let rule = Rule::Invalid("the id of an upload of at most 10 MB");
            return Err(rule.at("uploadId").into());
        };
        let file = AttachedFile {
            id: upload.id,
            name: name.clone(),
            kind,
            content_type: upload.of.name().to_owned(),
            bytes,
            added_at: self.now(),
            key: key.clone(),
        };
        let added = self
            .change_list(id, |files: &mut Vec<AttachedFile>| {
                if files.iter().any(|other| other.id == file.id) {
                    return Ok(());
                }
                if files.len() >= AttachedFile::MAX {
                    return Err(FULL.at("applicationId"));
                }
                files.push(file.clone());
                Ok(())
            })
            .await;
        match &added {
            Ok(_) => self.discard(&from).await,
            // Without the application, nothing would ever delete it.
            Err(ChangeError::NotFound | ChangeError::Invalid(_)) => self.discard(&key).await,
            Err(_) => {}
        }
        let added = added?;
        // Another request may have added the upload meanwhile.
        if let Some(there) = added.iter().find(|file| file.id == upload.id) {
            is_same(there, &name, kind)?;
        }
        Ok(added)
    }

    /// Removes a file, and answers the others. The costs of a change of a list, and one request to the object store.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_file(
        &self,
        id: &ApplicationId,
        file: Uuid,
    ) -> Result<Vec<AttachedFile>, ChangeError> {
        let (left, removed) = self
            .change_list_with(id, |files: &mut Vec<AttachedFile>| {
                let at = files.iter().position(|other| other.id == file);
                let missing = Rule::NotFound("names no file of the application");
                let at = at.ok_or_else(|| missing.at("fileId"))?;
                Ok(files.remove(at))
            })
            .await?;
        if objects::is_of(&self.scope, id, &removed.key) {
            self.discard(&removed.key).await;
        }
        Ok(left)
    }

    /// A URL to download a file, for `reader`; `None` if the list was imported without its objects.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn file_url(
        &self,
        id: &ApplicationId,
        file: &AttachedFile,
        reader: &str,
    ) -> Result<Option<SignedUrl>, StoreError> {
        if !objects::is_of(&self.scope, id, &file.key) {
            return Ok(None);
        }
        let download = Download {
            name: Some(file.name.to_string()),
            content_type: Some(file.content_type.clone()),
            reader: Some(reader.to_owned()),
        };
        let files = self.objects()?.files().await?;
        let url = files.download_url(&file.key, &download, DOWNLOAD).await;
        Ok(Some(url.map_err(ObjectsError::from)?))
    }

    /// Deletes an object to which nothing refers. A failure is logged: the object only takes room.
    async fn discard(&self, key: &str) {
        let deleted = async {
            let files = self.objects()?.files().await?;
            files.delete(key).await.map_err(ObjectsError::from)?;
            Ok::<_, StoreError>(())
        };
        if let Err(error) = deleted.await {
            tracing::warn!(%error, "a file that was removed was not deleted");
        }
    }

    /// Deletes the objects of a deleted application. Commands leave them, because they open no object store.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn discard_files(&self, id: &ApplicationId) -> Result<(), StoreError> {
        match &self.objects {
            Some(objects) => Ok(objects.discard_all(&self.scope, id).await?),
            None => Ok(()),
        }
    }
}

/// Whether a file that an upload has become is the one of an input.
///
/// # Errors
/// [`Rule::Conflict`].
fn is_same(
    file: &AttachedFile,
    name: &FileName,
    kind: ApplicationFileKind,
) -> Result<(), ChangeError> {
    if file.name == *name && file.kind == kind {
        return Ok(());
    }
    let rule = Rule::Conflict("is already a file of the application, with another name or kind");
    Err(rule.at("uploadId").into())
}

fn no_upload() -> ChangeError {
    NO_UPLOAD.at("uploadId").into()
}
