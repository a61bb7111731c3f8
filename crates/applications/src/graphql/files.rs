//! The files of an application.

use async_graphql::{ComplexObject, Context, ID, InputObject, SimpleObject};

use super::id::named;
use super::types::{Application, ApplicationFile, Nullable, files_of, read_again};
use crate::error::{ChangeError, user_errors};
use crate::model::{
    ApplicationFileKind, ApplicationId, AttachedFile, FileName, FileType, MAX_FILE, UploadName,
};
use crate::store::Applications;
use trestle_api::mutations;
use trestle_api::{ApiError, DateTime, Input, Url, UserError, Uuid};
use trestle_domain::{Bounded, Check, Moment, Rule};
use trestle_files::SignedUrl;

/// A file that is to be uploaded.
#[derive(InputObject)]
pub struct CreateFileUploadInput {
    /// The application's id.
    application_id: ID,
    /// The media type: PDF, Word (doc, docx), OpenDocument text, RTF, plain text, Markdown, PNG, JPEG or WebP.
    content_type: String,
    /// The number of bytes, at most 10485760 (10 MB).
    bytes: Input<Bounded<1, MAX_FILE>>,
}

/// An upload that becomes a file of an application.
#[derive(InputObject)]
pub struct AddFileInput {
    /// The application's id.
    application_id: ID,
    /// The `uploadId` of `createFileUpload`, after the upload.
    upload_id: String,
    /// The name that the file is saved under: 1 to 200 characters.
    name: Input<FileName>,
    /// What the file is. Defaults to OTHER.
    kind: Option<ApplicationFileKind>,
}

/// A file to remove.
#[derive(InputObject)]
pub struct RemoveFileInput {
    /// The application's id.
    application_id: ID,
    /// The file's UUID.
    file_id: Uuid,
}

/// A header that the client must send with an upload.
#[derive(SimpleObject)]
pub struct FileUploadHeader {
    /// The name.
    name: String,
    /// The value.
    value: String,
}

/// A permission to upload one file.
#[derive(SimpleObject)]
pub struct FileUpload {
    /// The id for `addFile`.
    upload_id: String,
    /// The URL to PUT the file to.
    url: Url,
    /// The headers that the client must send.
    headers: Vec<FileUploadHeader>,
    /// When the URL expires.
    expires_at: DateTime,
}

impl FileUpload {
    fn new(name: UploadName, signed: SignedUrl) -> Self {
        let headers = signed.headers.into_iter();
        Self {
            upload_id: name.to_string(),
            url: Url(signed.url.to_string()),
            headers: headers
                .map(|(name, value)| FileUploadHeader {
                    name: name.to_owned(),
                    value,
                })
                .collect(),
            expires_at: DateTime(Moment::<trestle_domain::Millis>::new(signed.expires).to_string()),
        }
    }
}

/// The result of `createFileUpload`.
#[derive(SimpleObject, Default)]
pub struct CreateFileUploadPayload {
    /// The permission to upload. Null if the mutation was rejected.
    upload: Option<FileUpload>,
    /// Errors that the user can correct. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

impl CreateFileUploadPayload {
    fn of(made: Result<FileUpload, ChangeError>) -> Result<Self, ApiError> {
        Ok(match made {
            Ok(upload) => Self {
                upload: Some(upload),
                user_errors: Vec::new(),
            },
            Err(error) => Self {
                upload: None,
                user_errors: user_errors(error, "applicationId")?,
            },
        })
    }
}

/// A changed file, and the list that it is in.
struct Made {
    application: ApplicationId,
    id: uuid::Uuid,
    files: Vec<AttachedFile>,
}

impl Made {
    fn file(&self) -> Option<ApplicationFile> {
        let mut files = self.files.iter();
        let file = files.find(|file| file.id == self.id)?;
        files_of(&self.application, vec![file.clone()]).pop()
    }
}

/// The result of `addFile`.
#[derive(SimpleObject, Default)]
#[graphql(complex)]
pub struct AddFilePayload {
    #[graphql(skip)]
    application_id: Option<ApplicationId>,
    /// The file. Null if the mutation was rejected.
    file: Option<ApplicationFile>,
    /// The files of the application after the mutation. Null if it was rejected.
    files: Option<Vec<ApplicationFile>>,
    /// Errors that the user can correct. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

#[ComplexObject]
impl AddFilePayload {
    /// The application with its files after the mutation. It is read if it is selected. Null if the mutation was rejected.
    async fn application(&self, ctx: &Context<'_>) -> Nullable<Application> {
        read_again(ctx, self.application_id.as_ref()).await
    }
}

impl AddFilePayload {
    fn of(made: Result<Made, ChangeError>) -> Result<Self, ApiError> {
        Ok(match made {
            Ok(made) => Self {
                file: made.file(),
                files: Some(files_of(&made.application, made.files)),
                application_id: Some(made.application),
                user_errors: Vec::new(),
            },
            Err(error) => Self {
                user_errors: user_errors(error, "applicationId")?,
                ..Self::default()
            },
        })
    }
}

/// The result of `removeFile`.
#[derive(SimpleObject, Default)]
#[graphql(complex)]
pub struct RemoveFilePayload {
    #[graphql(skip)]
    application_id: Option<ApplicationId>,
    /// The UUID of the removed file. Null if the mutation was rejected.
    removed_file_id: Option<Uuid>,
    /// The files of the application after the mutation. Null if it was rejected.
    files: Option<Vec<ApplicationFile>>,
    /// Errors that the user can correct. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

#[ComplexObject]
impl RemoveFilePayload {
    /// The application with its files after the mutation. It is read if it is selected. Null if the mutation was rejected.
    async fn application(&self, ctx: &Context<'_>) -> Nullable<Application> {
        read_again(ctx, self.application_id.as_ref()).await
    }
}

impl RemoveFilePayload {
    fn of(made: Result<Made, ChangeError>) -> Result<Self, ApiError> {
        Ok(match made {
            Ok(made) => Self {
                removed_file_id: Some(Uuid(made.id.to_string())),
                files: Some(files_of(&made.application, made.files)),
                application_id: Some(made.application),
                user_errors: Vec::new(),
            },
            Err(error) => Self {
                user_errors: user_errors(error, "applicationId")?,
                ..Self::default()
            },
        })
    }
}

mutations! {
    /// The mutations of files.
    FileMutation {
        /// Requests permission to upload a file for an application. PUT the file to the URL with the headers, then pass the
        /// `uploadId` to `addFile`. An upload that is not added within a day is deleted.
        create_file_upload(CreateFileUploadInput) -> CreateFileUploadPayload = upload,
        /// Adds an uploaded file to an application, which has at most 10. Repeating the same input adds it once and
        /// answers it each time. The application itself does not change: its version and its history stay.
        add_file(AddFileInput) -> AddFilePayload = add,
        /// Removes a file from its application, and deletes it.
        remove_file(RemoveFileInput) -> RemoveFilePayload = remove,
    }
}

async fn upload(
    store: &Applications,
    input: CreateFileUploadInput,
) -> Result<FileUpload, ChangeError> {
    let mut check = Check::default();
    let of = FileType::named(input.content_type.trim());
    let of = of.ok_or(Rule::Invalid(
        "the media type of a PDF, Word, OpenDocument, RTF, plain text, Markdown, PNG, JPEG or WebP file",
    ));
    let of = check.need("contentType", of);
    let bytes = check.need("bytes", input.bytes);
    let (of, bytes) = check.finish(|| Some((of?, bytes?)))?;
    let application = named(store, &input.application_id).await?;
    let bytes = u64::from(bytes.get().unsigned_abs());
    let (name, signed) = store.file_upload(&application, of, bytes).await?;
    Ok(FileUpload::new(name, signed))
}

async fn add(store: &Applications, input: AddFileInput) -> Result<Made, ChangeError> {
    let mut check = Check::default();
    let upload = UploadName::parse(&input.upload_id);
    let upload = upload.ok_or(Rule::NotFound("does not name a finished upload"));
    let upload = check.need("uploadId", upload);
    let name = check.need("name", input.name);
    let (upload, name) = check.finish(|| Some((upload?, name?)))?;
    let application = named(store, &input.application_id).await?;
    let kind = input.kind.unwrap_or(ApplicationFileKind::Other);
    let files = store.add_file(&application, upload, name, kind).await?;
    Ok(Made {
        application,
        id: upload.id,
        files,
    })
}

async fn remove(store: &Applications, input: RemoveFileInput) -> Result<Made, ChangeError> {
    let id = uuid::Uuid::try_parse(&input.file_id.0);
    let id = id.map_err(|_| Rule::Invalid("a UUID").at("fileId"))?;
    let application = named(store, &input.application_id).await?;
    let files = store.remove_file(&application, id).await?;
    Ok(Made {
        application,
        id,
        files,
    })
}
