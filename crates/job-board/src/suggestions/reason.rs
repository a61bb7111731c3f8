//! Why a suggestion has points, and the levels that these make.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use trestle_domain::string_enum;

string_enum! {
    /// How relevant a suggestion is.
    Relevance {
        /// The most relevant: 55 points or more.
        R1 = "R1",
        /// 38 to 54 points.
        R2 = "R2",
        /// 37 points or fewer: below 20 only if there are hardly any others.
        R3 = "R3",
    }

    /// A rule that gives points to a suggestion.
    RelevanceRule {
        /// Skills in common: up to 8 points beside a title that fits, 30 without; up to 70 for a profile without a headline.
        Skills = "SKILLS",
        /// The title is near to the headline, by the occupation and the words of both.
        Title = "TITLE",
        /// Words of the headline and skills in the description. Given by earlier versions.
        Description = "DESCRIPTION",
        /// The headline and the title name the same seniority: 5 points.
        Seniority = "SENIORITY",
        /// A city in common. Given by earlier versions.
        City = "CITY",
        /// A neighbouring zip code. Given by earlier versions.
        Zip = "ZIP",
        /// The pay is acceptable. Given by earlier versions.
        Pay = "PAY",
        /// The job can be done from home, as wanted. Given by earlier versions.
        Remote = "REMOTE",
        /// Posted in the last week or month. Given by earlier versions.
        Recency = "RECENCY",
    }
}

/// Why a suggestion has points. The points of all reasons add up to the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
pub struct Reason {
    /// The rule that gives the points.
    pub rule: RelevanceRule,
    /// The points: more than 0.
    pub points: u32,
    /// Explanation for people.
    pub text: String,
}

impl Relevance {
    /// The least points of a job that is suggested whatever else there is.
    pub const LEAST: u32 = 20;

    /// The level of a score; `None` for a job that is not suggested.
    pub fn of(score: u32) -> Option<Self> {
        match score {
            55.. => Some(Relevance::R1),
            38..55 => Some(Relevance::R2),
            1..38 => Some(Relevance::R3),
            0 => None,
        }
    }
}

/// How the reason for a title that fits begins.
pub const TITLE_FITS: &str = "Title fits: ";
