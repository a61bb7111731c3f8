//! Answering signed URLs: uploads and downloads of one object, as streams.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, StreamBody};
use object_store::WriteMultipart;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::api::{FileBody, Files};
use crate::graph_runs::model::hex_digest;

use super::signing::Refused;
use super::{ArtifactError, Artifacts, CHECKSUM_HEADER, Grant, Signing, base64};

/// How many parts of an upload may be under way to the store.
const PARTS: usize = 2;

/// Why a request is not answered with what it asks for.
enum Refusal {
    Signature(Refused),
    Method(Method),
    TooLarge(u64),
    Size { expected: u64, found: u64 },
    Checksum,
    Interrupted,
    NotThere,
    Store(ArtifactError),
}

impl From<ArtifactError> for Refusal {
    fn from(error: ArtifactError) -> Self {
        Refusal::Store(error)
    }
}

impl From<object_store::Error> for Refusal {
    fn from(error: object_store::Error) -> Self {
        Refusal::Store(error.into())
    }
}

impl Files for Artifacts {
    fn answer(&self, request: Request<FileBody>) -> BoxFuture<'_, Response<FileBody>> {
        async move {
            match self.serve(request).await {
                Ok(response) => response,
                Err(refusal) => refusal.answer(),
            }
        }
        .boxed()
    }
}

impl Artifacts {
    /// Whether clients come to this server for their objects.
    pub fn are_served(&self) -> bool {
        matches!(self.signing, Signing::Server { .. })
    }

    async fn serve(&self, request: Request<FileBody>) -> Result<Response<FileBody>, Refusal> {
        let Signing::Server { key, .. } = &self.signing else {
            return Err(Refusal::NotThere);
        };
        let query = request.uri().query().unwrap_or_default();
        let grant = key.read(query, self.clock.now());
        let grant = grant.map_err(Refusal::Signature)?;
        match (&grant.method, request.method()) {
            (&Method::PUT, &Method::PUT) => self.take(&grant, request).await,
            (&Method::GET, &Method::GET | &Method::HEAD) => self.give(&grant).await,
            _ => Err(Refusal::Method(grant.method)),
        }
    }

    async fn take(
        &self,
        grant: &Grant,
        request: Request<FileBody>,
    ) -> Result<Response<FileBody>, Refusal> {
        let declared = request.headers().get(header::CONTENT_LENGTH);
        let declared = declared.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if declared.is_some_and(|bytes| bytes > grant.max) {
            return Err(Refusal::TooLarge(grant.max));
        }
        let stated = request.headers().get(CHECKSUM_HEADER).cloned();
        let mut writer = self.writer(&grant.key).await?;
        let taken = receive(request.into_body(), grant, &mut writer).await;
        let checked = taken.and_then(|(bytes, digest)| {
            let expected = grant.expected.bytes.unwrap_or(bytes);
            if bytes != expected {
                let found = bytes;
                return Err(Refusal::Size { expected, found });
            }
            let stated_other = stated.is_some_and(|stated| stated != base64(&digest));
            if stated_other
                || grant
                    .expected
                    .sha256
                    .is_some_and(|expected| expected != digest)
            {
                return Err(Refusal::Checksum);
            }
            Ok((bytes, digest))
        });
        match checked {
            Ok((bytes, digest)) => {
                writer.finish().await?;
                let answer = json!({ "bytes": bytes, "sha256": hex_digest(&digest) });
                Ok(text(StatusCode::OK, answer.to_string()))
            }
            Err(refusal) => {
                // The store drops what it has of it by itself, sooner or later.
                let _ = writer.abort().await;
                Err(refusal)
            }
        }
    }

    async fn give(&self, grant: &Grant) -> Result<Response<FileBody>, Refusal> {
        let found = self.get(&grant.key, u64::MAX).await?;
        let found = found.ok_or(Refusal::NotThere)?;
        let length = HeaderValue::from(found.meta.size);
        let frames = found
            .into_stream()
            .map_ok(http_body::Frame::data)
            .map_err(|error| Box::new(error) as _);
        let mut response = Response::new(StreamBody::new(frames.boxed()).boxed_unsync());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length);
        let kind = match grant.key.ends_with(".json") {
            true => "application/json",
            false => "application/octet-stream",
        };
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        // What someone uploaded is never a page of this origin.
        headers.insert(
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment"),
        );
        headers.insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-store"),
        );
        Ok(response)
    }
}

async fn receive(
    mut body: FileBody,
    grant: &Grant,
    writer: &mut WriteMultipart,
) -> Result<(u64, [u8; 32]), Refusal> {
    let (mut bytes, mut digest) = (0, Sha256::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::Interrupted)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes += data.len() as u64;
        if bytes > grant.max {
            return Err(Refusal::TooLarge(grant.max));
        }
        digest.update(&data);
        writer.wait_for_capacity(PARTS).await?;
        writer.put(data);
    }
    Ok((bytes, digest.finalize().into()))
}

impl Refusal {
    fn answer(self) -> Response<FileBody> {
        let (status, message) = match &self {
            Refusal::Signature(Refused::Forged) => {
                let message =
                    "The signature is not one of this URL. Use the URL as it was answered.";
                (StatusCode::FORBIDDEN, message.to_owned())
            }
            Refusal::Signature(Refused::Expired) => (
                StatusCode::FORBIDDEN,
                "The URL has expired. Ask for another one.".to_owned(),
            ),
            Refusal::Method(method) => (
                StatusCode::METHOD_NOT_ALLOWED,
                format!("This URL is for {method}."),
            ),
            Refusal::TooLarge(max) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("This URL takes at most {max} bytes."),
            ),
            Refusal::Size { expected, found } => (
                StatusCode::BAD_REQUEST,
                format!("{found} bytes arrived where {expected} were announced."),
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
            Refusal::NotThere => (
                StatusCode::NOT_FOUND,
                "There is no such file yet.".to_owned(),
            ),
            Refusal::Store(error) => {
                tracing::error!(%error, "a file was not served");
                let message = "Something went wrong on our side. Try again shortly.".to_owned();
                (StatusCode::INTERNAL_SERVER_ERROR, message)
            }
        };
        let mut response = text(status, json!({ "error": message }).to_string());
        if let Refusal::Method(method) = &self
            && let Ok(method) = HeaderValue::from_str(method.as_str())
        {
            response.headers_mut().insert(header::ALLOW, method);
        }
        response
    }
}

fn text(status: StatusCode, text: String) -> Response<FileBody> {
    let body = Full::new(Bytes::from(text)).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
