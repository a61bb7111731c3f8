//! A client of graphql-transport-ws that says what it is told to, right or wrong.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

/// A bound on waiting for what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(30);

pub const WATCH: &str = "subscription($ids: [ID!], $kinds: [ApplicationChangeKind!]) {
    applicationChanged(ids: $ids, kinds: $kinds) {
        kind applicationId version application { companyName notes } } }";

pub struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Connects, with headers.
    ///
    /// # Errors
    /// The status that the server answers instead.
    pub async fn connect(url: &str, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let url = url.replace("http://", "ws://");
        let mut request = url.into_client_request().expect("a URL");
        let protocol = ("sec-websocket-protocol", "graphql-transport-ws");
        for (name, value) in [&[protocol], headers].concat() {
            let value = HeaderValue::from_str(value).expect("a header");
            if value.is_empty() {
                request.headers_mut().remove(name)
            } else {
                request
                    .headers_mut()
                    .insert(HeaderName::from_static(name), value)
            };
        }
        let host = request.uri().authority().expect("a host").to_string();
        // A small buffer, so that a client which does not read is soon felt.
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(16 * 1024).expect("a size");
        let address = host.parse().expect("an address");
        let stream = socket.connect(address).await.expect("it listens");
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((stream, _response)) => Ok(Self(stream)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("no handshake: {error}"),
        }
    }

    /// Connects to an open server, and is acknowledged.
    pub async fn open(url: &str) -> Self {
        let mut socket = Self::connect(url, &[]).await.expect("it lets us in");
        socket.say(json!({ "type": "connection_init" })).await;
        assert_eq!(socket.hear().await, json!({ "type": "connection_ack" }));
        socket
    }

    pub async fn say(&mut self, message: Value) {
        self.say_text(&message.to_string()).await;
    }

    pub async fn say_text(&mut self, text: &str) {
        self.send(Message::text(text)).await;
    }

    pub async fn send(&mut self, message: Message) {
        self.0.send(message).await.expect("the server takes it");
    }

    /// Closes the connection with a code.
    pub async fn close(&mut self, code: u16) {
        let reason = "".into();
        let frame = CloseFrame {
            code: code.into(),
            reason,
        };
        self.send(Message::Close(Some(frame))).await;
    }

    /// Sends bytes past the protocol.
    pub async fn raw(&mut self, bytes: &[u8]) {
        let stream = self.0.get_mut();
        stream.write_all(bytes).await.expect("the server reads");
    }

    /// Begins an operation, and waits until it runs: messages are taken one after another.
    pub async fn subscribe(&mut self, id: &str, query: &str, variables: Value) {
        self.ask(id, query, variables).await;
        self.say(json!({ "type": "ping" })).await;
        assert_eq!(self.hear().await, json!({ "type": "pong" }));
    }

    /// Begins an operation.
    pub async fn ask(&mut self, id: &str, query: &str, variables: Value) {
        let payload = json!({ "query": query, "variables": variables });
        let message = json!({ "type": "subscribe", "id": id, "payload": payload });
        self.say(message).await;
    }

    /// The next message.
    pub async fn hear(&mut self) -> Value {
        match self.frame().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("no message but {other:?}"),
        }
    }

    /// The next message, or `None` if the server closes the connection.
    pub async fn heard(&mut self) -> Option<Value> {
        match self.frame().await? {
            Message::Text(text) => Some(serde_json::from_str(&text).expect("JSON")),
            _ => None,
        }
    }

    /// The `data` of the next message, which is operation `id`'s.
    pub async fn next(&mut self, id: &str) -> Value {
        let message = self.hear().await;
        assert_eq!(
            (&message["type"], &message["id"]),
            (&json!("next"), &json!(id)),
            "{message:#}"
        );
        message["payload"]["data"].clone()
    }

    /// The code of the error that is the next message, which ends operation `id`.
    pub async fn error(&mut self, id: &str) -> String {
        let message = self.hear().await;
        assert_eq!(
            (&message["type"], &message["id"]),
            (&json!("error"), &json!(id)),
            "{message:#}"
        );
        let code = &message["payload"][0]["extensions"]["code"];
        code.as_str().expect("a code").to_owned()
    }

    /// Why the server closes the connection: that is the next thing that comes.
    pub async fn closed(&mut self) -> u16 {
        match self.frame().await {
            Some(Message::Close(Some(frame))) => frame.code.into(),
            other => panic!("no reason but {other:?}"),
        }
    }

    async fn frame(&mut self) -> Option<Message> {
        loop {
            let received = timeout(PATIENCE, self.0.next()).await.expect("it comes");
            match received {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(message)) => return Some(message),
                Some(Err(_)) | None => return None,
            }
        }
    }
}
