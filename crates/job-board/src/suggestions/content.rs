//! What seekers look for and what jobs offer, prepared for comparison.

use std::collections::{BTreeMap, BTreeSet};

use crate::jobs::{EmploymentType, Job};
use crate::seekers::Seeker;
use crate::values::{
    Located, Seniority, compared_skills, compared_with_names, located, mentioned, mentioned_as,
};
use trestle_domain::Text;
use trestle_occupations::Title;

/// What a seeker looks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The headline.
    pub title: Option<Title>,
    /// The seniority that the headline names.
    pub seniority: Option<Seniority>,
    /// Whether the headline is of someone who leads others.
    pub leads: bool,
    /// Whether the seeker looks for an internship or a position to begin with.
    pub is_for_beginners: bool,
    /// The skills, and those that the headline mentions.
    pub skills: BTreeSet<String>,
    /// Where the seeker looks for jobs.
    pub places: Vec<Located>,
}

impl Wanted {
    /// Of a profile.
    pub fn of(seeker: &Seeker) -> Self {
        let headline = seeker.headline.as_ref().map_or("", Text::as_str);
        let is_given = headline.chars().any(char::is_alphanumeric);
        let mut skills = compared_skills(&seeker.skills);
        skills.extend(mentioned(headline).into_iter().map(str::to_owned));
        Self {
            title: is_given.then(|| seeker.headline_meaning.title(headline)),
            seniority: Seniority::of(headline),
            leads: Seniority::leads(headline),
            is_for_beginners: Seniority::is_beginner(headline),
            skills,
            places: located(seeker.places.as_slice()),
        }
    }
}

/// What a job offers.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The title.
    pub title: Title,
    /// The skills that the employer lists, each as it is written.
    pub skills: BTreeMap<String, String>,
    /// The seniority that the title names.
    pub seniority: Option<Seniority>,
    /// Whether the position leads others.
    pub leads: bool,
    /// Where the job is.
    pub places: Vec<Located>,
}

impl Offered {
    /// Of a job.
    pub fn of(job: &Job) -> Self {
        let title = job.title.as_str();
        let is_internship = job.employment_type == Some(EmploymentType::Internship);
        Self {
            title: job.title_meaning.title(title),
            skills: compared_with_names(&job.skills),
            seniority: if is_internship {
                Some(Seniority::Intern)
            } else {
                Seniority::of(title)
            },
            leads: Seniority::leads(title),
            places: located(job.places.as_slice()),
        }
    }
}

/// The skills that a job's title and description mention, each as it is written there.
pub fn skills_in_text(job: &Job) -> BTreeMap<String, String> {
    let description = job.description.as_ref().map_or("", Text::as_str);
    let mentioned = [description, job.title.as_str()].into_iter();
    let mentioned = mentioned.flat_map(mentioned_as);
    mentioned
        .map(|(name, written)| (name.to_owned(), written.to_owned()))
        .collect()
}
