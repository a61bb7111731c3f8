//! Backups to a bucket of S3, here moto's.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use trestle_testing::moto::Moto;

use crate::commands::run::Folder;
use crate::commands::store::{create, listed, serve};
use crate::process::Process;

/// A bound on waiting for what has to come.
const PATIENCE: Duration = Duration::from_secs(120);

struct Bucket {
    moto: Moto,
    http: reqwest::Client,
}

impl Bucket {
    async fn start() -> Option<Self> {
        let bucket = Self {
            moto: Moto::start()?,
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
        };
        bucket.put("", Vec::new()).await;
        Some(bucket)
    }

    fn url(&self, key: &str) -> String {
        format!("{}/backups/{key}", self.moto.endpoint)
    }

    async fn put(&self, key: &str, body: Vec<u8>) {
        let answer = self.http.put(self.url(key)).body(body).send().await;
        assert!(answer.unwrap().status().is_success());
    }

    async fn get(&self, key: &str) -> Vec<u8> {
        let answer = self.http.get(self.url(key)).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{key}");
        answer.bytes().await.unwrap().to_vec()
    }

    async fn keys(&self) -> BTreeSet<String> {
        let list = self.http.get(self.url("?list-type=2")).send();
        let list = list.await.unwrap().text().await.unwrap();
        let keys = list.split("<Key>").skip(1);
        keys.map(|rest| rest.split('<').next().unwrap().to_owned())
            .collect()
    }

    /// A server that makes backups here.
    async fn serve(&self, folder: &Folder, to: &str) -> Process {
        let data = folder.data();
        let arguments = ["--data", data.to_str().unwrap(), "--backup-to", to];
        let often = ["--backup-every", "200ms", "--backup-keep", "2"];
        let environment = [
            ("AWS_ENDPOINT_URL_S3", self.moto.endpoint.as_str()),
            ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI"),
            ("AWS_REGION", "eu-central-1"),
        ];
        Process::start_with(&[&arguments[..], &often].concat(), &environment).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_makes_backups_in_a_bucket_and_keeps_the_newest() {
    let Some(bucket) = Bucket::start().await else {
        return;
    };
    let folder = Folder::new();
    // More than one part of an upload.
    let artifact = folder.data().join("artifacts/files/uploads/large.tf");
    fs::create_dir_all(artifact.parent().unwrap()).unwrap();
    let large: Vec<u8> = (0..20_000_000_u32).map(|n| (n % 251) as u8).collect();
    fs::write(&artifact, &large).unwrap();
    // What others keep there, stays.
    let others = [
        "daily/notes.txt",
        "daily/trestle-before-the-move.tar",
        "daily-2025/trestle-20250101T000000000Z.tar",
        "trestle-20250101T000000000Z.tar",
    ];
    for key in others {
        bucket.put(key, b"of others".to_vec()).await;
    }
    let server = bucket.serve(&folder, "s3://backups/daily/").await;
    let made = create(&server, "Acme").await.unwrap();
    let backups = async || {
        let mut keys = bucket.keys().await;
        keys.retain(|key| key.starts_with("daily/trestle-2") && !others.contains(&key.as_str()));
        keys
    };
    let first = backups().await;
    let renewed = async {
        loop {
            let now = backups().await;
            if now.len() >= 2 && now.is_disjoint(&first) && !first.is_empty() || now.len() > 2 {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, renewed).await.expect("backups are made");
    let ended = server.stop().await;
    assert!(!ended.log.contains("no backup was made"), "{}", ended.log);
    let there = backups().await;
    assert!((2..=3).contains(&there.len()), "{there:?}");
    let all = bucket.keys().await;
    assert!(others.iter().all(|key| all.contains(*key)), "{all:?}");
    let archive = folder.path("newest.tar");
    fs::write(&archive, bucket.get(there.last().unwrap()).await).unwrap();
    folder.good(&["store", "restore", "newest.tar", "--data", "restored"]);
    let restored = folder.path("restored");
    let artifact = restored.join("artifacts/files/uploads/large.tf");
    assert!(fs::read(artifact).unwrap() == large);
    let server = serve(&restored).await;
    assert!(listed(&server).await.contains(&made));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_not_there_is_said_and_serving_goes_on() {
    let Some(bucket) = Bucket::start().await else {
        return;
    };
    let folder = Folder::new();
    let server = bucket.serve(&folder, "s3://nowhere").await;
    let made = create(&server, "Acme").await.unwrap();
    assert!(listed(&server).await.contains(&made));
    let log = server.stop().await.log;
    assert!(!log.contains("a backup was made"), "{log}");
}

/// How long after a backup a server is killed: while it makes the next one, early and late.
const MOMENTS: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(250),
    Duration::from_millis(600),
];

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_killed_leave_whole_backups_in_a_bucket() {
    let Some(bucket) = Bucket::start().await else {
        return;
    };
    let folder = Folder::new();
    // More than one part of an upload.
    let artifact = folder.data().join("artifacts/files/uploads/large.tf");
    fs::create_dir_all(artifact.parent().unwrap()).unwrap();
    fs::write(&artifact, vec![b'x'; 20_000_000]).unwrap();
    for (round, moment) in MOMENTS.into_iter().enumerate() {
        let before = bucket.keys().await;
        let server = bucket.serve(&folder, "s3://backups").await;
        create(&server, &format!("Company {round}")).await.unwrap();
        let renewed = async {
            while bucket.keys().await.is_subset(&before) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, renewed).await.expect("a backup is made");
        sleep(moment).await;
        server.kill();
        server.ended().await;
    }
    let left = bucket.keys().await;
    assert!(!left.is_empty());
    for (n, key) in left.iter().enumerate() {
        let (archive, restored) = (format!("{n}.tar"), format!("restored-{n}"));
        fs::write(folder.path(&archive), bucket.get(key).await).unwrap();
        folder.good(&["store", "restore", &archive, "--data", &restored]);
        let checked = folder.good(&["store", "check", "--data", &restored]).out;
        assert_eq!(checked, "Nothing is damaged.\n", "{key}");
    }
    let server = bucket.serve(&folder, "s3://backups").await;
    assert_eq!(listed(&server).await.len(), MOMENTS.len());
}
