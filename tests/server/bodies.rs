//! Requests that are refused before their body has arrived: a client that sends all of it first reads the answer.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::process::Process;

/// A request that is refused whatever its body contains.
#[derive(Clone, Copy, Debug)]
struct Refused {
    head: &'static str,
    status: &'static str,
}

const REFUSED: [Refused; 5] = [
    Refused {
        head: "POST /nope HTTP/1.1\r\ncontent-type: application/json",
        status: "404",
    },
    Refused {
        head: "PUT /livez HTTP/1.1\r\ncontent-type: text/plain",
        status: "405",
    },
    Refused {
        head: "POST /graphql HTTP/1.1\r\ncontent-type: text/plain",
        status: "415",
    },
    Refused {
        head: "PUT /graphql HTTP/1.1\r\ncontent-type: application/json",
        status: "405",
    },
    Refused {
        head: "POST /graphql HTTP/1.1\r\ncontent-type: application/json\r\naccept-encoding: identity;q=0",
        status: "406",
    },
];

/// How a body is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Length,
    Chunks,
}

const PART: usize = 64 * 1024;

/// Sends all of a request, and then reads the status of the answer.
async fn status(
    process: &Process,
    head: &str,
    framing: Framing,
    parts: usize,
) -> io::Result<String> {
    let url = reqwest::Url::parse(&process.url).unwrap();
    let address = url.socket_addrs(|| None).unwrap()[0];
    let mut stream = TcpStream::connect(address).await?;
    let length = match framing {
        Framing::Length => format!("content-length: {}", parts * PART),
        Framing::Chunks => "transfer-encoding: chunked".to_owned(),
    };
    let head = format!("{head}\r\nhost: {address}\r\n{length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let part = vec![b' '; PART];
    for _ in 0..parts {
        if framing == Framing::Chunks {
            stream.write_all(format!("{PART:x}\r\n").as_bytes()).await?;
        }
        stream.write_all(&part).await?;
        if framing == Framing::Chunks {
            stream.write_all(b"\r\n").await?;
        }
    }
    if framing == Framing::Chunks {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer[9..]).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_sends_all_of_a_refused_body_reads_the_answer() {
    let process = Process::start(&[]).await;
    for refused in REFUSED {
        for framing in [Framing::Length, Framing::Chunks] {
            for parts in [4, 16, 120] {
                let case = format!("{refused:?}, {framing:?}, {parts}");
                for _ in 0..3 {
                    let found = status(&process, refused.head, framing, parts).await;
                    let found = found.unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert_eq!(found, refused.status, "{case}");
                }
            }
        }
    }
    // One that is too large is refused by its length, or once so much has arrived.
    let head = "POST /graphql HTTP/1.1\r\ncontent-type: application/json";
    for framing in [Framing::Length, Framing::Chunks] {
        let found = status(&process, head, framing, 120).await;
        let found = found.unwrap_or_else(|error| panic!("{framing:?}: {error}"));
        assert_eq!(found, "413", "{framing:?}");
    }
}
