//! What holds for every name of the data, and for any text.

use proptest::prelude::*;
use trestle_occupations::{Meaning, Occupations, Title};

fn occupations() -> &'static Occupations {
    Occupations::built_in()
}

fn title(text: &str) -> Title {
    Title::new(occupations(), text, occupations().meaning(text))
}

/// Every fiftieth name.
fn some_names() -> impl Iterator<Item = &'static str> {
    occupations().names().step_by(50)
}

#[test]
fn the_file_is_whole_and_has_names_alone() {
    let all: Vec<_> = occupations().names().collect();
    assert!(all.len() > 35_000, "{}", all.len());
    for name in all {
        assert!(name.chars().count() <= 100, "{name}");
        assert!(!name.contains(". ") && !name.ends_with('.'), "{name}");
    }
}

#[test]
fn a_name_is_nearest_to_an_occupation_that_has_it() {
    for name in some_names() {
        let nearest = occupations().nearest(name, 1);
        assert!(nearest[0].similarity > 0.99, "{name}: {nearest:?}");
    }
}

#[test]
fn a_name_is_the_same_title_with_words_after_it_that_name_nothing() {
    for name in some_names() {
        let exact = title(name).compare(&title(name), occupations()).score();
        for words in [
            ", nights",
            " (MPH)",
            " - Springfield",
            ", 5 years",
            " zzyzx",
        ] {
            let other = title(&format!("{name}{words}"));
            let compared = title(name).compare(&other, occupations());
            assert!(compared.score() > 9.7, "{name}{words}: {compared:?}");
            assert!(
                compared.score() <= exact + 0.01,
                "{name}{words}: {compared:?}"
            );
        }
    }
}

#[test]
fn another_word_that_names_occupations_is_another_title() {
    for (one, other) in [("Nurse", "Nurse recruiter"), ("Sales", "Sales engineer")] {
        let compared = title(one).compare(&title(other), occupations());
        assert!(!compared.is_same, "{one}: {other}");
    }
}

#[test]
fn abbreviations_are_found_by_first_letters() {
    for (short, long) in [
        ("RN", "Registered nurse"),
        ("CNC operator", "Computer numerical control operator"),
    ] {
        let compared = title(short).compare(&title(long), occupations());
        assert!(compared.initials > 0.0, "{short}: {compared:?}");
    }
}

#[test]
fn words_in_common_are_quoted_from_the_first_text() {
    for (one, other, words) in [
        (
            "Drivers of Trucks",
            "truck driver",
            &["Drivers", "Trucks"][..],
        ),
        ("Chef of the day", "Nurse of the Day", &["day"]),
        ("Cook", "chef", &[]),
        ("", "x", &[]),
    ] {
        assert_eq!(title(one).words_in_common(&title(other)), words, "{one}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_has_a_meaning_that_is_stored_whole(text in "\\PC{0,60}", other in "[A-Za-z ,/()-]{0,40}") {
        let meaning = occupations().meaning(&text);
        let longer = format!("{text}.");
        prop_assert!(meaning.is_of(&text) && !meaning.is_of(&longer));
        let bytes = meaning.to_bytes();
        prop_assert!(bytes.len() <= Meaning::MAX_BYTES);
        let stored = Meaning::from_bytes(&bytes);
        prop_assert_eq!(stored.as_ref(), Some(&meaning));
        let (one, two) = (title(&text), title(&other));
        let (there, back) = (one.compare(&two, occupations()), two.compare(&one, occupations()));
        prop_assert!((there.score() - back.score()).abs() < 0.001);
        for signal in [there.vectors, there.occupations, there.letters, there.initials, there.conflict] {
            prop_assert!((0.0..=1.001).contains(&signal), "{:?}", there);
        }
    }

    #[test]
    fn any_bytes_are_a_meaning_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..220)) {
        if let Some(meaning) = Meaning::from_bytes(&bytes) {
            prop_assert_eq!(meaning.to_bytes(), bytes);
        }
    }
}
