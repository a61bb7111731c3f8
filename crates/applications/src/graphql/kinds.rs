//! The kinds of fields that people edit, as the API has them.

use async_graphql::{InputType, OutputType};
use chrono::NaiveDate;

use crate::model::{
    Amount, Choice, CurrencyCode, Day, Kind, Name, Note, Pasted, PostingText, Rating, TagList, Tags,
};
use trestle_api::{Date, SafeInt, Url};
use trestle_domain::{Currency, Link};

/// A kind of field of the API.
pub trait ApiKind: Kind {
    /// The type of its input.
    type Input: InputType;
    /// Its type.
    type Output: OutputType;

    /// What an input gives.
    fn raw(input: Self::Input) -> Self::Raw;

    /// What is answered of a value.
    fn output(stored: Self::Stored) -> Self::Output;
}

macro_rules! kinds {
    ($($kind:ident: $input:ty => $raw:expr, $stored:ty => $output:ty = $answer:expr;)+) => {$(
        impl ApiKind for $kind {
            type Input = $input;
            type Output = $output;

            fn raw(input: $input) -> Self::Raw {
                let raw: fn($input) -> Self::Raw = $raw;
                raw(input)
            }

            fn output(stored: $stored) -> $output {
                let output: fn($stored) -> $output = $answer;
                output(stored)
            }
        }
    )+};
}

kinds! {
    Name: String => |text| text, String => String = |text| text;
    Note: String => |text| text, String => String = |text| text;
    PostingText: String => |text| text, String => String = |text| text;
    Day: Date => |date| date.0, NaiveDate => Date = |date| Date(date.to_string());
    Pasted: Url => |url| url.0, Link => Link = |link| link;
    CurrencyCode: String => |code| code, Currency => Currency = |code| code;
    Rating: i32 => i64::from, i32 => i32 = |rating| rating;
    Amount: SafeInt => |amount| amount.0, i64 => SafeInt = SafeInt;
    TagList: Vec<String> => |tags| tags, Tags => Vec<String> = |tags| tags.iter().map(str::to_owned).collect();
}

impl<T> ApiKind for Choice<T>
where
    Self: Kind<Raw = T, Stored = T>,
    T: InputType + OutputType,
{
    type Input = T;
    type Output = T;

    fn raw(input: T) -> T {
        input
    }

    fn output(stored: T) -> T {
        stored
    }
}
