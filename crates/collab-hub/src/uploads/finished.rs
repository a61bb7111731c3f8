//! Finished uploads: moved to where they stay, taken by new applications, deleted once replaced.

use crate::applications::Application;
use crate::conversations::Conversation;
use crate::signed::{FileKey, files};
use trestle_api::{ApiError, Failed, Input, Session};
use trestle_domain::{Id, Rule, Text, UserId};
use trestle_files::FilesError;
use trestle_table::ChangeError;

use super::{Owner, UploadName, UploadPurpose, incoming, key};

pub(super) fn failed(error: FilesError) -> Failed {
    ApiError::internal(error).into()
}

/// Deletes a file that nothing refers to any more. A failure is logged: the file is unreachable and only takes room.
pub async fn discard(session: &Session, key: &FileKey) {
    if key.as_str().contains("://") {
        return;
    }
    let deleted = async {
        files(session)?
            .delete(key.as_str())
            .await
            .map_err(ApiError::internal)
    };
    if deleted.await.is_err() {
        tracing::warn!(key = key.as_str(), "A replaced file was not deleted");
    }
}

/// The resume of a new application, from an upload for the applicant's own id. As [`take`].
pub async fn take_resume(
    session: &Session,
    application: &Application,
    upload: Input<UploadName>,
) -> Result<FileKey, Failed> {
    let owner = Owner::User(application.applicant_id.clone());
    let purpose = UploadPurpose::Resume;
    take(session, purpose, &owner, upload, "resumeUploadId").await
}

/// The file of a new message, from an upload of its sender for its conversation. As [`take`].
pub async fn take_attachment(
    session: &Session,
    conversation: Id<Conversation>,
    sender: &UserId,
    upload: Input<UploadName>,
) -> Result<FileKey, Failed> {
    let owner = Owner::Conversation(conversation, sender.clone());
    let purpose = UploadPurpose::Attachment;
    take(session, purpose, &owner, upload, "attachmentUploadId").await
}

/// A finished upload, moved to where it stays. The upload names the file, so that an input that is sent again finds it. Up
/// to four requests to the object store.
async fn take(
    session: &Session,
    purpose: UploadPurpose,
    owner: &Owner,
    upload: Input<UploadName>,
    field: &'static str,
) -> Result<FileKey, Failed> {
    let upload: Result<UploadName, Rule> = upload.into();
    let upload = upload.map_err(|rule| rule.at(field))?;
    let from = incoming(purpose, owner, upload);
    match uploaded(session, purpose, &from, key(purpose, owner, upload)).await {
        Err(Failed::Write(ChangeError::Refused(_))) => {
            Err(Rule::NotFound("does not name a finished upload")
                .at(field)
                .into())
        }
        taken => taken,
    }
}

/// The key of an object that was uploaded and is not too large, moved to where its upload URL does not lead. Attached
/// again, it is the object of the first time.
pub(super) async fn uploaded(
    session: &Session,
    purpose: UploadPurpose,
    from: &str,
    key: String,
) -> Result<FileKey, Failed> {
    let files = files(session)?;
    let size = match files.size(&key).await.map_err(failed)? {
        Some(size) => Some(size),
        None if files.copy(from, &key).await.map_err(failed)? => {
            files.size(&key).await.map_err(failed)?
        }
        None => None,
    };
    let max = u64::from(purpose.max_bytes().unsigned_abs());
    match (size, Text::parse(&key)) {
        (Some(size), Ok(text)) if size <= max => {
            files.delete(from).await.map_err(failed)?;
            Ok(text)
        }
        (Some(_), _) => {
            files.delete(&key).await.map_err(failed)?;
            Err(Rule::Invalid("the id of a file of the allowed size")
                .at("uploadId")
                .into())
        }
        (None, _) => Err(Rule::NotFound("does not name a finished upload")
            .at("uploadId")
            .into()),
    }
}
