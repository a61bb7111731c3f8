//! The names of occupations in a text, whatever stands around them.

use super::occupation::{Meaning, Occupation, Occupations, occupations};
use super::region::Country;
use super::tokens::{Joint, Token, tokens};

/// Words between a name and what it is done for, with or at: the CEO of `assistant to the CEO` is not the occupation.
const BEFORE_OBJECTS: &str =
    "to for at in of with from under by who using where because after supporting serving w via";
/// Words after which a name is one of the past.
const PAST: &str =
    "former formerly previously previous retired past was were once left leaving leave";
/// Words after which it is not.
const PRESENT: &str = "now currently presently today turned seeking looking becoming but wanting want needing need returning hoping for to";
/// Words that do not belong to the name before them.
const ASIDE: &str = "looking seeking available open wanting wants ready certified licensed returning moving relocating as is am i my \
                     the a an and or job position role work years yrs experience";
/// Words after a field that make its name that of an occupation: `HR person`. Those for people are read as `worker`.
const PEOPLE: &str = "worker professional pro geek expert";
/// Words of names that are followed by whom they work for.
const HELPERS: [&str; 4] = ["assistant", "secretary", "aide", "ea"];

fn is_in(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

/// A name in a text.
struct Found {
    start: usize,
    end: usize,
    meaning: &'static Meaning,
    is_past: bool,
    /// Whether another word makes another occupation of it.
    is_other: bool,
    /// Whether it is for whom or with what another occupation works.
    is_object: bool,
    /// Whether it is the field of a person: `HR person`.
    is_of_person: bool,
    /// Whether a word such as `in` before it makes it a field that is mentioned beside something else.
    is_aside: bool,
}

impl Found {
    /// Whether the name after it says what it is, and is of another field: the recruiter of `nurse recruiter`.
    fn is_before_other(&self, next: &Self, all: &Occupations) -> bool {
        let (own, others) = (self.meaning.all(), next.meaning.all());
        let mut pairs = own
            .iter()
            .flat_map(|one| others.iter().map(move |other| (one, other)));
        !others.is_empty() && pairs.all(|(one, other)| all.kinship(one, other).is_none())
    }

    fn names(&self) -> bool {
        let says_what = !self.meaning.named.is_empty() || self.is_of_person;
        says_what && !self.is_other && !self.is_object
    }
}

/// A text that is read for names.
pub struct Reading<'t> {
    tokens: Vec<Token<'t>>,
    found: Vec<Found>,
}

/// An occupation that a text names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The occupation.
    pub occupation: Occupation,
    /// The words that name it, in lower case.
    pub words: Vec<String>,
}

impl<'t> Reading<'t> {
    fn of(tokens: Vec<Token<'t>>) -> Self {
        let all = occupations();
        let mut reading = Self {
            tokens,
            found: Vec::new(),
        };
        let mut at = 0;
        while at < reading.tokens.len() {
            let is_region = reading.is_region(at);
            match reading.longest_at(at, all).filter(|_| !is_region) {
                Some((meaning, end)) => {
                    let (start, is_past) = (at, reading.is_past(at));
                    let next = reading.tokens.get(end);
                    let is_of_person = next.is_some_and(|next| {
                        next.joint == Joint::Blank && is_in(PEOPLE, &next.word)
                    });
                    reading.found.push(Found {
                        start,
                        end,
                        meaning,
                        is_past,
                        is_other: false,
                        is_object: false,
                        is_of_person,
                        is_aside: false,
                    });
                    at = end;
                }
                None => at += 1,
            }
        }
        for at in 0..reading.found.len() {
            let is_other = reading.is_other(at, all);
            if let Some(found) = reading.found.get_mut(at) {
                found.is_other = is_other;
            }
        }
        reading.leave_what_is_left();
        reading.set_objects_apart();
        reading
    }

    /// Whether a word is the code of a region after a city: `Boston, MA`.
    fn is_region(&self, at: usize) -> bool {
        let named = |start| self.found.iter().any(|found| found.end == start);
        self.tokens.get(at).is_some_and(|token| {
            let is_code =
                token.written.len() == 2 && token.written.bytes().all(|b| b.is_ascii_uppercase());
            is_code
                && token.joint == Joint::Mark
                && at > 0
                && !named(at)
                && Country::parse("US").is_ok_and(|country| country.region(token.written).is_some())
        })
    }

    /// The longest name that starts at a word, and where it ends.
    fn longest_at(
        &self,
        at: usize,
        all: &'static Occupations,
    ) -> Option<(&'static Meaning, usize)> {
        let rest = self.tokens.get(at..)?;
        let joined = rest
            .iter()
            .skip(1)
            .take_while(|token| token.joint < Joint::Mark);
        let most = all.longest.min(1 + joined.count());
        (1..=most).rev().find_map(|length| {
            let words = match rest.get(..length)? {
                [only] => only.singular.clone(),
                words => {
                    let words: Vec<_> = words.iter().map(|token| token.word.as_str()).collect();
                    words.join(" ")
                }
            };
            Some((all.meaning(&words)?, at + length))
        })
    }

    /// The words before a word in its part of the text, the last one first.
    fn before(&self, at: usize) -> impl Iterator<Item = (usize, &Token<'t>)> {
        let before = self.tokens.iter().enumerate().take(at + 1).rev();
        let mut is_over = false;
        before.filter_map(move |(index, token)| {
            let is_here = !is_over;
            is_over |= token.joint == Joint::Mark;
            (is_here && index < at).then_some((index, token))
        })
    }

    /// Whether what starts at a word is said to be over: `former teacher`, `ex-barista`.
    fn is_past(&self, at: usize) -> bool {
        for (index, token) in self.before(at) {
            match token.word.as_str() {
                "ex" => return index + 1 == at,
                word if is_in(PAST, word) => return true,
                word if is_in(PRESENT, word) => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether the words after a name make another occupation of it: `plumber supervisor`, `nurse recruiter`.
    fn is_other(&self, at: usize, all: &Occupations) -> bool {
        /// Words of an occupation that is not in the list, between the name and what it is.
        const BETWEEN: usize = 2;
        let Some(found) = self.found.get(at) else {
            return false;
        };
        let next = self.found.get(at + 1);
        let rest = self.tokens.iter().enumerate().skip(found.end);
        for (index, token) in rest.take(BETWEEN + 1) {
            if token.joint != Joint::Blank
                || is_in(ASIDE, &token.word)
                || is_in(BEFORE_OBJECTS, &token.word)
            {
                return false;
            }
            match next {
                Some(next) if next.start == index => return found.is_before_other(next, all),
                _ if all.is_other(&token.word) => return true,
                _ => {}
            }
        }
        false
    }

    /// What someone changes from is over: `chef to software engineer`. An assistant to a director changes nothing.
    fn leave_what_is_left(&mut self) {
        for at in 1..self.found.len() {
            let [Some(earlier), Some(later)] = [at - 1, at].map(|at| self.found.get(at)) else {
                continue;
            };
            let words = |from: usize, to: usize| -> Vec<&str> {
                let tokens = self.tokens.get(from..to).unwrap_or_default();
                tokens.iter().map(|token| token.word.as_str()).collect()
            };
            let is_helper = words(earlier.start, earlier.end)
                .iter()
                .any(|word| HELPERS.contains(word));
            let is_change = matches!(
                words(earlier.end, later.start).as_slice(),
                ["to"] | ["to", "a" | "an"]
            );
            if is_change
                && !is_helper
                && let Some(earlier) = self.found.get_mut(at - 1)
            {
                earlier.is_past = true;
            }
        }
    }

    /// The CEO of `assistant to the CEO` is not the occupation.
    fn set_objects_apart(&mut self) {
        for at in 1..self.found.len() {
            let Some(start) = self.found.get(at).map(|found| found.start) else {
                continue;
            };
            let preposition = self
                .before(start)
                .find(|(_, token)| is_in(BEFORE_OBJECTS, &token.word));
            let Some((preposition, _)) = preposition else {
                continue;
            };
            let first = self.before(preposition).last();
            let first = first.map_or(preposition, |(at, _)| at);
            let is_object = self.found.iter().any(|earlier| {
                (first..preposition).contains(&earlier.start) && earlier.names() && !earlier.is_past
            });
            if let Some(found) = self.found.get_mut(at) {
                found.is_object = is_object;
                found.is_aside = true;
            }
        }
    }

    /// The occupation of a role in a field, as it is with the field first: `supervisor in a warehouse`.
    pub fn inverted(&self) -> Vec<Named> {
        let all = occupations();
        let at = self.tokens.windows(2).position(|pair| {
            matches!(pair, [role, of] if all.is_other(&role.word) && matches!(of.word.as_str(), "of" | "in" | "at" | "for"))
        });
        let Some(at) = at else {
            return Vec::new();
        };
        let after = self.tokens.iter().skip(at + 2);
        let field = after.skip_while(|token| matches!(token.word.as_str(), "a" | "an" | "the"));
        let field: Vec<_> = field.take(all.longest).collect();
        let role = self.tokens.get(at);
        (1..=field.len())
            .rev()
            .find_map(|length| {
                let words = field.iter().copied().take(length).chain(role);
                let words: Vec<_> = words.collect();
                let name: Vec<_> = words.iter().map(|token| token.word.as_str()).collect();
                let meaning = all.meaning(&name.join(" "))?;
                let words: Vec<_> = words
                    .iter()
                    .map(|token| token.written.to_lowercase())
                    .collect();
                let named = meaning.named.iter().map(|occupation| Named {
                    occupation,
                    words: words.clone(),
                });
                Some(named.collect())
            })
            .unwrap_or_default()
    }

    /// Whether a word of it makes another occupation of a name.
    pub fn says_other(&self) -> bool {
        let all = occupations();
        self.tokens.iter().any(|token| all.is_other(&token.word))
    }

    /// Whether its last word makes another occupation of a name.
    pub fn ends_with_role(&self) -> bool {
        let last = self.tokens.last();
        last.is_some_and(|token| occupations().is_other(&token.word))
    }

    /// Whether the text is a name, or work of this name, and nothing else.
    pub fn is_one_name(&self) -> bool {
        let is_work = |token: &Token<'_>| is_in("work intern internship", &token.word);
        let is_all = |end: usize| self.tokens.iter().skip(end).all(is_work);
        matches!(self.found.as_slice(), [only] if only.start == 0 && is_all(only.end))
    }

    /// The occupations that are named, of the past or not.
    pub fn named(&self, of_past: bool) -> Vec<Named> {
        let found = self
            .found
            .iter()
            .filter(|found| found.names() && found.is_past == of_past);
        self.each(found, |found| {
            if found.is_of_person {
                found.meaning.all()
            } else {
                &found.meaning.named
            }
        })
    }

    /// The occupations whose fields, tools and credentials are mentioned.
    pub fn hinted(&self) -> Vec<Named> {
        let hints =
            |found: &&Found| !found.is_other && !found.is_past && !found.meaning.hinted.is_empty();
        let found = self.found.iter().filter(hints);
        // The machining of `HR, 8 years in machining` says nothing beside HR.
        let is_beside = found.clone().any(|found| !found.is_aside);
        let found = found.filter(|found| !(is_beside && found.is_aside));
        self.each(found, |found| &found.meaning.hinted)
    }

    fn each<'f>(
        &self,
        found: impl Iterator<Item = &'f Found>,
        occupations: impl Fn(&'f Found) -> &'f [Occupation],
    ) -> Vec<Named> {
        let mut all: Vec<Named> = Vec::new();
        for found in found {
            let tokens = self.tokens.get(found.start..found.end).unwrap_or_default();
            let words: Vec<_> = tokens
                .iter()
                .map(|token| token.written.to_lowercase())
                .collect();
            for occupation in occupations(found) {
                if !all.iter().any(|named| named.occupation == *occupation) {
                    all.push(Named {
                        occupation,
                        words: words.clone(),
                    });
                }
            }
        }
        all
    }
}

/// The names in a text.
pub fn read(text: &str) -> Reading<'_> {
    let all = occupations();
    Reading::of(tokens(text, |word| all.form(word)))
}

/// As [`read`], with words that are misspelled corrected.
pub fn read_as_typed(text: &str) -> Reading<'_> {
    let all = occupations();
    let mut tokens = tokens(text, |word| all.form(word));
    for token in &mut tokens {
        if let Some(word) = all.corrected(&token.word) {
            token.singular = word.to_owned();
            token.word = all.form(word);
        }
    }
    Reading::of(tokens)
}

/// Whether a text names an occupation of the list, or is the name of a field of one and nothing else.
pub fn names_listed_occupation(text: &str) -> bool {
    let read = read_as_typed(text);
    let is_field = read.is_one_name() && !read.hinted().is_empty();
    is_field || !read.named(false).is_empty()
}
