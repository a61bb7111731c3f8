//! The kinds of fields that people edit: what is given, what is stored, and the rule between them.

use std::fmt::Debug;
use std::marker::PhantomData;

use chrono::NaiveDate;
use trestle_domain::{Currency, Link};

use super::links::pasted;
use super::values::{currency, date, integer, rating, text};
use super::{MAX_INTEGER, Rule, Stored, Tags};

/// What fields of a kind look like to programs that treat all of them alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text that descriptions of changes quote.
    Text,
    /// Text that they do not quote.
    LongText,
    /// A day, as `2026-11-20`.
    Day,
    /// A link.
    Link,
    /// Anything else.
    Other,
}

/// A kind of field.
pub trait Kind {
    /// What a person gives.
    type Raw: Clone + Debug + PartialEq + Eq;
    /// What is stored of it.
    type Stored: Stored + PartialEq;
    /// What it looks like.
    const FORM: Form = Form::Other;

    /// The value.
    ///
    /// # Errors
    /// The rule that it breaks.
    fn parse(raw: Self::Raw) -> Result<Self::Stored, Rule>;

    /// What is given by a text; `None` for kinds that are not given as one.
    fn of_text(_text: &str) -> Option<Self::Raw> {
        None
    }
}

macro_rules! texts {
    ($($kind:ident: $stored:ty, $form:expr, $parse:expr;)+) => {$(
        impl Kind for $kind {
            type Raw = String;
            type Stored = $stored;
            const FORM: Form = $form;

            fn parse(raw: String) -> Result<$stored, Rule> {
                let parse: fn(&str) -> Result<$stored, Rule> = $parse;
                parse(&raw)
            }

            fn of_text(text: &str) -> Option<String> {
                Some(text.to_owned())
            }
        }
    )+};
}

/// The most characters of names.
const NAME: usize = 200;
/// The most characters of notes.
const NOTE: usize = 5000;
/// The most characters of the text of a posting. Every history entry has a copy of it, and an item at most 400 KB.
const POSTING: usize = 10_000;

/// Text of 1 to 200 characters.
pub struct Name;
/// Text of 1 to 5000 characters.
pub struct Note;
/// Text of 1 to 10,000 characters.
pub struct PostingText;
/// A day of the calendar.
pub struct Day;
/// A link, as people paste it.
pub struct Pasted;
/// A code of ISO 4217.
pub struct CurrencyCode;
/// A rating from 1 to 5.
pub struct Rating;
/// A whole number that is not negative.
pub struct Amount;
/// Words of the person's own.
pub struct TagList;
/// A value that is given as it is stored.
pub struct Choice<T>(PhantomData<T>);

texts! {
    Name: String, Form::Text, |raw| text(raw, NAME);
    Note: String, Form::LongText, |raw| text(raw, NOTE);
    PostingText: String, Form::LongText, |raw| text(raw, POSTING);
    Day: NaiveDate, Form::Day, date;
    Pasted: Link, Form::Link, pasted;
}

impl Kind for CurrencyCode {
    type Raw = String;
    type Stored = Currency;

    fn parse(raw: String) -> Result<Currency, Rule> {
        currency(&raw)
    }
}

impl Kind for Rating {
    type Raw = i64;
    type Stored = i32;

    fn parse(raw: i64) -> Result<i32, Rule> {
        rating(raw)
    }
}

impl Kind for Amount {
    type Raw = i64;
    type Stored = i64;

    fn parse(raw: i64) -> Result<i64, Rule> {
        integer(raw, 0, MAX_INTEGER)
    }
}

impl Kind for TagList {
    type Raw = Vec<String>;
    type Stored = Tags;

    fn parse(raw: Vec<String>) -> Result<Tags, Rule> {
        Tags::parse(raw)
    }
}

impl<T: Stored + Clone + Debug + PartialEq + Eq> Kind for Choice<T> {
    type Raw = T;
    type Stored = T;

    fn parse(raw: T) -> Result<T, Rule> {
        Ok(raw)
    }
}
