//! An export of what is stored of a user, as a JSON file.

use std::collections::HashSet;
use std::time::Duration;

use async_graphql::{InputObject, SimpleObject};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::access_requests::of_requester;
use crate::applications::of_applicant;
use crate::audit_log;
use crate::blocks;
use crate::conversations::{of_user, requests_of};
use crate::invitations;
use crate::member::acting_registered;
use crate::messages::of_conversation;
use crate::notifications;
use crate::reports::of_reporter;
use crate::roles;
use crate::saved_roles;
use crate::signed::{files, sign};
use crate::startups::of_founder;
use crate::subscriptions::Subscription;
use crate::tiers::Quota;
use crate::uploads::Object;
use crate::usage::Usage;
use crate::users::User;
use trestle_api::{ApiError, DateTime, Failed, Session, Url, UserError};
use trestle_api::{mutations, own_payloads};
use trestle_domain::{Id, Millis, Moment, UserId, hex};
use trestle_files::Download;
use trestle_table::{Entity, Listing, PageAsk, TableError};

/// How long the URL of an export is valid.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// Number of entities of one list that an export has, at most.
const AT_MOST: usize = 5000;
/// Number of conversations whose messages an export has, at most: those with the newest messages.
const CONVERSATIONS: usize = 500;

#[derive(InputObject, Clone)]
pub struct ExportMyDataInput {
    /// An id of the client's for its own use. It is ignored.
    client_mutation_id: Option<String>,
}

/// The result of `exportMyData`.
#[derive(SimpleObject, Default)]
pub struct ExportMyDataPayload {
    /// The URL of the file, which is deleted after a day. `null` if there are errors.
    url: Option<Url>,
    /// When the URL expires. `null` if there are errors.
    expires_at: Option<DateTime>,
    /// Whether a list has more than 5,000 entries, of which the file has the first ones. `null` if there are errors.
    is_cut: Option<bool>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

/// What is collected.
struct Export<'s> {
    session: &'s Session,
    lists: Map<String, Value>,
    is_cut: bool,
}

impl Export<'_> {
    /// The stored entities of a list, without what others keep to themselves.
    async fn read<E: Entity + Send + Sync>(
        &mut self,
        list: &Listing<E>,
    ) -> Result<Vec<E>, TableError> {
        let page = self
            .session
            .tables
            .page(list, &PageAsk::first(AT_MOST), &())
            .await?;
        self.is_cut |= page.more;
        Ok(page
            .rows
            .into_iter()
            .filter_map(|row| row.entity.ok())
            .collect())
    }

    fn add<E: Entity>(&mut self, name: &str, entities: &[E]) {
        let entities = entities.iter().map(|entity| as_json(entity));
        let list = self.lists.entry(name).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.extend(entities);
        }
    }

    async fn list<E: Entity + Send + Sync>(
        &mut self,
        name: &str,
        list: Listing<E>,
    ) -> Result<Vec<E>, TableError> {
        let found = self.read(&list).await?;
        self.add(name, &found);
        Ok(found)
    }
}

/// An entity as JSON. The founder's notes on an application are not the applicant's.
fn as_json<E: Entity>(entity: &E) -> Value {
    // What can be stored can be written as JSON.
    let mut value = serde_json::to_value(entity).unwrap_or_default();
    if let Value::Object(attributes) = &mut value {
        attributes.retain(|name, value| name != "founderNotes" && !value.is_null());
    }
    value
}

async fn collect<'s>(session: &'s Session, user: &UserId) -> Result<Export<'s>, TableError> {
    let mut export = Export {
        session,
        lists: Map::new(),
        is_cut: false,
    };
    let profile = session.tables.get::<User>(user).await?;
    export.add("user", profile.as_slice());
    let subscription = session.tables.get::<Subscription>(user).await?;
    export.add("subscription", subscription.as_slice());
    for startup in export.list("startups", of_founder(user)).await? {
        let id = startup.startup_id;
        export.list("roles", roles::of_startup(id)).await?;
        export
            .list("invitations", invitations::of_startup(id))
            .await?;
    }
    export.list("applications", of_applicant(user)).await?;
    export.list("accessRequests", of_requester(user)).await?;
    export
        .list("conversationRequests", requests_of(user))
        .await?;
    let inbox = export.read(&of_user(user)).await?;
    let mut conversations: Vec<_> = inbox.iter().map(|entry| entry.conversation_id).collect();
    // The audit log knows the conversations that the user has left.
    let left = export
        .read(&audit_log::departures(user, session.now()))
        .await?;
    let left = left.iter().rev();
    let left = left.filter_map(|entry| Id::parse(entry.resource_id.as_str()).ok());
    let mut seen = HashSet::new();
    conversations.extend(left);
    conversations.retain(|conversation| seen.insert(conversation.to_string()));
    export.is_cut |= conversations.len() > CONVERSATIONS;
    for conversation in conversations.into_iter().take(CONVERSATIONS) {
        let sender = user.clone();
        let own = of_conversation(conversation)
            .keeping("own", move |message| message.sender_id == sender);
        export.list("messages", own).await?;
    }
    export
        .list("notifications", notifications::of_user(user))
        .await?;
    export.list("blockedUsers", blocks::of_user(user)).await?;
    export
        .list("savedRoles", saved_roles::of_user(user))
        .await?;
    export.list("reports", of_reporter(user)).await?;
    export.list("auditLog", audit_log::of_user(user)).await?;
    Ok(export)
}

/// The attributes that name files.
const FILES: [&str; 5] = [
    "avatarUrl",
    "logoUrl",
    "pitchDeckUrl",
    "resumeUrl",
    "attachmentKey",
];

/// Puts URLs in the place of the keys of files, by which nobody reads them.
async fn open_files(session: &Session, lists: &mut Map<String, Value>) -> Result<(), ApiError> {
    for list in lists.values_mut() {
        for item in list.as_array_mut().into_iter().flatten() {
            for name in FILES {
                if let Some(Value::String(key)) = item.get_mut(name) {
                    *key = sign(session, key, LIFETIME).await?;
                }
            }
        }
    }
    Ok(())
}

/// Where the exports of a user are: below `uploads`, where what is old is deleted.
fn folder_of(user: &UserId) -> String {
    let owner = hex(&Sha256::digest(user.as_str().as_bytes()));
    format!("uploads/exports/{owner}/")
}

/// Deletes what a user has exported, so that the URLs of the files answer no more. A list of the object store, and a request
/// for each file.
///
/// # Errors
/// The object store does not answer.
pub async fn delete_exports(session: &Session, user: &UserId) -> Result<(), ApiError> {
    let deleted = files(session)?.delete_below(&folder_of(user)).await;
    deleted.map_err(ApiError::internal)
}

/// GetItem of the viewer, a Query of each list and of each conversation, also of those that the viewer has left, an UpdateItem of what the viewer has uploaded
/// today, and one request to the object store.
async fn export(session: &Session, _: ExportMyDataInput) -> Result<ExportMyDataPayload, Failed> {
    let member = acting_registered(session).await?;
    let Export {
        mut lists, is_cut, ..
    } = collect(session, &member.id).await?;
    open_files(session, &mut lists).await?;
    let bytes = Value::Object(lists).to_string().into_bytes();
    let size = bytes.len() as u64;
    Usage::spend_now(session, &member, Quota::UploadedBytes, size, "input").await?;
    let id = Id::<Object>::new(session.tables.now());
    let key = format!("{}{id}.json", folder_of(&member.id));
    let files = files(session)?;
    files.put(&key, bytes).await.map_err(ApiError::internal)?;
    let download = Download {
        reader: Some(session.viewer.subject().to_owned()),
        content_type: Some("application/json".to_owned()),
        name: Some("my-data.json".to_owned()),
    };
    let signed = files.download_url(&key, &download, LIFETIME).await;
    let signed = signed.map_err(ApiError::internal)?;
    Ok(ExportMyDataPayload {
        url: Some(Url(signed.url.to_string())),
        expires_at: Some(DateTime(Moment::<Millis>::new(signed.expires).to_string())),
        is_cut: Some(is_cut),
        user_errors: Vec::new(),
    })
}

own_payloads! {
    ExportMyDataPayload
}

mutations! {
    /// Mutations that export a user's data.
    ExportMutation {
        /// Exports what is stored of the viewer as a JSON file: the profile, startups, roles and invitations, applications, access
        /// requests, sent messages, also of conversations that the viewer has left, notifications, blocked users, saved roles,
        /// reports and entries of the audit log. Files are URLs that are valid as long as the one of the export. Banned users
        /// export theirs, too.
        export_my_data(ExportMyDataInput) -> ExportMyDataPayload = export,
    }
}
