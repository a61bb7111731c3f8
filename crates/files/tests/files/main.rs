//! Files over object stores that do less than others.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use trestle_files::{Files, SigningKey};
use trestle_table::clock::Clock;

/// An object store without conditional writes.
#[derive(Debug)]
struct Unconditional(InMemory);

impl fmt::Display for Unconditional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unconditional")
    }
}

#[async_trait]
impl ObjectStore for Unconditional {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        match options.mode {
            PutMode::Overwrite => self.0.put_opts(location, payload, options).await,
            PutMode::Create | PutMode::Update(_) => Err(Error::NotImplemented {
                operation: "conditional put".to_owned(),
                implementer: self.to_string(),
            }),
        }
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.0.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.0.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.0.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.0.copy_opts(from, to, options).await
    }
}

#[tokio::test]
async fn a_store_without_conditional_writes_keeps_what_exists() {
    let stores: [Arc<dyn ObjectStore>; 2] = [
        Arc::new(Unconditional(InMemory::new())),
        Arc::new(InMemory::new()),
    ];
    for store in stores {
        let key = SigningKey::random().unwrap();
        let files = Files::served("test", store, key, None, Clock::system());
        assert!(files.put_new("keys/a", vec![1]).await.unwrap());
        assert!(!files.put_new("keys/a", vec![2]).await.unwrap());
        assert_eq!(files.read("keys/a", 10).await.unwrap().unwrap(), vec![1]);
        files.put("keys/a", vec![3]).await.unwrap();
        assert!(!files.put_new("keys/a", vec![4]).await.unwrap());
        assert_eq!(files.read("keys/a", 10).await.unwrap().unwrap(), vec![3]);
    }
}
