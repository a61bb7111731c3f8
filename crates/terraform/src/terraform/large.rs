//! Objects with many keys: the parser compares each key with all others of its object.

use super::duplicates::splits;

/// The source with each large object as a call of `merge` with smaller ones, which has the same value; `None` if there is
/// none. Lines stay where they are.
pub fn with_small_objects(text: &str) -> Option<String> {
    let mut marks = splits(text);
    marks.sort_by_key(|(at, _)| *at);
    let (mut split, mut copied) = (String::with_capacity(text.len() + marks.len() * 4), 0);
    for (at, mark) in &marks {
        split.push_str(text.get(copied..*at)?);
        split.push_str(mark);
        copied = *at;
    }
    split.push_str(text.get(copied..)?);
    (!marks.is_empty()).then_some(split)
}

#[cfg(test)]
mod tests {
    use super::super::duplicates::MANY;
    use super::*;

    #[test]
    fn a_large_object_is_split_into_small_ones() {
        let entries = |of: std::ops::Range<usize>| {
            of.map(|n| format!("  \"k{n}\" = {{ n = {n} }}\n"))
                .collect::<String>()
        };
        let small = format!("x = {{\n{}}}\n", entries(0..MANY));
        assert_eq!(with_small_objects(&small), None);
        let kind = format!("type = object({{\n{}}})\n", entries(0..600));
        assert_eq!(with_small_objects(&kind), None);
        let large = format!(
            "y = [{{\n{}  (a.b) : 1, c = 2\n}}]\nz = 1\n",
            entries(0..600)
        );
        let split = with_small_objects(&large).unwrap();
        assert_eq!(split.lines().count(), large.lines().count());
        assert!(split.starts_with("y = [merge({\n"), "{split}");
        assert_eq!(
            (
                split.matches("merge(").count(),
                split.matches("}, {").count()
            ),
            (1, 2)
        );
        assert!(split.ends_with("c = 2\n})]\nz = 1\n"), "{split}");
        let parsed = hcl::edit::parser::parse_body(&split);
        assert!(parsed.is_ok(), "{parsed:?}");
    }
}
