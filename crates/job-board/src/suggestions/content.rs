//! What seekers look for and what jobs offer, prepared for comparison: terms, skills, seniority, and how rare each term is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::jobs::{EmploymentType, Job};
use crate::seekers::Seeker;
use crate::values::{
    Named, Place, PlatformNames, Position, Seniority, Term, affirmed, alternatives,
    compared_skills, compared_with_names, listed_occupations, mentioned, mentioned_as,
    occupations_of_headline, occupations_of_title, phrases, platforms_of_skills, platforms_of_text,
    positions, sought_position, terms,
};
use trestle_domain::Text;

/// Postings that are imagined beside those of a city, so that few postings say little about rarity.
const IMAGINED: usize = 50;

/// In how many postings each term occurs.
#[derive(Clone, Debug, Default)]
pub struct Rarity {
    postings: usize,
    counts: HashMap<Term, usize>,
}

impl Rarity {
    /// Counts the terms of a posting's title.
    pub fn count(&mut self, offered: &Offered) {
        self.postings += 1;
        for term in &offered.title {
            *self.counts.entry(term.clone()).or_default() += 1;
        }
    }

    /// The weight of a term: the rarer, the heavier.
    pub fn weight(&self, term: &Term) -> f64 {
        let count = self.counts.get(term).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let share = (self.postings + IMAGINED + 1) as f64 / (count + 1) as f64;
        share.ln()
    }
}

/// A position that a seeker looks for.
#[derive(Clone, Debug)]
pub struct Headline {
    /// Its terms.
    pub terms: BTreeSet<Term>,
    /// The last of them that says what the position is: the manager of `Nurse manager`.
    pub role: Option<Term>,
}

impl Headline {
    /// Of its terms in their order; `None` if there are none.
    fn of(terms: Vec<Term>) -> Option<Self> {
        let role = terms.iter().rev().find(|term| term.is_head()).cloned();
        let terms: BTreeSet<_> = terms.into_iter().collect();
        (!terms.is_empty()).then_some(Self { terms, role })
    }
}

/// What a seeker looks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The occupations of the list of which the headline looks for one.
    pub occupations: Vec<Named>,
    /// The headline; each alternative if it names some: `DevOps / SRE`.
    pub headlines: Vec<Headline>,
    /// The seniority that the headline names.
    pub seniority: Option<Seniority>,
    /// Whether the headline is of someone who leads others.
    pub leads: bool,
    /// Whether the seeker looks for an internship or a position to begin with.
    pub is_for_beginners: bool,
    /// The headline, as far as it says what the seeker looks for.
    pub written: String,
    /// The terms of the headlines with the words that they stand for.
    pub spelled: Vec<(Term, String)>,
    /// The skills.
    pub listed: BTreeSet<String>,
    /// The skills, and those that the headline mentions.
    pub skills: BTreeSet<String>,
    /// The languages and platforms that the headline names.
    pub platforms: PlatformNames,
    /// Those of the skills.
    pub skill_platforms: PlatformNames,
    /// Where the seeker looks for jobs.
    pub places: Vec<Place>,
    /// Whether the profile says what the seeker looks for at all.
    pub has_headline: bool,
}

impl Wanted {
    /// Of a profile.
    pub fn of(seeker: &Seeker) -> Self {
        let whole = seeker.headline.as_ref().map_or("", Text::as_str);
        let whole = &affirmed(whole);
        let headline = sought_position(whole);
        let headline = headline.as_str();
        let listed = compared_skills(&seeker.skills);
        let mut skills = listed.clone();
        skills.extend(mentioned(headline).into_iter().map(str::to_owned));
        let alternatives = alternatives(headline);
        let alternatives = alternatives.iter().flat_map(|part| {
            let listed = listed_occupations(part).into_iter();
            std::iter::once(part.as_str()).chain(listed)
        });
        let headlines = alternatives.flat_map(|part| {
            let specific = positions(part).into_iter().skip(1);
            let specific = specific.map(|terms| terms.into_iter().map(|(term, _)| term).collect());
            std::iter::once(terms(part)).chain(specific)
        });
        let headlines: Vec<_> = headlines.filter_map(Headline::of).collect();
        Self {
            occupations: occupations_of_headline(whole),
            has_headline: !headlines.is_empty(),
            headlines,
            seniority: Seniority::of(headline),
            leads: Seniority::leads(whole),
            is_for_beginners: Seniority::is_beginner(whole),
            written: headline.to_owned(),
            spelled: phrases(headline),
            platforms: platforms_of_text(headline),
            skill_platforms: platforms_of_skills(listed.iter().map(String::as_str)),
            listed,
            skills,
            places: read_again(seeker.places.as_slice()),
        }
    }
}

/// What a job offers.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The title.
    pub written: String,
    /// The occupations of the list that the title names.
    pub occupations: Vec<Named>,
    /// The terms of the title and of the positions that it names.
    pub title: BTreeSet<Term>,
    /// The terms of the title with the words that they stand for.
    pub spelled: Position,
    /// The positions that the title names: an engineer and a payments engineer of `Engineer - Payments (NYC)`.
    pub positions: Vec<Position>,
    /// Terms of the skills.
    pub skill_terms: BTreeSet<Term>,
    /// The skills that the job requires, or else those that its title and description mention; each as the job has it.
    pub skills: BTreeMap<String, String>,
    /// Whether the employer lists skills.
    pub lists_skills: bool,
    /// The languages and platforms that the title names.
    pub platforms: PlatformNames,
    /// Those of the skills.
    pub skill_platforms: PlatformNames,
    /// The terms of the description, each as it is written first.
    pub description: BTreeMap<Term, String>,
    /// The skills that the description mentions, each as it is written first.
    pub described: BTreeMap<String, String>,
    /// The seniority that the title names.
    pub seniority: Option<Seniority>,
    /// Whether the position leads others.
    pub leads: bool,
    /// Where the job is.
    pub places: Vec<Place>,
}

impl Offered {
    /// Of a job.
    pub fn of(job: &Job) -> Self {
        let title = job.title.as_str();
        let description = job.description.as_ref().map_or("", Text::as_str);
        let described = owned(mentioned_as(description));
        let mut skills = compared_with_names(&job.skills);
        let lists_skills = !skills.is_empty();
        if !lists_skills {
            skills = described.clone();
            skills.extend(owned(mentioned_as(title)));
        }
        let skill_terms = skills.keys().flat_map(|skill| terms(skill)).collect();
        let mut terms_described = BTreeMap::new();
        for (term, phrase) in phrases(description) {
            terms_described.entry(term).or_insert(phrase);
        }
        let (spelled, positions) = (phrases(title), positions(title));
        let named = positions.iter().flatten().chain(&spelled);
        let is_internship = job.employment_type == Some(EmploymentType::Internship);
        Self {
            written: title.to_owned(),
            occupations: occupations_of_title(title),
            title: named.map(|(term, _)| term.clone()).collect(),
            spelled,
            positions,
            skill_terms,
            platforms: platforms_of_text(title),
            skill_platforms: platforms_of_skills(skills.keys().map(String::as_str)),
            skills,
            lists_skills,
            description: terms_described,
            described,
            seniority: if is_internship {
                Some(Seniority::Intern)
            } else {
                Seniority::of(title)
            },
            leads: Seniority::leads(title),
            places: read_again(job.places.as_slice()),
        }
    }
}

fn read_again(places: &[Place]) -> Vec<Place> {
    places.iter().map(Place::read_again).collect()
}

fn owned(names: BTreeMap<&str, &str>) -> BTreeMap<String, String> {
    let names = names.into_iter();
    names
        .map(|(name, written)| (name.to_owned(), written.to_owned()))
        .collect()
}
