//! How many values the JSON of a client has, counted before any of it is read: as a tree, a value of a few bytes takes a
//! few hundred.

/// Bytes of memory that a value or the name of a member takes at most in a tree, besides the bytes of its text. Most is
/// taken by an object with one member.
pub(crate) const VALUE_BYTES: usize = 256;

/// The values and names in a JSON text: one, and one more for each sign that precedes another. A text that is not JSON
/// has at most as many before its first mistake.
pub(crate) fn values(text: &[u8]) -> usize {
    let mut found = 1;
    let mut is_quoted = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            // The next byte ends no string.
            b'\\' if is_quoted => {
                bytes.next();
            }
            b'{' | b'[' | b',' | b':' if !is_quoted => found += 1,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use apollo_compiler::response::JsonValue;
    use proptest::prelude::*;

    use super::*;

    /// Entries of a list before it grows first.
    const LEAST_ENTRIES: usize = 4;
    /// An entry of a map: its hash, its name and its value.
    type Entry = (usize, bytes::Bytes, JsonValue);

    /// The bytes that the values below one take: entries of lists double as they grow, and so do those of maps, of which
    /// an eighth stays free beside a number and a byte for each.
    fn tree_bytes(value: &JsonValue) -> usize {
        match value {
            JsonValue::String(text) => text.as_str().len(),
            JsonValue::Array(items) if !items.is_empty() => {
                let places = items.len().next_power_of_two().max(LEAST_ENTRIES);
                places * size_of::<JsonValue>() + items.iter().map(tree_bytes).sum::<usize>()
            }
            JsonValue::Object(fields) if !fields.is_empty() => {
                let buckets = (fields.len() * 8 / 7 + 1).next_power_of_two().max(4);
                let places = (buckets * 7 / 8).max(3);
                let below = fields
                    .iter()
                    .map(|(name, value)| name.as_str().len() + tree_bytes(value));
                let own = places * size_of::<Entry>() + buckets * 9 + 16;
                own + below.sum::<usize>()
            }
            _ => 0,
        }
    }

    /// Values without the names of members.
    fn true_values(value: &JsonValue) -> usize {
        1 + match value {
            JsonValue::Array(items) => items.iter().map(true_values).sum(),
            JsonValue::Object(fields) => fields.values().map(true_values).sum(),
            _ => 0,
        }
    }

    /// Texts of JSON of every form, and how often each is repeated.
    fn texts() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("0".to_owned()),
            Just("null".to_owned()),
            Just("-1.5e3".to_owned()),
            Just("\"\"".to_owned()),
            "[a-z\"\\\\{}\\[\\],: \u{e9}]{0,12}"
                .prop_map(|text| serde_json::json!(text).to_string()),
        ];
        let tree = leaf.prop_recursive(8, 64, 6, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..6);
            let names = prop_oneof![Just(String::new()), "[a-z:,\\[]{0,20}"];
            let object = prop::collection::vec((names, inner.clone()), 0..6);
            prop_oneof![
                list.prop_map(|items| format!("[{}]", items.join(","))),
                object.prop_map(|fields| {
                    let fields: Vec<_> = fields
                        .iter()
                        .map(|(name, value)| format!("{}:{value}", serde_json::json!(name)))
                        .collect();
                    format!("{{{}}}", fields.join(" ,"))
                }),
                (inner, 1..200_usize)
                    .prop_map(|(item, times)| format!("[{}]", vec![item; times].join(","))),
            ]
        });
        tree.prop_filter("small", |text| text.len() < 200_000)
    }

    proptest! {
        #[test]
        fn a_tree_takes_no_more_than_its_values(text in texts()) {
            let tree: JsonValue = serde_json::from_str(&text).unwrap();
            let counted = values(text.as_bytes());
            prop_assert!(counted >= true_values(&tree));
            // Names count as values do, and a sign of an empty list or object precedes nothing.
            prop_assert!(counted <= text.len() + 1);
            let most = counted * VALUE_BYTES + text.len();
            prop_assert!(tree_bytes(&tree) <= most, "{} > {most}", tree_bytes(&tree));
        }

        #[test]
        fn a_text_counts_at_least_what_its_beginning_counts(text in texts(), at in 0..1000_usize) {
            let cut = text.as_bytes().get(..at).unwrap_or_default();
            prop_assert!(values(cut) <= values(text.as_bytes()));
        }
    }

    #[test]
    fn signs_inside_of_strings_are_not_counted() {
        assert_eq!(values(br#""a,b:[{\"c\",\\""#), 1);
        assert_eq!(values(br#"{"a\\":[1,"\"",{}]}"#), 7);
    }
}
