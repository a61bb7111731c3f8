//! What a report is about, copied when it is made: it may be changed or deleted later.

use async_graphql::ID;

use crate::conversations::Conversation;
use crate::messages::Message;
use crate::roles::Role;
use crate::startups::Startup;
use crate::users::User;
use trestle_api::{ApiError, Node, Session};
use trestle_domain::UserId;
use trestle_table::Entity;

use super::ReportedType;

/// What is reported.
pub struct Reported {
    pub kind: ReportedType,
    /// The user who answers for it.
    pub user: Option<UserId>,
    pub content: String,
}

/// What an id names, if the viewer sees it. At most four reads.
///
/// # Errors
/// The store does not answer.
pub async fn reported(session: &Session, id: &ID) -> Result<Option<Reported>, ApiError> {
    if let Some(user) = seen::<User>(session, id).await? {
        let about = user.bio.as_ref().map_or("", |bio| bio.as_str());
        return Ok(Some(Reported {
            kind: ReportedType::User,
            content: format!("{}\n{about}", user.name()),
            user: Some(user.user_id),
        }));
    }
    if let Some(startup) = seen::<Startup>(session, id).await? {
        return Ok(Some(Reported {
            kind: ReportedType::Startup,
            content: format!(
                "{}\n{}\n{}",
                startup.name, startup.tagline, startup.description
            ),
            user: Some(startup.founder_id),
        }));
    }
    if let Some(role) = seen::<Role>(session, id).await? {
        let startup = session.load::<Startup>(&role.startup_id).await?;
        return Ok(Some(Reported {
            kind: ReportedType::Role,
            content: format!("{}\n{}", role.title, role.description),
            user: startup.map(|startup| startup.founder_id),
        }));
    }
    if let Some(message) = seen::<Message>(session, id).await? {
        return Ok(Some(Reported {
            kind: ReportedType::Message,
            content: message.content.as_str().to_owned(),
            user: Some(message.sender_id),
        }));
    }
    // Of a conversation, an admin reads what its starter says to those who are asked, and no messages.
    let conversation = seen::<Conversation>(session, id).await?;
    Ok(conversation.map(|conversation| Reported {
        kind: ReportedType::Conversation,
        content: conversation
            .introduction
            .as_ref()
            .map_or(String::new(), |text| text.as_str().to_owned()),
        user: conversation.participants.as_slice().first().cloned(),
    }))
}

async fn seen<E: Node + Entity>(session: &Session, id: &ID) -> Result<Option<E>, ApiError> {
    let Ok(id) = E::named(id, session) else {
        return Ok(None);
    };
    match session.load::<E>(&id).await? {
        Some(entity) => entity.visible_to(session).await,
        None => Ok(None),
    }
}
