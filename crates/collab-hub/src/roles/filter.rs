//! Which open roles a viewer looks for.

use async_graphql::InputObject;

use trestle_api::Input;
use trestle_domain::{Amount, Check, List, Text, Violations};
use trestle_table::Listing;

use super::{Role, RoleType};
use crate::startups::folded;

/// Which open roles to return. A role must match every field that is given.
#[derive(InputObject, Clone, Default)]
pub struct RoleFilter {
    /// Kinds of work, of which the role must have one.
    types: Option<Vec<RoleType>>,
    /// Skills that the role must require, at most 10. Letter case and accents are ignored.
    skills: Option<Input<List<Text<1, 50>, 10>>>,
    /// Text in the place of work. Letter case and accents are ignored.
    location: Option<Input<Text<1, 120>>>,
    /// Whether the work can be done from anywhere. Roles that do not say so match false.
    is_remote: Option<bool>,
    /// Pay for a year, in whole US dollars, that the role must be able to reach. Roles that do not say their pay do not
    /// match.
    pay_at_least: Option<Input<Amount>>,
}

/// A filter whose values are valid.
#[derive(Debug)]
struct Wanted {
    types: Option<Vec<RoleType>>,
    skills: Vec<String>,
    location: Option<String>,
    is_remote: Option<bool>,
    pay: Option<Amount>,
}

impl RoleFilter {
    /// The roles of a list that match.
    ///
    /// # Errors
    /// The rules that the filter breaks.
    pub fn of(self, list: Listing<Role>) -> Result<Listing<Role>, Violations> {
        let mut check = Check::default();
        let skills = check.if_given("skills", self.skills);
        let location = check.if_given("location", self.location);
        let pay = check.if_given("payAtLeast", self.pay_at_least);
        check.finish(|| Some(()))?;
        let skills = skills.unwrap_or_default();
        let wanted = Wanted {
            types: self.types,
            skills: skills
                .as_slice()
                .iter()
                .map(|skill| folded(skill.as_str()))
                .collect(),
            location: location.map(|location| folded(location.as_str())),
            is_remote: self.is_remote,
            pay,
        };
        let name = format!("{wanted:?}");
        Ok(list.keeping(name, move |role| wanted.includes(role)))
    }
}

impl Wanted {
    fn includes(&self, role: &Role) -> bool {
        let skills = role.skills.as_slice();
        let has = |wanted: &String| skills.iter().any(|skill| folded(skill.as_str()) == *wanted);
        self.types
            .as_ref()
            .is_none_or(|types| types.contains(&role.kind))
            && self.skills.iter().all(has)
            && self.location.as_ref().is_none_or(|place| {
                let location = role.location.as_ref();
                location.is_some_and(|location| folded(location.as_str()).contains(place))
            })
            && self
                .is_remote
                .is_none_or(|wanted| role.is_remote.unwrap_or(false) == wanted)
            && self.pay.is_none_or(|pay| {
                role.pay_max
                    .or(role.pay_min)
                    .is_some_and(|most| most >= pay)
            })
    }
}
