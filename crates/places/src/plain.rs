//! Names as they are compared.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// A name in lower case, without accents and marks: `Saint-Étienne` is `saint etienne`, `Łódź` is `lodz`.
pub fn plain(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let mut plain = String::with_capacity(text.len());
    for c in decomposed.chars().flat_map(char::to_lowercase) {
        match c {
            '\u{300}'..='\u{36f}' | '.' | '\'' | '’' | 'ʻ' | 'ʼ' | '`' => {}
            'ß' => plain.push_str("ss"),
            'ø' => plain.push('o'),
            'æ' => plain.push_str("ae"),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'œ' => plain.push_str("oe"),
            'ı' => plain.push('i'),
            'ħ' => plain.push('h'),
            c if c.is_alphanumeric() => plain.push(c),
            _ if plain.ends_with(' ') => {}
            _ => plain.push(' '),
        }
    }
    plain.trim().to_owned()
}

/// Other ways to write a plain name, for names that are not known: `st gallen` is `saint gallen` and `sankt gallen`, `muenchen` is
/// `munchen`, and what is around a name in `greater denver area` says nothing.
pub fn variants(plain: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (short, long) in ABBREVIATIONS {
        found.push(replaced(plain, short, long));
        found.push(replaced(plain, long, short));
    }
    found.push(
        plain
            .replace("ae", "a")
            .replace("oe", "o")
            .replace("ue", "u"),
    );
    found.push(core(plain).to_owned());
    found.retain(|variant| variant != plain && !variant.is_empty());
    found
}

const ABBREVIATIONS: [(&str, &str); 5] = [
    ("st", "saint"),
    ("st", "sankt"),
    ("ste", "sainte"),
    ("ft", "fort"),
    ("mt", "mount"),
];

fn replaced(name: &str, word: &str, other: &str) -> String {
    let words = name.split(' ');
    let words = words.map(|own| if own == word { other } else { own });
    words.collect::<Vec<_>>().join(" ")
}

fn core(plain: &str) -> &str {
    const BEFORE: [&str; 4] = ["greater ", "city of ", "downtown ", "the "];
    const AFTER: [&str; 6] = [
        " metropolitan area",
        " metro area",
        " area",
        " metro",
        " city",
        " region",
    ];
    let before = BEFORE.iter().find_map(|words| plain.strip_prefix(words));
    let rest = before.unwrap_or(plain);
    let after = AFTER.iter().find_map(|words| rest.strip_suffix(words));
    after.unwrap_or(rest)
}
