//! Connections, from the listener to the last byte: how many there may be, and how they end when the server stops.

mod frames;
mod permit;
mod tracked;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::Router;
use futures_util::future::OptionFuture;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{sleep, timeout};
use tower::util::MapRequest;

use super::allowed_hosts::AllowedHosts;
use super::identify::Peer;
use super::state::App;

use self::frames::{FrameLimit, PREFACE};
pub(super) use self::permit::InUse;
use self::permit::{ConnectionLimiter, ConnectionPermit, EXTRA};
use self::tracked::TrackedConnection;

/// How long a connection may take over its headers, or stay idle.
const HEADERS: Duration = Duration::from_secs(30);
/// How long a new connection may take to ask its first question when the server stops: its request may
/// be on the way, and closing would lose it.
const FIRST_BYTE: Duration = Duration::from_secs(1);
/// HTTP/2 requests at the same time on one connection.
const STREAMS: u32 = 128;
/// How long a connection that closes for another may take to send what it has begun to send.
const CLOSING: Duration = Duration::from_secs(1);
/// Bytes of a connection's read buffer and of its write buffer. The head of a request must fit. Many connections that
/// each send half of a request hold little more than this.
const BUFFER: usize = 16 * 1024;
/// Unsent bytes of a connection with which the system takes no more.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 64 * 1024;
/// Bytes that an HTTP/2 client may send before they are read.
const WINDOW: u32 = 64 * 1024;
/// How long to wait when the system has no more file descriptors.
const EXHAUSTED: Duration = Duration::from_millis(50);

/// What the first bytes of a connection say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// HTTP/1.
    Http1,
    /// Perhaps HTTP/2.
    Http2,
}

/// What connections share.
#[derive(Clone)]
struct Connections {
    router: Router,
    /// Answers when all places are taken.
    crowded: Router,
    allowed_hosts: Arc<AllowedHosts>,
    places: Arc<ConnectionLimiter>,
    extra: Arc<Semaphore>,
    /// How long a client may take nothing of an answer.
    patience: Duration,
    /// Turns true when connections are to end.
    ending: watch::Receiver<bool>,
    /// Held by every connection: the channel closes with the last.
    open: mpsc::Sender<()>,
}

pub(super) async fn serve(
    app: &App,
    listener: TcpListener,
    router: Router,
    crowded: Router,
    stop: impl Future<Output = ()> + Send,
    handed_back: impl Future<Output = ()> + Send,
) {
    let (end, ending) = watch::channel(false);
    let (open, mut closed) = mpsc::channel(1);
    let connections = Connections {
        router,
        crowded,
        allowed_hosts: Arc::clone(&app.allowed_hosts),
        places: Arc::new(ConnectionLimiter::new(app.args.connections.max_connections)),
        extra: Arc::new(Semaphore::new(EXTRA)),
        patience: app.args.connections.send_timeout,
        ending,
        open,
    };
    let (places, patience) = (Arc::clone(&connections.places), connections.patience);
    let watching = tokio::spawn(async move { places.watch(patience).await });

    accept_until(&listener, &connections, stop).await;
    app.draining.store(true, Relaxed);
    tracing::info!("stopping: not ready any more");
    accept_until(&listener, &connections, sleep(app.args.drain_grace)).await;
    close(listener, &connections);
    // Nobody listens when there is no connection.
    let _ = end.send(true);
    app.subscriptions.end();
    drop(connections);
    let all_closed = async {
        let requests = async { (closed.recv().await, app.subscriptions.closed().await) };
        tokio::join!(requests, handed_back)
    };
    match timeout(app.args.drain_timeout, all_closed).await {
        Ok(_) => tracing::info!("stopped: every request was answered"),
        Err(_) => tracing::warn!("stopped: some requests did not end in time"),
    }
    watching.abort();
}

fn builder(keeps_alive: bool, begins: Begins) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    // To read the first bytes apart would double the connection's buffer.
    if begins == Begins::Http1 {
        builder = builder.http1_only();
    }
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .keep_alive(keeps_alive)
        .max_buf_size(BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_send_buf_size(BUFFER)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    builder
}

async fn accept_until(
    listener: &TcpListener,
    connections: &Connections,
    until: impl Future<Output = ()> + Send,
) {
    let mut until = pin!(until);
    loop {
        tokio::select! {
            biased;
            () = &mut until => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => connections.begin(stream, peer.ip()),
                Err(error) if is_the_connections(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection could be accepted");
                    sleep(EXHAUSTED).await;
                }
            },
        }
    }
}

/// Closes the listener and takes the connections that the system has accepted already: closing would reset
/// them. Asks the system itself, because the runtime learns of a connection only some time after it came;
/// and begins with none before the listener is closed, because another could come meanwhile.
fn close(listener: TcpListener, connections: &Connections) {
    // The listener ends with the closure.
    let waiting = listener
        .into_std()
        .map(|listener| std::iter::from_fn(|| accept_now(&listener)).collect::<Vec<_>>());
    match waiting {
        Ok(streams) => {
            for (stream, peer) in streams {
                connections.begin_waiting(stream, peer.ip());
            }
        }
        Err(error) => tracing::error!(%error, "waiting connections could not be taken"),
    }
}

/// Notes on each request of a connection where it comes from.
fn with_peer<B>(peer: IpAddr) -> impl Fn(http::Request<B>) -> http::Request<B> + Clone {
    move |mut request| {
        request.extensions_mut().insert(Peer(peer));
        request
    }
}

/// The next connection that waits, if one does.
fn accept_now(listener: &std::net::TcpListener) -> Option<(std::net::TcpStream, SocketAddr)> {
    loop {
        match listener.accept() {
            Ok(accepted) => return Some(accepted),
            Err(error) if is_the_connections(&error) => {}
            Err(_) => return None,
        }
    }
}

/// Bounds how much the system holds for a client that does not read, and for how long, also after the connection was
/// closed. Where the system has no such options, it holds as much as its buffers take.
#[cfg(target_os = "linux")]
fn bound(stream: &TcpStream, patience: Duration) {
    let socket = SockRef::from(stream);
    let bounded = socket
        .set_tcp_notsent_lowat(UNSENT)
        .and_then(|()| socket.set_tcp_user_timeout(Some(patience)));
    if let Err(error) = bounded {
        tracing::debug!(%error, "a connection has no bound on what is not sent");
    }
}

#[cfg(not(target_os = "linux"))]
fn bound(_: &TcpStream, _: Duration) {}

fn is_the_connections(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

impl Connections {
    /// Begins with a connection that the runtime does not know yet.
    fn begin_waiting(&self, stream: std::net::TcpStream, peer: IpAddr) {
        let stream = stream
            .set_nonblocking(true)
            .and_then(|()| TcpStream::from_std(stream));
        match stream {
            Ok(stream) => self.begin(stream, peer),
            Err(error) => tracing::error!(%error, "a waiting connection could not be taken"),
        }
    }

    /// Serves a connection. Beyond the limit and the extra places it is closed at once.
    fn begin(&self, stream: TcpStream, peer: IpAddr) {
        let place = self.places.take(peer);
        let extra = match place {
            Some(_) => None,
            None => match Arc::clone(&self.extra).try_acquire_owned() {
                Ok(extra) => Some(extra),
                Err(_) => return,
            },
        };
        let connection = self.clone();
        tokio::spawn(async move {
            if let Err(error) = connection.run(stream, peer, place).await {
                tracing::debug!(%error, "a connection ended");
            }
            drop(extra);
        });
    }

    async fn run(
        mut self,
        stream: TcpStream,
        peer: IpAddr,
        place: Option<Arc<ConnectionPermit>>,
    ) -> io::Result<()> {
        // Answers are written at once and whole.
        stream.set_nodelay(true)?;
        bound(&stream, self.patience);
        let closes = place.clone();
        let closing = async move {
            match closes {
                Some(place) => place.closing().await,
                None => sleep(CLOSING).await,
            }
        };
        let mut closing = pin!(closing);
        let abandons = place.clone();
        let abandoned = abandons.as_deref().map(ConnectionPermit::abandoned);
        let mut abandoned = pin!(OptionFuture::from(abandoned));
        let begins = tokio::select! {
            biased;
            begins = self.first_bytes(&stream) => begins?,
            () = &mut closing => return Ok(()),
        };
        let Some(begins) = begins else {
            return Ok(());
        };
        let watched = TrackedConnection {
            router: self.router,
            crowded: self.crowded,
            allowed_hosts: self.allowed_hosts,
            place: place.clone(),
        };
        let service = TowerToHyperService::new(MapRequest::new(watched, with_peer(peer)));
        let builder = builder(place.is_some(), begins);
        let io = TokioIo::new(FrameLimit::new(stream));
        let mut serving = pin!(builder.serve_connection_with_upgrades(io, service));
        let mut ending = self.ending;
        let mut ends = pin!(async move { drop(ending.wait_for(|ending| *ending).await) });
        tokio::select! {
            // First what has arrived, so that ending the connection does not drop it.
            biased;
            served = serving.as_mut() => return served.map_err(io::Error::other),
            Some(()) = &mut abandoned => return Ok(()),
            () = &mut ends => serving.as_mut().graceful_shutdown(),
            () = &mut closing => {
                serving.as_mut().graceful_shutdown();
                match timeout(CLOSING, serving.as_mut()).await {
                    Ok(served) => return served.map_err(io::Error::other),
                    Err(_) if place.is_none_or(|place| place.is_idle()) => return Ok(()),
                    Err(_) => {}
                }
            }
        }
        let _open = self.open;
        tokio::select! {
            served = serving => served.map_err(io::Error::other),
            Some(()) = abandoned => Ok(()),
        }
    }

    /// Waits for the first bytes of a connection. `None` for one on which nothing is asked.
    async fn first_bytes(&mut self, stream: &TcpStream) -> io::Result<Option<Begins>> {
        let mut first = [0; PREFACE.len()];
        let patience = async {
            let ending = timeout(HEADERS, self.ending.wait_for(|ending| *ending))
                .await
                .is_ok();
            if ending {
                sleep(FIRST_BYTE).await;
            }
        };
        tokio::select! {
            biased;
            peeked = stream.peek(&mut first) => Ok(match peeked? {
                0 => None,
                length if PREFACE.starts_with(&first[..length]) => Some(Begins::Http2),
                _ => Some(Begins::Http1),
            }),
            () = patience => Ok(None),
        }
    }
}
