//! The provider's keys over time: rotated, withdrawn, not to be had.

use axum::http::StatusCode;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use trestle_server::Authenticate;
use trestle_server::authentication::Authenticator;

use crate::authentication::provider::{Answer, Key, Provider};
use crate::authentication::{NOON, TestClock, authenticator, bearer};

fn claims() -> Value {
    json!({ "iss": "https://id.example/", "aud": "trestle", "sub": "ada", "exp": NOON + 86_400 })
}

fn against(provider: &Provider, clock: &TestClock) -> Authenticator {
    let url = provider.jwks_url();
    let flags = [
        "--jwt-issuer",
        "https://id.example/",
        "--jwt-audience",
        "trestle",
        "--jwt-jwks-url",
        &url,
    ];
    authenticator(&flags, clock)
}

async fn accepts(authenticator: &Authenticator, key: &Key) -> bool {
    authenticator
        .authenticate(&bearer(&key.sign(&claims())))
        .await
        .is_ok()
}

#[tokio::test]
async fn a_rotated_key_is_fetched_when_a_token_first_names_it() {
    let (old, new) = (Key::ec("old"), Key::ec("new"));
    let provider = Provider::start(&[&old]).await;
    let clock = TestClock::at_noon();
    let authenticator = against(&provider, &clock);

    assert!(accepts(&authenticator, &old).await);
    assert!(accepts(&authenticator, &old).await);
    assert_eq!(provider.times_asked(), 1, "a known key is not asked for");

    provider.publish(&[&old, &new]);
    assert!(
        !accepts(&authenticator, &new).await,
        "the provider was asked a moment ago"
    );
    assert_eq!(provider.times_asked(), 1);

    clock.advance(10);
    assert!(accepts(&authenticator, &new).await);
    assert!(accepts(&authenticator, &old).await);
    assert_eq!(provider.times_asked(), 2);
}

#[tokio::test]
async fn invented_key_ids_cost_the_provider_one_request_an_interval() {
    let known = Key::ec("known");
    let provider = Provider::start(&[&known]).await;
    let clock = TestClock::at_noon();
    let authenticator = against(&provider, &clock);
    let forged: Vec<String> = (0..50)
        .map(|n| {
            Key {
                id: format!("invented-{n}"),
                ..Key::ec("")
            }
            .sign(&claims())
        })
        .collect();

    let together = forged.iter().map(|token| {
        let authenticator = authenticator.clone();
        let headers = bearer(token);
        tokio::spawn(async move { authenticator.authenticate(&headers).await.is_ok() })
    });
    for answer in futures_util::future::join_all(together).await {
        assert!(!answer.expect("no panic"));
    }
    assert_eq!(provider.times_asked(), 1);
    assert!(accepts(&authenticator, &known).await);

    clock.advance(10);
    assert!(
        authenticator
            .authenticate(&bearer(&forged[0]))
            .await
            .is_err()
    );
    assert!(
        authenticator
            .authenticate(&bearer(&forged[1]))
            .await
            .is_err()
    );
    assert_eq!(provider.times_asked(), 2);
}

#[tokio::test]
async fn keys_go_on_serving_while_the_provider_does_not_answer() {
    let key = Key::rsa("only");
    let provider = Provider::start(&[&key]).await;
    let clock = TestClock::at_noon();
    let authenticator = against(&provider, &clock);
    authenticator.warm_up().await;
    assert_eq!(provider.times_asked(), 1);

    for answer in [
        Answer::Status(StatusCode::INTERNAL_SERVER_ERROR),
        Answer::Status(StatusCode::FOUND),
        Answer::Raw(b"<html>".to_vec()),
        Answer::Raw(br#"{"keys":{}}"#.to_vec()),
        Answer::Raw(vec![b' '; 200 * 1024]),
    ] {
        provider.answer(answer);
        clock.advance(601);
        let asked = provider.times_asked();
        assert!(accepts(&authenticator, &key).await);
        // Until the renewal behind that request is through: this one waits for its turn.
        authenticator.warm_up().await;
        assert_eq!(provider.times_asked(), asked + 1);
        assert!(accepts(&authenticator, &key).await);
    }
}

#[tokio::test]
async fn a_withdrawn_key_stops_serving_after_the_renewal() {
    let (stays, goes) = (Key::ed("stays"), Key::ed("goes"));
    let provider = Provider::start(&[&stays, &goes]).await;
    let clock = TestClock::at_noon();
    let authenticator = against(&provider, &clock);
    assert!(accepts(&authenticator, &goes).await);

    provider.publish(&[&stays]);
    clock.advance(601);
    assert!(accepts(&authenticator, &stays).await, "starts the renewal");
    authenticator.warm_up().await;
    assert!(!accepts(&authenticator, &goes).await);
    assert!(accepts(&authenticator, &stays).await);
}

#[tokio::test]
async fn a_set_that_was_read_replaces_the_former_one_whatever_it_has() {
    let secret = json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "goes", "alg": "HS256" });
    let unknown = json!({ "kty": "AKP", "alg": "ML-DSA-44", "kid": "goes", "pub": "AAAA" });
    let other = Key::ec("other").jwk;
    let same_id = Key::rsa("goes").jwk;
    for set in [
        vec![],
        vec![secret],
        vec![unknown],
        vec![json!("nonsense")],
        vec![other],
        vec![same_id],
    ] {
        let goes = Key::rsa("goes");
        let provider = Provider::start(&[&goes]).await;
        let clock = TestClock::at_noon();
        let authenticator = against(&provider, &clock);
        assert!(accepts(&authenticator, &goes).await);

        provider.answer(Answer::Keys(set.clone()));
        clock.advance(601);
        assert!(accepts(&authenticator, &goes).await, "starts the renewal");
        authenticator.warm_up().await;
        assert!(!accepts(&authenticator, &goes).await, "{set:?}");

        provider.publish(&[&goes]);
        clock.advance(10);
        assert!(accepts(&authenticator, &goes).await, "{set:?}");
    }
}

#[tokio::test]
async fn a_new_key_with_the_id_of_an_old_one_is_fetched_after_ten_seconds() {
    for (old, new) in [
        (Key::rsa("same"), Key::rsa("same")),
        (Key::ec("same"), Key::ec("same")),
        (Key::ed("same"), Key::ed("same")),
        (Key::rsa("same"), Key::ec("same")),
    ] {
        let provider = Provider::start(&[&old]).await;
        let clock = TestClock::at_noon();
        let authenticator = against(&provider, &clock);
        assert!(accepts(&authenticator, &old).await);
        provider.publish(&[&new]);
        assert!(!accepts(&authenticator, &new).await);
        assert_eq!(
            provider.times_asked(),
            1,
            "the provider was asked a moment ago"
        );
        clock.advance(10);
        assert!(accepts(&authenticator, &new).await);
        assert!(!accepts(&authenticator, &old).await);
        assert_eq!(provider.times_asked(), 2);
    }
}

#[tokio::test]
async fn a_token_without_a_key_id_is_tried_with_each_key_of_its_algorithm() {
    let pairs = || {
        [
            [Key::rsa("one"), Key::rsa("two")],
            [Key::ec("one"), Key::ec("two")],
            [Key::ed("one"), Key::ed("two")],
        ]
    };
    for (kind, [one, two]) in pairs().into_iter().enumerate() {
        for keys_have_ids in [true, false] {
            let mut published = vec![two.jwk.clone(), one.jwk.clone()];
            if !keys_have_ids {
                for jwk in &mut published {
                    jwk.as_object_mut().expect("a key").remove("kid");
                }
            }
            for named in [None, Some("one"), Some("two"), Some("other")] {
                let provider = Provider::start(&[]).await;
                provider.answer(Answer::Keys(published.clone()));
                let authenticator = against(&provider, &TestClock::at_noon());
                let mut header = one.header();
                header.kid = named.map(str::to_owned);
                let token = one.sign_with(&header, &claims());
                let accepted = authenticator.authenticate(&bearer(&token)).await.is_ok();
                let fits = named.is_none() || (keys_have_ids && named == Some("one"));
                assert_eq!(accepted, fits, "{kind} {keys_have_ids} {named:?}");
                // A key that the provider does not have opens nothing, named or not.
                let [forger, _] = &pairs()[kind];
                let forged = forger.sign_with(&header, &claims());
                assert!(authenticator.authenticate(&bearer(&forged)).await.is_err());
            }
        }
    }
}

#[tokio::test]
async fn a_provider_that_answers_late_is_asked_again() {
    let key = Key::ec("only");
    let provider = Provider::start(&[&key]).await;
    provider.answer(Answer::Status(StatusCode::SERVICE_UNAVAILABLE));
    let clock = TestClock::at_noon();
    let authenticator = against(&provider, &clock);
    authenticator.warm_up().await;
    assert!(!accepts(&authenticator, &key).await);

    provider.publish(&[&key]);
    clock.advance(10);
    assert!(accepts(&authenticator, &key).await);
}

#[tokio::test]
async fn a_provider_that_hangs_makes_few_requests_wait() {
    let known = Key::ec("known");
    let provider = Provider::start(&[&known]).await;
    let clock = TestClock::at_noon();
    let authenticator = against(&provider, &clock);
    authenticator.warm_up().await;
    clock.advance(10);

    let shut = provider.gate.write().await;
    let forged = Key {
        id: "invented".into(),
        ..Key::ec("")
    };
    let headers = bearer(&forged.sign(&claims()));
    let mut requests: FuturesUnordered<_> = (0..40)
        .map(|_| {
            let (authenticator, headers) = (authenticator.clone(), headers.clone());
            tokio::spawn(async move { authenticator.authenticate(&headers).await.is_ok() })
        })
        .collect();
    for _ in 0..8 {
        let answer = requests.next().await.expect("a request");
        assert!(!answer.expect("no panic"));
    }
    assert!(accepts(&authenticator, &known).await);
    assert!(requests.next().now_or_never().is_none(), "32 wait");

    drop(shut);
    while let Some(answer) = requests.next().await {
        assert!(!answer.expect("no panic"));
    }
    assert_eq!(provider.times_asked(), 2);
}

#[tokio::test]
async fn a_key_set_of_unreasonable_size_is_not_taken() {
    let key = Key::ec("only");
    let provider = Provider::start(&[]).await;
    for (padding, right) in [(100 * 1024, true), (128 * 1024, false)] {
        let mut set = json!({ "keys": [key.jwk] }).to_string().into_bytes();
        set.extend(std::iter::repeat_n(b' ', padding));
        provider.answer(Answer::Raw(set));
        let authenticator = against(&provider, &TestClock::at_noon());
        assert_eq!(accepts(&authenticator, &key).await, right, "{padding}");
    }
}

#[tokio::test]
async fn keys_of_unknown_kinds_do_not_hide_the_others() {
    let key = Key::ec("only");
    let provider = Provider::start(&[]).await;
    provider.answer(Answer::Keys(vec![
        json!({ "kty": "AKP", "alg": "ML-DSA-44", "kid": "new", "pub": "AAAA" }),
        json!({ "kty": "EC", "crv": "secp256k1", "kid": "k1", "x": "AAAA", "y": "AAAA" }),
        json!({ "kty": "RSA", "kid": "half" }),
        json!("nonsense"),
        key.jwk.clone(),
    ]));
    let authenticator = against(&provider, &TestClock::at_noon());
    assert!(accepts(&authenticator, &key).await);
}
