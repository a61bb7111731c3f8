//! How many values the JSON of a client has, counted before any of it is read: as a tree, a value of a few bytes takes a
//! few hundred.

/// Bytes that a list takes at most in a tree when it has an entry: places for four.
const LIST_BYTES: usize = 384;
/// Bytes that an object takes at most when it has a member: places for three, and four numbers that find them.
pub(crate) const OBJECT_BYTES: usize = 448;
/// Bytes that one more entry or member takes at most, as the places double.
const ENTRY_BYTES: usize = 288;

/// What a JSON text becomes as a tree. Of a text that is not JSON, at least what is read before its first mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonSize {
    /// Values and names: one, and one more for each sign that precedes another.
    pub(crate) values: usize,
    /// The most bytes of memory that they take, besides the bytes of the text.
    pub(crate) tree_bytes: usize,
}

impl JsonSize {
    /// The size of a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut size = Self {
            values: 1,
            tree_bytes: 0,
        };
        let mut is_quoted = false;
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            let tree_bytes = match byte {
                b'"' => {
                    is_quoted = !is_quoted;
                    continue;
                }
                // The next byte ends no string.
                b'\\' if is_quoted => {
                    bytes.next();
                    continue;
                }
                _ if is_quoted => continue,
                b'{' => OBJECT_BYTES,
                b'[' => LIST_BYTES,
                b',' => ENTRY_BYTES,
                // Its room is that of the member.
                b':' => 0,
                _ => continue,
            };
            size.values += 1;
            size.tree_bytes += tree_bytes;
        }
        size
    }
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

    /// An object of so many members.
    fn wide(members: usize, value: &str) -> String {
        let members = (0..members).map(|at| format!("\"{at}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
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
                (inner.clone(), 1..200_usize)
                    .prop_map(|(item, times)| format!("[{}]", vec![item; times].join(","))),
                (inner.clone(), 1..200_usize).prop_map(|(item, members)| wide(members, &item)),
                // Not as deep as what is refused.
                (
                    inner,
                    prop_oneof![Just(("[", "]")), Just(("{\"\":", "}"))],
                    1..12_usize
                )
                    .prop_map(|(item, (open, close), depth)| {
                        format!("{}{item}{}", open.repeat(depth), close.repeat(depth))
                    }),
            ]
        });
        tree.prop_filter("small", |text| text.len() < 200_000)
    }

    proptest! {
        #[test]
        fn a_tree_takes_no_more_than_its_values(text in texts()) {
            let tree: JsonValue = serde_json::from_str(&text).unwrap();
            let size = JsonSize::of(text.as_bytes());
            prop_assert!(size.values >= true_values(&tree));
            // Names count as values do, and a sign of an empty list or object precedes nothing.
            prop_assert!(size.values <= text.len() + 1);
            let most = size.tree_bytes + text.len();
            prop_assert!(tree_bytes(&tree) <= most, "{} > {most}", tree_bytes(&tree));
        }

        #[test]
        fn a_text_counts_at_least_what_its_beginning_counts(text in texts(), at in 0..1000_usize) {
            let cut = text.as_bytes().get(..at).unwrap_or_default();
            let (cut, whole) = (JsonSize::of(cut), JsonSize::of(text.as_bytes()));
            prop_assert!(cut.values <= whole.values);
            prop_assert!(cut.tree_bytes <= whole.tree_bytes);
        }
    }

    #[test]
    fn signs_inside_of_strings_are_not_counted() {
        assert_eq!(JsonSize::of(br#""a,b:[{\"c\",\\""#).values, 1);
        assert_eq!(JsonSize::of(br#"{"a\\":[1,"\"",{}]}"#).values, 7);
    }
}
