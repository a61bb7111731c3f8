//! Finding people who want to be found.

use async_graphql::{Context, InputObject, Object};

use crate::member::active;
use crate::pages::bad_filter;
use crate::startups::folded;
use trestle_api::{ApiError, Connection, Input, QueryResult, page, session};
use trestle_domain::{Bounded, Check, List, Text, Violations};
use trestle_table::Listing;

use super::{User, UserRole, UserStatus, of_role};

/// Number of users of a role that are read for one page, at most.
const READ_FOR_A_PAGE: usize = 2000;

/// Which people to return. A user must match every field that is given.
#[derive(InputObject, Clone, Default)]
pub struct PeopleFilter {
    /// Skills that the user must have, at most 10. Letter case and accents are ignored.
    skills: Option<Input<List<Text<1, 50>, 10>>>,
    /// Text in the place. Letter case and accents are ignored.
    location: Option<Input<Text<1, 120>>>,
    /// Years of experience that the user must have. Users who do not say theirs do not match.
    min_experience_years: Option<Input<Bounded<0, 80>>>,
    /// Words that the name or the profile must contain, at most 100 characters. Letter case and accents are ignored.
    text: Option<Input<Text<1, 100>>>,
}

/// A filter whose values are valid.
#[derive(Debug)]
struct Wanted {
    skills: Vec<String>,
    location: Option<String>,
    years: Option<i32>,
    words: Vec<String>,
}

impl PeopleFilter {
    /// The users of a role who want to be found and match. GSI1 `ROLE#role`, one Query, and further ones until the page is
    /// full or the bound is reached.
    fn of(self, role: UserRole) -> Result<Listing<User>, Violations> {
        let mut check = Check::default();
        let skills = check.if_given("skills", self.skills);
        let location = check.if_given("location", self.location);
        let years = check.if_given("minExperienceYears", self.min_experience_years);
        let text = check.if_given("text", self.text);
        check.finish(|| Some(()))?;
        let skills = skills.unwrap_or_default();
        let words = text.as_ref().map_or("", Text::as_str).split_whitespace();
        let wanted = Wanted {
            skills: skills
                .as_slice()
                .iter()
                .map(|skill| folded(skill.as_str()))
                .collect(),
            location: location.map(|location| folded(location.as_str())),
            years: years.map(|years| years.get()),
            words: words.map(folded).collect(),
        };
        let name = format!("{wanted:?}");
        let list = of_role(role).keeping(name, move |user| wanted.includes(user));
        Ok(list.reading_at_most(READ_FOR_A_PAGE))
    }
}

impl Wanted {
    fn includes(&self, user: &User) -> bool {
        let is_found = user.is_discoverable == Some(true) && user.status == UserStatus::Active;
        if !is_found {
            return false;
        }
        let skills = user.skills.as_ref().map_or(&[][..], List::as_slice);
        let has = |wanted: &String| skills.iter().any(|skill| folded(skill.as_str()) == *wanted);
        let has_worked = |years: i32| user.experience_years.is_some_and(|own| own.get() >= years);
        let profile = || {
            folded(&format!(
                "{} {}",
                user.name(),
                user.bio.as_ref().map_or("", Text::as_str)
            ))
        };
        self.skills.iter().all(has)
            && self.location.as_ref().is_none_or(|place| {
                let location = user.location.as_ref();
                location.is_some_and(|location| folded(location.as_str()).contains(place))
            })
            && self.years.is_none_or(has_worked)
            && (self.words.is_empty() || {
                let profile = profile();
                self.words.iter().all(|word| profile.contains(word))
            })
    }
}

/// Queries for people.
#[derive(Default)]
pub struct PeopleQuery;

#[Object]
impl PeopleQuery {
    /// Founders, talent or investors who want to be found (`isDiscoverable`). A page is short after 2,000 users were read.
    async fn people(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "FOUNDER, TALENT or INVESTOR.")] role: UserRole,
        #[graphql(desc = "Only people who match.")] filter: Option<PeopleFilter>,
    ) -> QueryResult<Connection<User>> {
        let page = async {
            active(session(ctx)?).await?;
            if role == UserRole::Admin {
                return Err(ApiError::bad_input(
                    "`role` must be FOUNDER, TALENT or INVESTOR.",
                ));
            }
            let list = filter.unwrap_or_default().of(role);
            page(ctx, &list.map_err(bad_filter)?, &()).await
        };
        Some(page.await)
    }
}
