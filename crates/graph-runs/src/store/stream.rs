//! Reading a stored graph as a stream, parsed on a thread of its own while it arrives.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use object_store::{GetResult, WriteMultipart};
use tokio::sync::mpsc;

use crate::error::StoreError;
use trestle_files::FilesError;
use trestle_terraform::stored::{GraphProblem, Visitor, read};

/// How many pieces may wait for the parser.
const AHEAD: usize = 8;
/// How many parts may be under way to the store.
const PARTS: usize = 2;

struct Arriving {
    pieces: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len());
        self.piece.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

/// Lets `visitor` see a stored graph, and copies every byte that it sees to `copy`.
///
/// # Errors
/// [`StoreError`] where the store fails; within, what is wrong with the graph.
pub async fn visit<V: Visitor + Send + 'static>(
    stored: GetResult,
    mut visitor: V,
    mut copy: Option<&mut WriteMultipart>,
) -> Result<Result<V, GraphProblem>, StoreError> {
    let (pieces, arriving) = mpsc::channel(AHEAD);
    let parsing = tokio::task::spawn_blocking(move || {
        let arriving = Arriving {
            pieces: arriving,
            piece: Bytes::new(),
        };
        // The parser asks for a byte at a time.
        let arriving = io::BufReader::with_capacity(64 * 1024, arriving);
        read(arriving, &mut visitor).map(|()| visitor)
    });
    let mut stream = stored.into_stream();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(FilesError::from)?;
        if let Some(copy) = &mut copy {
            copy.wait_for_capacity(PARTS)
                .await
                .map_err(FilesError::from)?;
            copy.put(piece.clone());
        }
        // The parser has gone: it says why.
        if pieces.send(piece).await.is_err() {
            break;
        }
    }
    drop(pieces);
    match parsing.await {
        Ok(parsed) => Ok(parsed),
        Err(_) => Err(StoreError::LostGraph("its parser panicked".to_owned())),
    }
}
