//! The data file: countries, regions and cities. make_data.py says how it is written.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;

use crate::plain::plain;

static FILE: &[u8] = include_bytes!("../data/places.bin");
static DATA: LazyLock<Data> = LazyLock::new(Data::read);

const MAGIC: &[u8] = b"trestle-places 1\n";
/// The region of a city of which it is not known.
const NONE: u16 = u16::MAX;

/// The data, read when it is first needed.
pub fn data() -> &'static Data {
    &DATA
}

/// What the file has.
#[derive(Default)]
pub struct Data {
    pub countries: Vec<CountryRow>,
    pub regions: Vec<RegionRow>,
    pub cities: Vec<CityRow>,
    country_names: HashMap<String, usize>,
    region_names: HashMap<(usize, String), usize>,
    /// Hashes of names with the numbers of their cities, in order.
    city_names: Vec<(u64, u32)>,
}

pub struct CountryRow {
    pub code: String,
    pub name: String,
}

pub struct RegionRow {
    pub country: usize,
    /// Empty if ISO 3166-2 does not have it.
    pub code: String,
    /// The code of the region of which it is a part; empty if it is none, or that is not known.
    pub parent: String,
    pub name: String,
    pub has_cities: bool,
}

pub struct CityRow {
    pub name: String,
    pub country: usize,
    pub region: Option<usize>,
    pub population: f64,
    /// In degrees.
    pub latitude: f64,
    pub longitude: f64,
}

impl Data {
    /// Reads the file; what is cut off is missing.
    fn read() -> Self {
        let mut content = Vec::new();
        // The file is part of the program, and a test reads all of it.
        let _ = ZlibDecoder::new(FILE).read_to_end(&mut content);
        let mut rest = content.strip_prefix(MAGIC).unwrap_or_default();
        let mut data = Self::default();
        data.read_countries(&String::from_utf8_lossy(section(&mut rest)));
        data.read_regions(&String::from_utf8_lossy(section(&mut rest)));
        let names = String::from_utf8_lossy(section(&mut rest)).into_owned();
        let countries = section(&mut rest);
        let regions = low_and_high(section(&mut rest));
        let populations = section(&mut rest);
        let latitudes = low_and_high(section(&mut rest));
        let longitudes = low_and_high(section(&mut rest));
        let columns = names.lines().zip(countries).zip(regions);
        let columns = columns.zip(populations).zip(latitudes).zip(longitudes);
        for (number, columns) in (0..).zip(columns) {
            let (((((names, country), region), population), latitude), longitude) = columns;
            let mut names = names.split('\t');
            let name = names.next().unwrap_or_default();
            let own = hash(&plain(name));
            let others = names.map(hash).filter(|other| *other != own);
            data.city_names
                .extend(others.chain([own]).map(|name| (name, number)));
            let region = Some(usize::from(region)).filter(|_| region != NONE);
            if let Some(row) = region.and_then(|region| data.regions.get_mut(region)) {
                row.has_cities = true;
            }
            data.cities.push(CityRow {
                name: name.to_owned(),
                country: usize::from(*country),
                region,
                population: (f64::from(*population) / 12.0).exp(),
                latitude: f64::from(latitude.cast_signed()) / 100.0,
                longitude: f64::from(longitude.cast_signed()) / 100.0,
            });
        }
        data.city_names.sort_unstable();
        data
    }

    fn read_countries(&mut self, lines: &str) {
        for (number, line) in lines.lines().enumerate() {
            let mut fields = line.split('\t');
            let (code, long) = (fields.next(), fields.next());
            let mut names = fields.map(str::to_owned);
            let name = names.next().unwrap_or_default();
            let long = long.map(str::to_lowercase);
            for name in names.chain(long).chain([plain(&name)]) {
                self.country_names.entry(name).or_insert(number);
            }
            let code = code.unwrap_or_default().to_owned();
            self.countries.push(CountryRow { code, name });
        }
    }

    fn read_regions(&mut self, lines: &str) {
        let mut others = Vec::new();
        for (number, line) in lines.lines().enumerate() {
            let mut fields = line.split('\t').map(str::to_owned);
            let country = fields.next().and_then(|code| self.country_of_code(&code));
            let country = country.unwrap_or(usize::MAX);
            let code = fields.next().unwrap_or_default();
            let parent = fields.next().unwrap_or_default();
            let name = fields.next().unwrap_or_default();
            // Codes and first names come before other names: Washington is a state, and another name of the capital.
            for name in [code.to_lowercase(), plain(&name)] {
                if !name.is_empty() {
                    self.region_names.entry((country, name)).or_insert(number);
                }
            }
            others.extend(fields.map(|name| ((country, name), number)));
            self.regions.push(RegionRow {
                country,
                code,
                parent,
                name,
                has_cities: false,
            });
        }
        for (name, number) in others {
            self.region_names.entry(name).or_insert(number);
        }
    }

    pub fn country_of_code(&self, code: &str) -> Option<usize> {
        let by_code = |row: &CountryRow| row.code.as_str().cmp(code);
        self.countries.binary_search_by(by_code).ok()
    }

    pub fn country_named(&self, plain: &str) -> Option<usize> {
        self.country_names.get(plain).copied()
    }

    pub fn region_named(&self, country: usize, plain: &str) -> Option<usize> {
        let key = (country, plain.to_owned());
        self.region_names.get(&key).copied()
    }

    /// The numbers of the cities with a name.
    pub fn cities_named(&self, plain: &str) -> impl Iterator<Item = u32> {
        let hash = hash(plain);
        let first = self.city_names.partition_point(|(name, _)| *name < hash);
        let rest = self.city_names.get(first..).unwrap_or_default().iter();
        rest.take_while(move |(name, _)| *name == hash)
            .map(|(_, number)| *number)
    }
}

/// FNV-1a of 64 bits: the names are some ten thousand, so that no two of them meet.
fn hash(text: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn section<'c>(rest: &mut &'c [u8]) -> &'c [u8] {
    let Some((length, after)) = rest.split_first_chunk() else {
        return &[];
    };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (section, after) = after.split_at_checked(length).unwrap_or_default();
    *rest = after;
    section
}

/// Numbers of which all low bytes come first.
fn low_and_high(section: &[u8]) -> impl Iterator<Item = u16> {
    let (low, high) = section
        .split_at_checked(section.len() / 2)
        .unwrap_or_default();
    let pairs = low.iter().zip(high);
    pairs.map(|(low, high)| u16::from_le_bytes([*low, *high]))
}
