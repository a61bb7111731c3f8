//! Places as people write them: every city of the gazetteer in every spelling.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use proptest::prelude::*;
use trestle_places::{City, Country, Home, Written, read};

const LEAST: f64 = 50_000.0;

fn home(code: &str) -> Home {
    Home::Assumed(Country::of_code(code).unwrap())
}

/// Text without accents, as keyboards without them write it.
fn without_accents(text: &str) -> String {
    let pairs = [
        ("áàâãäåā", 'a'),
        ("éèêëē", 'e'),
        ("íìîïī", 'i'),
        ("óòôõöō", 'o'),
        ("úùûüū", 'u'),
        ("ç", 'c'),
        ("ñ", 'n'),
    ];
    let plain = |c: char| {
        pairs
            .iter()
            .find(|(from, _)| from.contains(c))
            .map_or(c, |(_, to)| *to)
    };
    text.chars().map(plain).collect()
}

/// A larger city of the same name is read where a text says nothing else.
fn is_it(city: City, read: Option<Written>) -> bool {
    let found = read.and_then(|read| read.city);
    found.is_some_and(|found| {
        let has_name = City::named(city.name()).contains(&found);
        found == city || (has_name && found.country() == city.country())
    })
}

#[test]
fn every_city_is_read_in_every_spelling() {
    let mut missed = Vec::new();
    let mut count = 0;
    for city in City::all().filter(|city| city.population() >= LEAST) {
        let (name, country) = (city.name(), city.country());
        let mut texts = vec![
            (name.to_owned(), Home::Is(country)),
            (name.to_uppercase(), Home::Is(country)),
            (without_accents(&name.to_lowercase()), Home::Is(country)),
            (format!("80331 {name}"), Home::Is(country)),
            (format!("{name} 80331"), Home::Is(country)),
            (format!("{name}, {}", country.name()), home("US")),
            (format!("{name} ({})", country.name()), home("US")),
        ];
        if let Some(region) = city.region() {
            texts.push((format!("{name}, {}", region.name()), Home::Is(country)));
            texts.push((
                format!("{name}, {}, {}", region.name(), country.code()),
                home("US"),
            ));
            texts.push((
                format!("12 High Street, {name}, {}", region.name()),
                Home::Is(country),
            ));
            if !region.code().is_empty() {
                texts.push((format!("{name} {}", region.code()), Home::Is(country)));
            }
        }
        count += texts.len();
        missed.extend(
            texts
                .into_iter()
                .filter(|(text, home)| !is_it(city, read(text, *home))),
        );
    }
    let share = missed.len() as f64 / count as f64;
    let some: Vec<_> = missed
        .iter()
        .step_by(missed.len() / 40 + 1)
        .map(|(text, _)| text)
        .collect();
    println!("{} of {count} texts are not read: {some:#?}", missed.len());
    assert!(share < 0.005, "{share}");
}

#[test]
fn cities_of_one_name_are_kept_apart_by_their_regions() {
    let mut mixed = Vec::new();
    for city in City::all().filter(|city| city.population() >= LEAST) {
        let Some(region) = city.region() else {
            continue;
        };
        let others = City::named(city.name()).into_iter();
        for other in
            others.filter(|other| other.region() != Some(region) && other.region().is_some())
        {
            let there = Home::Is(city.country());
            let text = format!("{}, {}", city.name(), region.name());
            if read(&text, there).and_then(|read| read.city) == Some(other) {
                mixed.push(text);
            }
        }
    }
    assert_eq!(mixed, [""; 0]);
}

#[test]
fn large_cities_are_read_by_their_names_alone() {
    let us = Country::of_code("US").unwrap();
    let mut missed = Vec::new();
    for code in ["DE", "FR", "GB", "IN", "BR", "MX", "JP", "CA", "AU", "ES"] {
        let country = Country::of_code(code);
        let mut cities: Vec<_> = City::all()
            .filter(|city| Some(city.country()) == country)
            .collect();
        cities.sort_by(|a, b| b.population().total_cmp(&a.population()));
        for city in cities.into_iter().take(25) {
            let found = read(city.name(), Home::Assumed(us)).and_then(|read| read.city);
            let is_meant = found.is_some_and(|found| {
                // A name that a city of the United States has is that city.
                found == city || (found.country() == us && found.is_called(city.name()))
            });
            if !is_meant {
                missed.push((city.name(), found.map(City::name)));
            }
        }
    }
    println!("{missed:?}");
    assert!(missed.len() <= 10, "{missed:?}");
}

#[test]
fn a_city_has_other_names() {
    for (name, others) in [
        (
            "Munich",
            &["München", "Muenchen", "MUNCHEN", "Monaco di Baviera"][..],
        ),
        ("The Hague", &["Den Haag", "'s-Gravenhage", "La Haye"]),
        (
            "Mexico City",
            &["CDMX", "Ciudad de México", "Ciudad de Mexico"],
        ),
        ("Mumbai", &["Bombay"]),
        ("Kolkata", &["Calcutta"]),
        ("Lisbon", &["Lisboa"]),
        ("Geneva", &["Genève", "Genf", "Ginevra"]),
        (
            "Frankfurt am Main",
            &["Frankfurt", "Frankfurt/Main", "Frankfurt a.M."],
        ),
        ("Sankt Gallen", &["St. Gallen", "St Gallen"]),
        ("St. Louis", &["Saint Louis", "St Louis", "St. Louis"]),
        ("Kingston upon Hull", &["Hull"]),
        ("New York City", &["NYC", "New York"]),
    ] {
        let city = City::named(name)[0];
        for other in others {
            let found = read(other, Home::Is(city.country()));
            assert_eq!(found.and_then(|read| read.city), Some(city), "{other}");
        }
    }
}

#[test]
fn what_is_no_city_is_none() {
    for text in [
        "Statewide",
        "Multiple sites",
        "Virtual",
        "DACH",
        "EMEA",
        "Nationwide",
        "Various",
        "Benelux",
        "Texas",
        "Germany",
        "Bavaria",
        "Remote",
        "TBD",
        "Headquarters",
    ] {
        for home in [home("US"), home("DE"), Home::Unknown] {
            let found = read(text, home).and_then(|read| read.city);
            assert_eq!(found.map(City::name), None, "{text}");
        }
    }
    for text in [
        "Springfield, Nowhere",
        "Austin, XX",
        "",
        "???",
        "123 Main St",
    ] {
        let city = read(text, home("US"));
        assert_eq!(city.and_then(|read| read.city), None, "{text}");
    }
}

#[test]
fn distances_are_those_of_the_map() {
    let named = |name: &str| City::named(name)[0];
    for (one, other, from, to) in [
        ("New York", "Jersey City", 2.0, 10.0),
        ("Manchester", "Salford", 1.0, 6.0),
        ("London", "Paris", 330.0, 350.0),
        ("Auckland", "Madrid", 19_000.0, 20_040.0),
    ] {
        let distance = named(one).distance(named(other));
        assert!((from..to).contains(&distance), "{one} {other} {distance}");
    }
    for city in City::all().step_by(500) {
        let near = city.within(50.0);
        assert!(near.contains(&city));
        assert!(near.iter().all(|other| other.within(50.0).contains(&city)));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_not(text in "[A-Za-zäß0-9 ,.()/-]{0,40}") {
        for home in [home("US"), Home::Unknown, Home::Is(Country::of_code("DE").unwrap())] {
            let _ = read(&text, home);
        }
    }
}
