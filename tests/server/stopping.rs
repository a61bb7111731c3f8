//! A server that is told to stop finishes what it has taken.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::support::{Answer, start};

#[tokio::test]
async fn what_runs_is_finished_and_then_the_server_ends() {
    let mut server = start(&[]).await;
    let client = server.client.clone();
    let url = server.url("/graphql");
    let running = tokio::spawn(async move {
        let request = client.post(url).json(&json!({ "query": "{ wait }" }));
        Answer::read(request.send().await.unwrap()).await
    });
    server.probe.waiting(1).await;
    server.stop();
    // The listener closes while the request still runs.
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!running.is_finished());
    server.probe.release(1);
    let answer = running.await.unwrap();
    assert_eq!(answer.body, json!({ "data": { "wait": "done" } }));
    assert_eq!(answer.header("connection"), Some("close"));
    (&mut server.ended).await.unwrap();
}

#[tokio::test]
async fn it_says_that_it_is_not_ready_and_still_answers_during_the_grace() {
    let mut server = start(&["--drain-grace", "60s"]).await;
    server.stop();
    let ready = loop {
        let request = server.client.get(server.url("/readyz"));
        let answer = Answer::read(request.send().await.unwrap()).await;
        if answer.status == 503 {
            break answer;
        }
    };
    assert_eq!(ready.body, json!("stopping\n"));
    server.still_answers().await;
    server.ended.abort();
}

#[tokio::test]
async fn an_idle_connection_does_not_keep_it() {
    let mut server = start(&[]).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    server.still_answers().await;
    server.stop();
    (&mut server.ended).await.unwrap();
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_request_that_does_not_end_is_left_after_the_limit() {
    let mut server = start(&["--drain-timeout", "100ms"]).await;
    let client = server.client.clone();
    let url = server.url("/graphql");
    tokio::spawn(
        client
            .post(url)
            .json(&json!({ "query": "{ wait }" }))
            .send(),
    );
    server.probe.waiting(1).await;
    server.stop();
    (&mut server.ended).await.unwrap();
}

#[tokio::test]
async fn connections_that_have_asked_are_answered_under_load() {
    let mut server = start(&[]).await;
    let mut streams = Vec::new();
    let body = r#"{"query":"mutation { bump }"}"#;
    let request = format!(
        "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..100 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    server.stop();
    for mut stream in streams {
        let mut answer = String::new();
        let mut buffer = [0; 4096];
        while !answer.contains("bump\":") {
            let read = stream.read(&mut buffer).await.expect("it is not reset");
            assert!(read > 0, "it ended early: {answer:?}");
            answer.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    (&mut server.ended).await.unwrap();
    assert_eq!(server.probe.bumps(), 100);
}

#[tokio::test]
async fn clients_that_keep_asking_lose_no_answer() {
    let mut server = start(&["--drain-grace", "2s"]).await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        let client = reqwest::Client::new();
        let url = server.url("/graphql");
        clients.push(tokio::spawn(async move {
            let mut answered = 0;
            loop {
                let request = client
                    .post(&url)
                    .json(&json!({ "query": "mutation { bump }" }));
                match request.send().await {
                    Ok(response) => {
                        assert_eq!(Answer::read(response).await.code(), None);
                        answered += 1;
                    }
                    Err(error) if error.is_connect() => return answered,
                    Err(error) => panic!("an accepted request was dropped: {error:?}"),
                }
            }
        }));
    }
    while server.probe.bumps() < 100 {
        tokio::task::yield_now().await;
    }
    server.stop();
    (&mut server.ended).await.unwrap();
    let mut answered = 0;
    for client in clients {
        answered += client.await.unwrap();
    }
    assert_eq!(answered, server.probe.bumps());
}
