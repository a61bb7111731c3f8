//! Ends HTTP/2 connections whose client keeps sending frames that ask for nothing: SETTINGS, PING, WINDOW_UPDATE, PRIORITY,
//! RST_STREAM and empty DATA. Each is cheap to send and has to be looked at, some have to be answered.
//! Source: RFC 9113 sections 3.4, 4.1 and 10.5.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How a connection begins whose client speaks HTTP/2 without having asked: section 3.4.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes before the payload of a frame.
const HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const END_STREAM: u8 = 1;

/// Frames that a client may send at once without asking for anything.
const MOST: u64 = 1_000;
/// What comes back of them in a second.
const PER_SECOND: u64 = 100;
/// What comes back of them with each request: clients set priorities, cancel, and open windows.
const PER_REQUEST: u64 = 4;
/// Bytes that the client is sent for each frame that comes back: it opens its window again for what it has read.
const PER_FRAME: u64 = 1_024;

/// A connection whose client's HTTP/2 frames are counted. Other protocols pass.
pub(super) struct FrameLimit<I> {
    io: I,
    reading: Reading,
    credit: Credit,
}

/// Where in the client's bytes the connection is.
enum Reading {
    /// So many bytes of the preface have come.
    Preface(usize),
    /// It is not HTTP/2.
    Other,
    /// In the head of a frame.
    Head([u8; HEAD], usize),
    /// In the payload of a frame, of which so many bytes are to come.
    Payload(usize),
}

/// What a client may send.
struct Credit {
    frames: u64,
    refilled: Instant,
    /// Bytes sent to the client that no frame came back for yet.
    sent: u64,
}

impl<I> FrameLimit<I> {
    pub(super) fn new(io: I) -> Self {
        Self {
            io,
            reading: Reading::Preface(0),
            credit: Credit {
                frames: MOST,
                refilled: Instant::now(),
                sent: 0,
            },
        }
    }

    /// Looks at what the client has sent. Whether it may go on.
    fn look(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            match &mut self.reading {
                Reading::Other => return true,
                Reading::Preface(have) => {
                    let wanted = &PREFACE[*have..];
                    let same = wanted.len().min(bytes.len());
                    if wanted[..same] != bytes[..same] {
                        self.reading = Reading::Other;
                        return true;
                    }
                    bytes = &bytes[same..];
                    self.reading = if same == wanted.len() {
                        Reading::Head([0; HEAD], 0)
                    } else {
                        Reading::Preface(*have + same)
                    };
                }
                Reading::Head(head, have) => {
                    let more = (HEAD - *have).min(bytes.len());
                    head[*have..*have + more].copy_from_slice(&bytes[..more]);
                    bytes = &bytes[more..];
                    *have += more;
                    if *have < HEAD {
                        return true;
                    }
                    let [high, middle, low, kind, flags, ..] = *head;
                    let length = u32::from_be_bytes([0, high, middle, low]) as usize;
                    self.reading = payload(length);
                    if !self.credit.spend(kind, flags, length) {
                        return false;
                    }
                }
                Reading::Payload(left) => {
                    let passed = (*left).min(bytes.len());
                    bytes = &bytes[passed..];
                    self.reading = payload(*left - passed);
                }
            }
        }
        true
    }
}

fn payload(left: usize) -> Reading {
    match left {
        0 => Reading::Head([0; HEAD], 0),
        _ => Reading::Payload(left),
    }
}

impl Credit {
    /// Counts a frame. Whether the client may send it.
    fn spend(&mut self, kind: u8, flags: u8, length: usize) -> bool {
        match kind {
            HEADERS => {
                self.give(PER_REQUEST);
                return true;
            }
            DATA if length > 0 || flags & END_STREAM != 0 => return true,
            _ => {}
        }
        if self.frames == 0 {
            let passed = self.refilled.elapsed();
            self.refilled += passed;
            let passed = u64::try_from(passed.as_micros()).unwrap_or(u64::MAX);
            self.give(passed.saturating_mul(PER_SECOND) / 1_000_000);
        }
        match self.frames.checked_sub(1) {
            Some(left) => {
                self.frames = left;
                true
            }
            None => false,
        }
    }

    fn sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
        let frames = self.sent / PER_FRAME;
        self.sent %= PER_FRAME;
        self.give(frames);
    }

    fn give(&mut self, frames: u64) {
        self.frames = self.frames.saturating_add(frames).min(MOST);
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for FrameLimit<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(context, buffer))?;
        Poll::Ready(if self.look(&buffer.filled()[before..]) {
            Ok(())
        } else {
            Err(io::Error::other(
                "the client sends too many frames that ask for nothing",
            ))
        })
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for FrameLimit<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.io).poll_write(context, bytes))?;
        self.credit.sent(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.io).poll_write_vectored(context, slices))?;
        self.credit.sent(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
