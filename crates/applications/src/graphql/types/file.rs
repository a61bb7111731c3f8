//! A file of an application.

use async_graphql::{Context, ID, Object};

use super::{Nullable, attached_lists, store};
use crate::graphql::id;
use crate::model::{ApplicationFileKind, ApplicationId, AttachedFile, Timestamp};
use crate::store::NodeKey;
use trestle_api::viewer::Viewer;
use trestle_api::{ApiError, Url, Uuid};

/// A file of an application, such as a resume. Files have no history.
pub struct ApplicationFile {
    application: ApplicationId,
    file: AttachedFile,
}

/// A file of an application, such as a resume. Files have no history.
#[Object]
impl ApplicationFile {
    /// The id: opaque and stable.
    pub async fn id(&self) -> ID {
        id::encode(&NodeKey::File(self.application.clone(), self.file.id))
    }

    /// The file's UUID, unique within its application.
    async fn file_id(&self) -> Uuid {
        Uuid(self.file.id.to_string())
    }

    /// The name that it is saved under: 1 to 200 characters.
    async fn name(&self) -> &str {
        self.file.name.as_str()
    }

    /// What the file is.
    async fn kind(&self) -> ApplicationFileKind {
        self.file.kind
    }

    /// The media type.
    async fn content_type(&self) -> &str {
        &self.file.content_type
    }

    /// The number of bytes.
    async fn bytes(&self) -> i32 {
        self.file.bytes
    }

    /// When the file was added.
    async fn added_at(&self) -> Timestamp {
        self.file.added_at
    }

    /// A URL to download the file, for 15 minutes and without credentials. Null if the application was imported, because
    /// an export has no files.
    async fn url(&self, ctx: &Context<'_>) -> Nullable<Url> {
        let signed = async {
            let reader = ctx.data_opt::<Viewer>().map(Viewer::subject);
            let reader = reader.unwrap_or_default();
            let url = store(ctx)?
                .file_url(&self.application, &self.file, reader)
                .await?;
            Ok(url.map(|signed| Url(signed.url.to_string())))
        };
        signed.await.transpose()
    }
}

impl ApplicationFile {
    /// A file of an application.
    pub fn new(application: &ApplicationId, file: AttachedFile) -> Self {
        Self {
            application: application.clone(),
            file,
        }
    }
}

/// Files of an application.
pub fn files_of(application: &ApplicationId, files: Vec<AttachedFile>) -> Vec<ApplicationFile> {
    let files = files.into_iter();
    files
        .map(|file| ApplicationFile::new(application, file))
        .collect()
}

/// The files of an application, the first one first.
pub async fn files(
    ctx: &Context<'_>,
    id: &ApplicationId,
) -> Result<Vec<ApplicationFile>, ApiError> {
    let files = attached_lists(ctx)?.list::<AttachedFile>(id).await?;
    Ok(files_of(id, files))
}
