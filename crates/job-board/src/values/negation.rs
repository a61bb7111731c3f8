//! What a headline says that someone is not, or does not want: `Truck driver, not a dispatcher`.

/// Words after which nothing is meant until the next mark.
const NOT: [&str; 9] = [
    "not",
    "no",
    "never",
    "without",
    "nor",
    "except",
    "excluding",
    "don't",
    "avoiding",
];
/// The first words of two after which nothing is meant either.
const NOT_PAIRS: [(&str, &str); 3] = [("rather", "than"), ("instead", "of"), ("other", "than")];
/// Words after a `not` that negates nothing.
const ONLY: [&str; 3] = ["only", "just", "limited"];
/// Words that end what is not meant.
const BUT: [&str; 2] = ["but", "instead"];
/// Marks that end it.
const MARKS: &str = ",;.:()|/–—";

/// The text without what it negates; all of it if nothing else is there.
pub fn affirmed(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut kept = Vec::with_capacity(words.len());
    let mut is_negated = false;
    for (at, word) in words.iter().enumerate() {
        let is_mark = |c: char| MARKS.contains(c);
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        if before.is_some_and(|before| before.ends_with(is_mark))
            || word.starts_with(is_mark)
            || *word == "-"
        {
            is_negated = false;
        }
        let plain = |word: &str| word.trim_matches(is_mark).to_lowercase().replace('’', "'");
        let (lower, next) = (plain(word), words.get(at + 1).map(|next| plain(next)));
        let next = next.unwrap_or_default();
        let is_pair = NOT_PAIRS.contains(&(lower.as_str(), next.as_str()));
        let is_number = next.starts_with(|c: char| c.is_ascii_digit() || c == '#');
        let is_not = NOT.contains(&lower.as_str()) && !ONLY.contains(&next.as_str()) && !is_number;
        if (is_not && !word.ends_with(is_mark)) || is_pair {
            is_negated = true;
        } else if BUT.contains(&lower.as_str()) {
            is_negated = false;
        }
        if !is_negated {
            kept.push(*word);
        }
    }
    let says_something = kept.iter().any(|word| word.contains(char::is_alphanumeric));
    if kept.len() == words.len() || !says_something {
        text.to_owned()
    } else {
        kept.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_negated_is_left_out() {
        for (headline, meant) in [
            ("Truck driver, not a dispatcher", "Truck driver,"),
            ("Nurse (not a recruiter), nights", "Nurse nights"),
            ("Cook, no more dishes, weekends ok", "Cook, weekends ok"),
            ("Welder rather than fitter", "Welder"),
            ("Not a lawyer but a paralegal", "but a paralegal"),
            ("Not only a cook", "Not only a cook"),
            ("The No. 1 closer", "The No. 1 closer"),
            ("No nights", "No nights"),
            ("Nurse  in a hospital", "Nurse  in a hospital"),
        ] {
            assert_eq!(affirmed(headline), meant, "{headline}");
        }
    }
}
