//! A proxy ahead of a store's port that breaks connections as networks do: half way through a request, half
//! way through an answer, ahead of the answer, or by an answer that comes later than anyone waits.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::faults::Seeded;

/// What goes wrong with one request on its connection.
#[derive(Clone, Copy, Debug)]
enum Break {
    /// The store sees half of the request.
    Request,
    /// The store does what was asked, and half of its answer arrives.
    Answer,
    /// The store does what was asked, and nothing of its answer arrives.
    NoAnswer,
    /// The store does what was asked, and its answer is held back until the one who asked gives up.
    Late,
}

const ALL: [Break; 4] = [Break::Request, Break::Answer, Break::NoAnswer, Break::Late];

struct Plan {
    random: Option<(Seeded, u64)>,
    broken: [u64; ALL.len()],
}

/// Counts a request in the store's hands until its answer has come.
struct UnderWay<'w>(&'w watch::Sender<u64>);

impl<'w> UnderWay<'w> {
    fn new(count: &'w watch::Sender<u64>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A running proxy. Clones steer the same one.
#[derive(Clone)]
pub struct Wire {
    pub address: SocketAddr,
    plan: Arc<Mutex<Plan>>,
    under_way: Arc<watch::Sender<u64>>,
}

impl Wire {
    /// A proxy of the port `behind`. Nothing breaks until it is told to.
    pub async fn start(behind: SocketAddr) -> Self {
        let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = front.local_addr().unwrap();
        let plan = Arc::new(Mutex::new(Plan {
            random: None,
            broken: [0; ALL.len()],
        }));
        let wire = Self {
            address,
            plan,
            under_way: Arc::default(),
        };
        let served = wire.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = front.accept().await {
                let wire = served.clone();
                // A connection that ends early is what this is for.
                tokio::spawn(async move { wire.pass_on(client, behind).await.ok() });
            }
        });
        wire
    }

    /// So many of a thousand requests break, as `random` draws.
    pub fn draw(&self, random: Seeded, per_thousand: u64) {
        self.plan.lock().unwrap().random = Some((random, per_thousand));
    }

    /// Nothing breaks any more, and the store has answered everything, also what nobody waits for.
    pub async fn stop(&self) {
        self.plan.lock().unwrap().random = None;
        let mut under_way = self.under_way.subscribe();
        under_way.wait_for(|count| *count == 0).await.unwrap();
    }

    /// How many requests were broken, in each way.
    pub fn broken(&self) -> [u64; ALL.len()] {
        self.plan.lock().unwrap().broken
    }

    fn fate(&self) -> Option<Break> {
        let mut plan = self.plan.lock().unwrap();
        let (random, per_thousand) = plan.random.as_mut()?;
        if random.below(1000) >= *per_thousand {
            return None;
        }
        // Each way in its turn, so that none is left out.
        let which = plan.broken.iter().sum::<u64>() as usize % ALL.len();
        plan.broken[which] += 1;
        Some(ALL[which])
    }

    async fn pass_on(&self, mut client: TcpStream, behind: SocketAddr) -> std::io::Result<()> {
        let mut server = TcpStream::connect(behind).await?;
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        while let Some(request) = message(&mut client, &mut asked).await? {
            let fate = self.fate();
            if let Some(Break::Request) = fate {
                return server.write_all(&request[..request.len() / 2]).await;
            }
            let under_way = UnderWay::new(&self.under_way);
            server.write_all(&request).await?;
            let Some(answer) = message(&mut server, &mut answered).await? else {
                return Ok(());
            };
            drop(under_way);
            match fate {
                None | Some(Break::Request) => client.write_all(&answer).await?,
                Some(Break::Answer) => return client.write_all(&answer[..answer.len() / 2]).await,
                Some(Break::NoAnswer) => return Ok(()),
                Some(Break::Late) => {
                    let mut rest = Vec::new();
                    return client.read_to_end(&mut rest).await.map(drop);
                }
            }
        }
        Ok(())
    }
}

/// The next whole message of HTTP/1.1 with a length; `None` at the end. `read` keeps what came beyond it.
async fn message(from: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(length) = length(read).filter(|length| *length <= read.len()) {
            let rest = read.split_off(length);
            return Ok(Some(std::mem::replace(read, rest)));
        }
        if from.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
}

/// How long the message is that begins here, once its head has come.
fn length(read: &[u8]) -> Option<usize> {
    let head = read.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
    let body = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    Some(head + body.map_or(0, |length| length.trim().parse().expect("a length")))
}
