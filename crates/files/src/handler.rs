//! Answering signed URLs of this server: uploads and downloads of one object, as streams.

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, StreamBody};
use object_store::WriteMultipart;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::grant::{Access, Grant, Upload, disposition};
use super::signing::Refused;
use super::store::{CHECKSUM_HEADER, Files, FilesError};
use trestle_api::{HttpBody, HttpHandler, http_response};
use trestle_domain::{base64, hex};

/// How many parts of an upload may be on their way to the store.
const PARTS: usize = 2;

/// Why a request is refused.
enum Refusal {
    Signature(Refused),
    Method(Method),
    Closed,
    ContentType(String),
    TooLarge(u64),
    Size { expected: u64, found: u64 },
    Checksum,
    Interrupted,
    NotFound,
    Store(FilesError),
}

impl From<FilesError> for Refusal {
    fn from(error: FilesError) -> Self {
        Refusal::Store(error)
    }
}

impl From<object_store::Error> for Refusal {
    fn from(error: object_store::Error) -> Self {
        Refusal::Store(error.into())
    }
}

impl HttpHandler for Files {
    fn answer(&self, request: Request<HttpBody>) -> BoxFuture<'_, Response<HttpBody>> {
        async move {
            match self.serve(request).await {
                Ok(response) => response,
                Err(refusal) => refusal.answer(),
            }
        }
        .boxed()
    }
}

impl Files {
    async fn serve(&self, request: Request<HttpBody>) -> Result<Response<HttpBody>, Refusal> {
        let query = request.uri().query().unwrap_or_default();
        let grant = self.granted(query).ok_or(Refusal::NotFound)?;
        let Grant { key, access } = grant.map_err(Refusal::Signature)?;
        match (access, request.method()) {
            (Access::Put(upload), &Method::PUT) => self.take(&key, &upload, request).await,
            (Access::Get(download), &Method::GET | &Method::HEAD) => {
                let name = disposition(download.name.as_deref(), download.content_type.as_deref());
                let mut response = self.give(&key, download.content_type).await?;
                if let Ok(name) = HeaderValue::try_from(name) {
                    let headers = response.headers_mut();
                    headers.insert(header::CONTENT_DISPOSITION, name);
                    headers.insert(
                        header::X_CONTENT_TYPE_OPTIONS,
                        HeaderValue::from_static("nosniff"),
                    );
                }
                Ok(response)
            }
            (access, _) => Err(Refusal::Method(access.method())),
        }
    }

    async fn take(
        &self,
        key: &str,
        upload: &Upload,
        request: Request<HttpBody>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let (parts, body) = request.into_parts();
        let text = |name: &str| {
            let value = parts.headers.get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let declared = text(header::CONTENT_LENGTH.as_str()).and_then(|text| text.parse().ok());
        if declared.is_some_and(|bytes: u64| bytes > upload.max_bytes) {
            return Err(Refusal::TooLarge(upload.max_bytes));
        }
        let content_type = text(header::CONTENT_TYPE.as_str());
        if let Some(needed) = upload.content_type.clone()
            && content_type != Some(needed.clone())
        {
            return Err(Refusal::ContentType(needed));
        }
        if self.is_closed(key).await? {
            return Err(Refusal::Closed);
        }
        let stated = text(CHECKSUM_HEADER);
        let mut writer = self.writer(key).await?;
        let checked = match receive(body, upload.max_bytes, &mut writer).await {
            Ok((bytes, digest)) => check(upload, stated, bytes, &digest).map(|()| (bytes, digest)),
            Err(refusal) => Err(refusal),
        };
        match checked {
            Ok((bytes, digest)) => {
                writer.finish().await?;
                let answer = json!({ "bytes": bytes, "sha256": hex(&digest) });
                Ok(http_response(
                    StatusCode::OK,
                    "application/json",
                    answer.to_string(),
                ))
            }
            Err(refusal) => {
                // The store removes incomplete uploads itself, sooner or later.
                let _ = writer.abort().await;
                Err(refusal)
            }
        }
    }

    async fn give(
        &self,
        key: &str,
        content_type: Option<String>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let found = self.get(key, u64::MAX).await?;
        let found = found.ok_or(Refusal::NotFound)?;
        let length = HeaderValue::from(found.meta.size);
        let frames = found
            .into_stream()
            .map_ok(http_body::Frame::data)
            .map_err(|error| Box::new(error) as _);
        let mut response = Response::new(StreamBody::new(frames.boxed()).boxed_unsync());
        let by_extension = if key.ends_with(".json") {
            "application/json"
        } else {
            "application/octet-stream"
        };
        let content_type = content_type.and_then(|text| HeaderValue::try_from(text).ok());
        let content_type = content_type.unwrap_or(HeaderValue::from_static(by_extension));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length);
        headers.insert(header::CONTENT_TYPE, content_type);
        headers.insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-store"),
        );
        Ok(response)
    }
}

/// Whether what arrived is what was announced.
fn check(
    upload: &Upload,
    stated: Option<String>,
    bytes: u64,
    digest: &[u8; 32],
) -> Result<(), Refusal> {
    let expected = upload.bytes.unwrap_or(bytes);
    if bytes != expected {
        let found = bytes;
        return Err(Refusal::Size { expected, found });
    }
    let is_other = stated.is_some_and(|stated| stated != base64(digest))
        || upload.sha256.is_some_and(|expected| expected != *digest);
    if is_other {
        Err(Refusal::Checksum)
    } else {
        Ok(())
    }
}

async fn receive(
    mut body: HttpBody,
    max: u64,
    writer: &mut WriteMultipart,
) -> Result<(u64, [u8; 32]), Refusal> {
    let (mut bytes, mut digest) = (0, Sha256::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::Interrupted)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes += data.len() as u64;
        if bytes > max {
            return Err(Refusal::TooLarge(max));
        }
        digest.update(&data);
        writer.wait_for_capacity(PARTS).await?;
        writer.put(data);
    }
    Ok((bytes, digest.finalize().into()))
}

impl Refusal {
    fn answer(self) -> Response<HttpBody> {
        let (status, message) = match &self {
            Refusal::Signature(Refused::Forged) => (
                StatusCode::FORBIDDEN,
                "The URL's signature is invalid. Use the URL unchanged.".to_owned(),
            ),
            Refusal::Signature(Refused::Expired) => (
                StatusCode::FORBIDDEN,
                "The URL has expired. Request a new one.".to_owned(),
            ),
            Refusal::Method(method) => (
                StatusCode::METHOD_NOT_ALLOWED,
                format!("This URL accepts {method} only."),
            ),
            Refusal::Closed => (
                StatusCode::CONFLICT,
                "The file is already in use and cannot be replaced.".to_owned(),
            ),
            Refusal::ContentType(needed) => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!("This URL accepts `content-type: {needed}` only."),
            ),
            Refusal::TooLarge(max) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("This URL accepts at most {max} bytes."),
            ),
            Refusal::Size { expected, found } => (
                StatusCode::BAD_REQUEST,
                format!("{found} bytes arrived; {expected} were announced."),
            ),
            Refusal::Checksum => (
                StatusCode::BAD_REQUEST,
                "The bytes that arrived do not have the announced SHA-256. Send them again."
                    .to_owned(),
            ),
            Refusal::Interrupted => (
                StatusCode::BAD_REQUEST,
                "The upload was interrupted. Send it again.".to_owned(),
            ),
            Refusal::NotFound => (StatusCode::NOT_FOUND, "There is no such file.".to_owned()),
            Refusal::Store(error) => {
                tracing::error!(%error, "a file was not served");
                let message = "The file store does not answer. Try again shortly.".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, message)
            }
        };
        let mut response = http_response(
            status,
            "application/json",
            json!({ "error": message }).to_string(),
        );
        if let Refusal::Method(method) = &self
            && let Ok(method) = HeaderValue::from_str(method.as_str())
        {
            response.headers_mut().insert(header::ALLOW, method);
        }
        response
    }
}
