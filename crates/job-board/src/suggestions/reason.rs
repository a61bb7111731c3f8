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
        /// 20 to 37 points.
        R3 = "R3",
    }

    /// A rule that gives points to a suggestion.
    RelevanceRule {
        /// Skills in common: up to 30 points; up to 70 for a profile without a headline.
        Skills = "SKILLS",
        /// The title names the occupation, or has words, of the headline: up to 60 points.
        Title = "TITLE",
        /// Words of the headline and skills in the description: up to 10 points.
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
    /// The level of a score; `None` for a job that is not suggested.
    pub fn of(score: u32) -> Option<Self> {
        match score {
            55.. => Some(Relevance::R1),
            38..55 => Some(Relevance::R2),
            20..38 => Some(Relevance::R3),
            0..20 => None,
        }
    }
}

/// How the reason for a title that fits begins.
pub const TITLE_FITS: &str = "Title fits: ";
