//! Places as people write them: `Austin, TX`, `Montréal, QC, Canada`, `Ft. Worth, TX (Remote)`, `NYC`.

use trestle_domain::Rule;

use super::city::{CityKey, plain};
use super::city_name::{city_name, corrected};
use super::forms::{begins_with_region, in_order};
use super::region::{Country, Region};
use super::remote::without_remote;
use super::street::is_street;
use super::zip_code::{without_last_zip, without_zip};

/// The city of jobs without an office.
pub const REMOTE: &str = "Remote";

const FORM: Rule = Rule::Invalid("a place such as \"Austin, TX\" or \"Toronto, ON, Canada\"");

/// What is known of the country of a place before its text is read.
#[derive(Clone, Copy, Debug)]
pub enum Home<'c> {
    /// It is this country.
    Is(&'c Country),
    /// It is this country unless the text says otherwise.
    Assumed(&'c Country),
    /// Nothing is known.
    Unknown,
}

impl<'c> Home<'c> {
    fn country(self) -> Option<&'c Country> {
        match self {
            Home::Is(country) | Home::Assumed(country) => Some(country),
            Home::Unknown => None,
        }
    }
}

/// The parts of a place that someone wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenPlace {
    /// The city; "Remote" for a place without one.
    pub city: String,
    /// The region, as it was written.
    pub region: Option<String>,
    /// The country, if the text or what is known of the city names one.
    pub country: Option<Country>,
    /// The zip code.
    pub zip: Option<String>,
    /// Whether the text says that work from home is possible.
    pub is_remote: bool,
}

impl WrittenPlace {
    /// Reads a place.
    ///
    /// # Errors
    /// The text cannot be read as a place.
    pub fn read(text: &str, home: Home<'_>) -> Result<Self, Rule> {
        let (rest, is_remote) = without_remote(text);
        let (rest, zip) = without_zip(&rest);
        let rest = in_order(&rest)?;
        let parts: Vec<_> = rest.split(',').map(str::trim).collect();
        let mut parts: Vec<_> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        let mut zip = zip;
        if parts.len() > 1
            && let Some(last) = parts.last_mut()
        {
            let (rest, code) = without_last_zip(last);
            (*last, zip) = (rest, code.or(zip));
        }
        parts.retain(|part| !part.is_empty());
        while let Some(true) = parts.first().map(|first| is_street(first)) {
            parts.remove(0);
            if parts.is_empty() {
                return Err(FORM);
            }
        }
        let (city, region, country) = match parts.as_slice() {
            [] if is_remote => (REMOTE, None, None),
            [] => return Err(Rule::Required),
            [only] if is_remote => remote_in(only, home),
            [only] => (*only, None, named_alone(only)),
            [city, rest @ ..] => {
                let (region, country) = region_and_country(city, rest, home).ok_or(FORM)?;
                (*city, region, Some(country))
            }
        };
        if !city.chars().any(char::is_alphabetic) {
            return Err(FORM);
        }
        let home_country = country.as_ref().or(home.country());
        let name = corrected(city_name(city), region, home_country);
        let key = CityKey::parse(&name)?;
        // "DC", "Washington DC": there is a state of that name.
        let is_capital = key.as_str() == "washington" && plain(city) != "washington";
        let region = region.or(is_capital.then_some("DC"));
        let city = name;
        let known = || Region::of_city(&key).map(|(_, country)| country);
        let country = match home {
            Home::Is(home) => country.or_else(|| Some(home.clone())),
            Home::Assumed(home) => country.or_else(known).or_else(|| Some(home.clone())),
            Home::Unknown => country,
        };
        Ok(Self {
            city,
            region: region.map(str::to_owned),
            country,
            zip,
            is_remote: is_remote || key == CityKey::remote(),
        })
    }
}

/// A country that is written alone.
fn named_alone(text: &str) -> Option<Country> {
    let is_city = CityKey::parse(text).is_ok_and(|key| Region::of_city(&key).is_some());
    Country::by_name(text).filter(|_| !is_city)
}

type Parts<'t> = (&'t str, Option<&'t str>, Option<Country>);

/// Work from home in a country, a region or around a city.
fn remote_in<'t>(text: &'t str, home: Home<'_>) -> Parts<'t> {
    if home
        .country()
        .is_some_and(|home| home.region(text).is_some())
        && Country::by_name(text).is_none()
        && CityKey::parse(text).is_ok_and(|key| Region::of_city(&key).is_none())
    {
        return (REMOTE, Some(text), home.country().cloned());
    }
    match Country::named(text) {
        Some(country) => (REMOTE, None, Some(country)),
        None => (text, None, None),
    }
}

/// What follows a city: a region, a country, or both.
fn region_and_country<'t>(
    city: &str,
    rest: &[&'t str],
    home: Home<'_>,
) -> Option<(Option<&'t str>, Country)> {
    let (last, before) = rest.split_last()?;
    let Some(region) = before.last() else {
        return second(city, last, home);
    };
    let mut north_american = ["US", "CA"].map(Country::parse).into_iter().flatten();
    if north_american.any(|country| begins_with_region(region, &country)) {
        // Several cities.
        return None;
    }
    if let Some(country) = Country::named(last)
        && (country.region(region).is_some() || !country.needs_known_regions())
    {
        return Some((Some(region), country));
    }
    // "Brooklyn, New York, NY"
    second(city, last, home)
}

/// What one word after a city means: the regions and countries that it names, of which one is where the city is known to
/// be.
fn second<'t>(city: &str, text: &'t str, home: Home<'_>) -> Option<(Option<&'t str>, Country)> {
    let north_american = ["US", "CA"].map(Country::parse).into_iter().flatten();
    let countries: Vec<Country> = home
        .country()
        .cloned()
        .into_iter()
        .chain(north_american)
        .collect();
    let regions = countries
        .into_iter()
        .filter(|country| country.region(text).is_some());
    let regions = regions.map(|country| (Some(text), country));
    let options: Vec<_> = regions
        .chain(Country::named(text).map(|country| (None, country)))
        .collect();
    if let Home::Is(home) = home
        && let Some(option) = options.iter().find(|(_, country)| country == home)
    {
        return Some(option.clone());
    }
    let key = CityKey::parse(&city_name(city)).ok()?;
    let known = Region::of_city(&key);
    let fits = |(region, country): &&(Option<&str>, Country)| match (&known, region) {
        (Some((known, at)), Some(region)) => {
            at == country
                && country
                    .region(region)
                    .is_some_and(|region| region == *known)
        }
        (Some((_, at)), None) => at == country,
        // Berlin and Casablanca are regions of their countries.
        (None, None) => country.region(city).is_some(),
        (None, Some(_)) => false,
    };
    if let Some(option) = options.iter().find(fits).or_else(|| options.first()) {
        return Some(option.clone());
    }
    // "Brooklyn, NYC"
    if let (Some(whole), Some((region, country))) = (key.whole(), &known)
        && CityKey::parse(&city_name(text)) == Ok(whole)
    {
        return Some((Some(region.region_code()), country.clone()));
    }
    match (Region::unique(text), home) {
        (Some((_, country)), Home::Assumed(_) | Home::Unknown) => Some((Some(text), country)),
        // The standard does not have every name that people write, such as those of counties.
        (_, Home::Is(home)) if !home.needs_known_regions() => Some((Some(text), home.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_people_write_them() {
        let us = Country::parse("US").unwrap();
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
            ("Remote, The Hague", "The Hague", None, "US", true),
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
            let read = WrittenPlace::read(text, Home::Assumed(&us)).unwrap();
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
            assert!(
                WrittenPlace::read(text, Home::Assumed(&us)).is_err(),
                "{text}"
            );
        }
    }
}
