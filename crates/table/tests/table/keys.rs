//! Keys and prefixes against the store's own idea of them.

use proptest::prelude::*;
use trestle_table::{Entity, Key, Pk, Segment, Sk, SkPrefix, segments};
use uuid::Uuid;

use crate::notes::{Note, Store, note};

proptest! {
    #[test]
    fn a_prefix_matches_its_own_word_alone(word in 0usize..4, text in ".{0,12}") {
        const WORDS: [&str; 4] = ["HIST", "HISTORY", "STAGE", "APP"];
        let key = Sk::of(WORDS[word], text.as_str());
        for (i, other) in WORDS.iter().enumerate() {
            let begins = key.as_str().starts_with(SkPrefix::of(other).as_str());
            prop_assert_eq!(begins, i == word, "{} {}", other, key.as_str());
        }
    }

    #[test]
    fn keys_sort_as_their_fixed_width_texts(a in 0u32..100_000, b in 0u32..100_000) {
        let key = |number: u32| note("book", number).key();
        prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
    }

    #[test]
    fn a_key_of_inputs_is_the_key_of_the_item(book in ".{1,20}", number in 0u32..100_000) {
        let made = note(&book, number);
        prop_assert_eq!(Note::key_of(&(book, number)), made.key());
    }

    #[test]
    fn ids_and_texts_go_round(id in any::<u128>(), text in ".{0,20}") {
        let id = Uuid::from_u128(id);
        let key = Pk::of("W", id).then(text.as_str());
        let read = segments(key.as_str());
        prop_assert_eq!(&read[1], &id.text().into_owned());
        prop_assert_eq!(&read[2], &text);
    }
}

#[tokio::test]
async fn a_book_that_is_named_like_a_key_is_its_own_partition() {
    let books = ["a", "a#NOTE#00001", "a%23NOTE", "a#", "%"];
    let store = Store::with(books.iter().map(|book| note(book, 1))).await;
    for book in books {
        let partition = Note::key_of(&(book.to_owned(), 1)).pk;
        let found = store
            .table
            .query(partition)
            .all(&store.meter)
            .await
            .unwrap();
        assert_eq!(found.len(), 1, "{book}");
        assert_eq!(found[0]["book"].as_s().unwrap(), book);
        let key = found[0]["PK"].as_s().unwrap();
        assert_eq!(segments(key), ["BOOK", book]);
    }
    let absent = Key::new(Pk::of("BOOK", "b"), Sk::of("NOTE", "00001"));
    assert_eq!(store.raw(&absent).await, None);
}
