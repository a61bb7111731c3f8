//! Requests of one connection, from head to the last byte of the answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tower::{Service, ServiceExt as _};

use super::place::{Busy, Place};
use crate::server::door::Door;
use crate::server::http::accept::Media;

/// Answers the requests of one connection.
#[derive(Clone)]
pub(super) struct Watched {
    pub(super) router: Router,
    pub(super) door: Arc<Door>,
    /// `None` for a connection beyond the limit.
    pub(super) place: Option<Arc<Place>>,
}

/// Keeps the connection of a request from being idle. Among the request's extensions, for what outlives the answer.
#[derive(Clone)]
pub(in crate::server) struct InUse(#[expect(dead_code, reason = "held, not read")] Arc<Busy>);

impl<B> Service<Request<B>> for Watched
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Response = Response<Held>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let in_use = self
            .place
            .as_ref()
            .map(|place| InUse(Arc::new(place.busy())));
        let checked = self
            .door
            .check(request.version(), request.uri(), request.headers());
        if let Err(refusal) = checked {
            let body = |body| Held {
                body,
                _in_use: in_use,
            };
            return Box::pin(std::future::ready(Ok(refusal
                .answer(Media::Json)
                .map(body))));
        }
        if let Some(in_use) = &in_use {
            request.extensions_mut().insert(in_use.clone());
        }
        let answering = self.router.clone().oneshot(request);
        Box::pin(async move {
            let response = answering.await?;
            Ok(response.map(|body| Held {
                body,
                _in_use: in_use,
            }))
        })
    }
}

/// A body that keeps its connection from being idle until it has been sent.
pub(super) struct Held {
    body: Body,
    _in_use: Option<InUse>,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
