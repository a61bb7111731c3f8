//! Places as people write them: `Austin, TX`, `Montréal, QC, Canada`, `Ft. Worth, TX (Remote)`, `NYC`.

use trestle_domain::Rule;
use trestle_places as places;
use trestle_places::{City, Home};

use super::city::{CityKey, plain};
use super::city_name::{city_name, stored_name, with_full_name};
use super::country::Country;
use super::remote::Remote;
use super::skill::split_at;

/// The city of jobs without an office.
pub const REMOTE: &str = "Remote";

const FORM: Rule = Rule::Invalid("a place such as \"Austin, TX\" or \"Toronto, ON, Canada\"");
/// Several places are written as one.
pub const SEVERAL: Rule = Rule::Invalid("one place, such as \"Austin, TX\"");

/// Words about offices, which say nothing about the place.
const OFFICE: [&str; 3] = ["hybrid", "onsite", "on-site"];

/// The parts of a place that someone wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenPlace {
    /// The city: as it is written, or by its name in the gazetteer if the key would differ; "Remote" for a place without one.
    pub city: String,
    /// The city as it is written.
    pub name: String,
    /// The city in the gazetteer.
    pub found: Option<City>,
    /// The region, as it was written.
    pub region: Option<String>,
    /// The country, if the text or what is known of the city names one.
    pub country: Option<Country>,
    /// The zip code.
    pub zip: Option<String>,
    /// Whether the text says that work from home is possible.
    pub is_remote: bool,
    /// Whether it is possible in every country.
    pub is_worldwide: bool,
}

impl WrittenPlace {
    /// Reads a place.
    ///
    /// # Errors
    /// The text cannot be read as a place.
    pub fn read(text: &str, home: Home) -> Result<Self, Rule> {
        let remote = Remote::read(text);
        if remote.rest.contains(';') || remote.rest.contains(" or ") {
            return Err(SEVERAL);
        }
        let rest = without_office(&remote.rest);
        let is_empty = !rest.contains(char::is_alphanumeric);
        if remote.is_remote && is_empty {
            return Ok(Self::remote(None, home.country(), remote.is_worldwide));
        }
        if remote.is_remote
            && let Some((region, country)) = remote_in(&rest, home)
        {
            return Ok(Self::remote(region, Some(country), false));
        }
        if is_empty && text.trim().is_empty() {
            return Err(Rule::Required);
        }
        let read = places::read(&with_full_name(&rest), home).ok_or(FORM)?;
        if !read.name.contains(char::is_alphabetic) {
            return Err(FORM);
        }
        let at = read.country.or(home.country());
        let known_region = at.zip(read.region.as_deref());
        let known_region = known_region.and_then(|(country, region)| country.region(region));
        let is_known = read.region.is_none() || known_region.is_some();
        let corrected = City::like(&read.name, at, known_region).filter(|_| is_known);
        let name: &str = corrected.map_or(&read.name, |city| city.name());
        let found = read.city.or(corrected);
        let name = city_name(name);
        let city = stored_name(&name, found);
        let key = CityKey::parse(&city)?;
        // "DC", "Washington DC": there is a state of that name.
        let is_capital = key.as_str() == "washington" && plain(&read.name) != "washington";
        let region = read.region.or(is_capital.then(|| "DC".to_owned()));
        let country = match home {
            Home::Is(home) => read.country.or(Some(home)),
            Home::Assumed(home) => {
                let there = found.map(City::country);
                read.country.or(there).or(Some(home))
            }
            Home::Unknown => read.country,
        };
        Ok(Self {
            is_remote: remote.is_remote || key == CityKey::remote(),
            city,
            name,
            found,
            region,
            country: country.map(Country::from),
            zip: read.postcode,
            is_worldwide: remote.is_worldwide,
        })
    }

    /// The places that someone wrote as one: `NYC / SF`, of which each is a city.
    ///
    /// # Errors
    /// As those of [`WrittenPlace::read`].
    pub fn read_all(text: &str, home: Home) -> Result<Vec<Self>, Rule> {
        let together = named_together(text, &LIST_MARKS);
        if together.len() < 2 {
            return Self::read(text, home).map(|read| vec![read]);
        }
        let read = together.iter().map(|text| Self::read(text, home));
        let read = read.collect::<Result<Vec<_>, Rule>>()?;
        if read.iter().any(|place| place.found.is_none()) {
            return Err(SEVERAL);
        }
        Ok(read)
    }

    fn remote(region: Option<&str>, country: Option<places::Country>, is_worldwide: bool) -> Self {
        Self {
            city: REMOTE.to_owned(),
            name: REMOTE.to_owned(),
            found: None,
            region: region.map(str::to_owned),
            country: country.map(Country::from),
            zip: None,
            is_remote: true,
            is_worldwide,
        }
    }
}

/// Marks between the places of a list.
pub const LIST_MARKS: [&str; 2] = ["/", "|"];
/// What stands between several places in any text.
pub const JOINTS: [&str; 5] = ["/", "|", "&", "+", " and "];

/// The texts between marks, if each of at least two is a different city: `Biel/Bienne` is one.
pub fn named_together<'t>(text: &'t str, marks: &[&str]) -> Vec<&'t str> {
    let parts: Vec<_> = split_at(text, marks).into_iter().map(str::trim).collect();
    let mut cities = Vec::new();
    for part in &parts {
        let Some(read) = places::read(&with_full_name(part), Home::Unknown) else {
            return vec![text];
        };
        match read.city {
            Some(city) if !cities.contains(&city) => cities.push(city),
            Some(_) => {}
            None => return vec![text],
        }
    }
    if cities.len() > 1 && !City::named(text).iter().any(|city| cities.contains(city)) {
        parts
    } else {
        vec![text]
    }
}

fn without_office(text: &str) -> String {
    let is_office = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        OFFICE.contains(&word.to_lowercase().as_str())
    };
    let words = text.split_whitespace().filter(|word| !is_office(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Work from home in a country or a region: `Remote in Texas`. Around a city, it is remote in that city.
fn remote_in(text: &str, home: Home) -> Option<(Option<&str>, places::Country)> {
    if let Some((region, country)) = text.rsplit_once(',')
        && let Some(country) = places::Country::written(country)
        && country.region(region).is_some()
        && !is_city(region, country)
    {
        return Some((Some(region.trim()), country));
    }
    if let Some(home) = home.country()
        && home.region(text).is_some()
        && (text.len() <= 3 || !is_city(text, home))
    {
        return Some((Some(text), home));
    }
    let text = text.trim();
    let text = text
        .strip_prefix("the ")
        .or(text.strip_prefix("The "))
        .unwrap_or(text);
    let country = places::Country::written(text)?;
    Some((None, country))
}

fn is_city(text: &str, country: places::Country) -> bool {
    let mut cities = City::named(text).into_iter();
    cities.any(|city| city.country() == country && city.is_called(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_people_write_them() {
        let us = Country::parse("US").unwrap().is_assumed();
        for (text, city, region, country, is_remote) in [
            ("San Jose, CA", "San Jose", Some("CA"), "US", false),
            ("New York, NY", "New York", Some("NY"), "US", false),
            (
                "New York City, NY",
                "New York City",
                Some("NY"),
                "US",
                false,
            ),
            ("NYC", "NYC", None, "US", false),
            ("Toronto, ON, Canada", "Toronto", Some("ON"), "CA", false),
            ("Toronto, ON", "Toronto", Some("ON"), "CA", false),
            ("Montréal, QC", "Montréal", Some("QC"), "CA", false),
            ("London, UK", "London", None, "GB", false),
            ("London", "London", None, "GB", false),
            ("Berlin, Germany", "Berlin", None, "DE", false),
            ("Berlin, DE", "Berlin", None, "DE", false),
            ("Newark, DE", "Newark", Some("DE"), "US", false),
            ("Bengaluru, IN", "Bengaluru", None, "IN", false),
            ("Indianapolis, IN", "Indianapolis", Some("IN"), "US", false),
            ("Cairo, Egypt", "Cairo", None, "EG", false),
            ("Vancouver, WA", "Vancouver", Some("WA"), "US", false),
            ("Casablanca, MA", "Casablanca", None, "MA", false),
            ("Cambridge, MA", "Cambridge", Some("MA"), "US", false),
            ("Ft. Worth, TX", "Fort Worth", Some("TX"), "US", false),
            ("Mt. Laurel, NJ", "Mount Laurel", Some("NJ"), "US", false),
            ("St. Louis, MO", "Saint Louis", Some("MO"), "US", false),
            ("Philly", "Philadelphia", None, "US", false),
            ("Austin, TX 78701", "Austin", Some("TX"), "US", false),
            ("Boston MA 02110", "Boston", Some("MA"), "US", false),
            ("New York NY 10001", "New York", Some("NY"), "US", false),
            (
                "New York, NY 10001-1234",
                "New York",
                Some("NY"),
                "US",
                false,
            ),
            ("Austin TX 78701", "Austin", Some("TX"), "US", false),
            ("Austin TX 78701 USA", "Austin", Some("TX"), "US", false),
            ("Austin, TX 78701, USA", "Austin", Some("TX"), "US", false),
            ("Austin, TX, 78701, USA", "Austin", Some("TX"), "US", false),
            (
                "Austin, Texas 78701, US",
                "Austin",
                Some("Texas"),
                "US",
                false,
            ),
            ("Austin 78701", "Austin", None, "US", false),
            ("Austin, 78701", "Austin", None, "US", false),
            ("Toronto ON M5V 2T6", "Toronto", Some("ON"), "CA", false),
            (
                "Montreal, QC H2X1Y4, Canada",
                "Montreal",
                Some("QC"),
                "CA",
                false,
            ),
            ("Austin TX 78701 (Remote)", "Austin", Some("TX"), "US", true),
            ("Anywhere in the US", "Remote", None, "US", true),
            ("Remote in the US", "Remote", None, "US", true),
            ("Remote within the US", "Remote", None, "US", true),
            ("Remote, anywhere in the USA", "Remote", None, "US", true),
            ("Remote (US only)", "Remote", None, "US", true),
            ("Anywhere in the United States", "Remote", None, "US", true),
            ("Remote in the UK", "Remote", None, "GB", true),
            ("Remote, anywhere in the world", "Remote", None, "US", true),
            ("Remote worldwide", "Remote", None, "US", true),
            ("Work from anywhere", "Remote", None, "US", true),
            ("Work from anywhere in Canada", "Remote", None, "CA", true),
            ("Telecommute", "Remote", None, "US", true),
            (
                "Austin, TX or telecommute",
                "Austin",
                Some("TX"),
                "US",
                true,
            ),
            ("Remote, The Hague", "The Hague", None, "NL", true),
            ("Austin, TX (Remote)", "Austin", Some("TX"), "US", true),
            ("Remote - Austin, TX", "Austin", Some("TX"), "US", true),
            ("US - Remote", "Remote", None, "US", true),
            ("Remote, CA", "Remote", Some("CA"), "US", true),
            ("Remote in Canada", "Remote", None, "CA", true),
            ("Remote in USA", "Remote", None, "US", true),
            ("Remote", "Remote", None, "US", true),
            ("Remote (UK)", "Remote", None, "GB", true),
            ("Canada", "Canada", None, "CA", false),
            ("Portland, Oregon", "Portland", Some("Oregon"), "US", false),
            ("Chicago IL", "Chicago", Some("IL"), "US", false),
            ("Austin Texas", "Austin", Some("Texas"), "US", false),
            ("Toronto Ontario", "Toronto", Some("Ontario"), "CA", false),
            ("Port Washington", "Port Washington", None, "US", false),
            ("West Jordan", "West Jordan", None, "US", false),
            ("Austin, TX US", "Austin", Some("TX"), "US", false),
            ("Boulder USA", "Boulder", None, "US", false),
            ("USA, WA, Seattle", "Seattle", Some("WA"), "US", false),
            ("Wayne, PA Hybrid", "Wayne", Some("PA"), "US", false),
            ("Holland, MI", "Holland", Some("MI"), "US", false),
            (
                "San Fransisco, CA",
                "San Francisco",
                Some("CA"),
                "US",
                false,
            ),
            ("Los Angles", "Los Angeles", None, "US", false),
            ("Pittsburg, KS", "Pittsburg", Some("KS"), "US", false),
            ("Frankfort, KY", "Frankfort", Some("KY"), "US", false),
            ("Dallas-Fort Worth Metroplex", "Dallas", None, "US", false),
            (
                "Brooklyn, New York, NY",
                "Brooklyn",
                Some("NY"),
                "US",
                false,
            ),
            ("Brooklyn, NYC", "Brooklyn", Some("NY"), "US", false),
            ("The Bronx, NY", "Bronx", Some("NY"), "US", false),
            ("NY", "New York", None, "US", false),
            ("Vegas", "Las Vegas", None, "US", false),
            ("The Bay Area", "San Francisco", None, "US", false),
            (
                "Port St. Lucie, FL",
                "Port Saint Lucie",
                Some("FL"),
                "US",
                false,
            ),
            (
                "Sault Ste Marie, MI",
                "Sault Sainte Marie",
                Some("MI"),
                "US",
                false,
            ),
            ("Remote in NY", "Remote", Some("NY"), "US", true),
            (
                "100 Mile House, BC",
                "100 Mile House",
                Some("BC"),
                "CA",
                false,
            ),
            ("Chicgo, IL", "Chicago", Some("IL"), "US", false),
            ("Chicgo", "Chicgo", None, "US", false),
            ("Silicon Valley", "San Jose", None, "US", false),
        ] {
            let read = WrittenPlace::read(text, us).unwrap();
            let parts = (
                read.city.as_str(),
                read.region.as_deref(),
                read.country.as_ref().map_or("", Country::as_str),
                read.is_remote,
            );
            assert_eq!(parts, (city, region, country, is_remote), "{text}");
        }
        for text in [
            "",
            "???",
            "123 Main St",
            "12345",
            "Springfield, Nowhere",
            "Austin, XX",
            "Dallas, TX or Scottsdale, AZ",
            "Boston; New York",
            "Indianapolis, IN Chicago, IL Atlanta, GA",
        ] {
            assert!(WrittenPlace::read(text, us).is_err(), "{text}");
        }
    }
}
