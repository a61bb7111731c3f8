//! Broken pages of the embedded store: what can be built again is, and what cannot is refused and not changed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use rusqlite::Connection;
use trestle_dynamodb::{Embedded, ExpectedIndex, Repaired};

use crate::commands::run::{Folder, copy};

const TABLE: &str = "lambda_api_applications";
const ROWS: usize = 90;

/// What a disk does to a page.
#[derive(Clone, Copy, Debug)]
enum Harm {
    Zeros,
    Noise,
    Flips,
}

/// The numbers of a generated case.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 1).unwrap() % bound
    }
}

/// A page of the file, and the table or the index that it is of.
struct Page {
    tree: String,
    number: u64,
}

fn pages(store: &Path) -> Vec<Page> {
    let connection = Connection::open(store).unwrap();
    let mut pages = connection
        .prepare("SELECT name, pageno FROM dbstat")
        .unwrap();
    let page = |row: &rusqlite::Row<'_>| {
        Ok(Page {
            tree: row.get(0)?,
            number: row.get(1)?,
        })
    };
    let pages = pages.query_map([], page).unwrap();
    pages.collect::<Result<_, _>>().unwrap()
}

fn break_page(store: &Path, number: u64, harm: Harm, random: &mut Random) {
    let file = fs::File::options()
        .read(true)
        .write(true)
        .open(store)
        .unwrap();
    let mut page = vec![0; 4096];
    let place = (number - 1) * 4096;
    file.read_exact_at(&mut page, place).unwrap();
    match harm {
        Harm::Zeros => page.fill(0),
        Harm::Noise => page
            .iter_mut()
            .for_each(|byte| *byte = u8::try_from(random.below(256)).unwrap()),
        Harm::Flips => {
            for _ in 0..40 {
                let at = random.below(page.len());
                page[at] ^= u8::try_from(1 + random.below(255)).unwrap();
            }
        }
    }
    file.write_all_at(&page, place).unwrap();
}

fn keys(data: &Path) -> BTreeSet<(String, String)> {
    let mut keys = BTreeSet::new();
    Embedded::keys(data, TABLE, &mut |pk, sk| {
        keys.insert((pk.to_owned(), sk.to_owned()));
    })
    .unwrap();
    keys
}

fn expected() -> Vec<ExpectedIndex> {
    let indexes = trestle_applications::TABLE.indexes.iter();
    let index = |index: &&'static trestle_table::IndexDefinition| ExpectedIndex {
        table: TABLE.to_owned(),
        index: index.name.to_owned(),
        key: [Some(index.partition_key), index.sort_key]
            .into_iter()
            .flatten()
            .map(|key| key.name.to_owned())
            .collect(),
    };
    indexes.map(index).collect()
}

fn bytes(data: &Path) -> Vec<u8> {
    fs::read(data.join("trestle.sqlite")).unwrap()
}

/// Every table and index of the store, its root and other pages of it, and each harm: a page of an index is always repaired
/// with every item, and whatever the page is, a store in which nothing is damaged has every item.
#[test]
fn a_broken_page_of_an_index_is_built_again_and_of_a_table_is_refused() {
    let folder = Folder::new();
    let rows: String = (0..ROWS)
        .map(|number| format!("Company {number},Engineer,applied,{}\n", "note ".repeat(60)))
        .collect();
    let rows = folder.file("rows.csv", &format!("Company,Title,Status,Notes\n{rows}"));
    folder.good(&["import", &rows]);
    let whole = keys(&folder.data());
    let pages = pages(&folder.data().join("trestle.sqlite"));
    let trees: BTreeSet<&str> = pages.iter().map(|page| page.tree.as_str()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut repaired, mut refused) = (0, 0);
    for tree in trees {
        let of_tree: Vec<_> = pages.iter().filter(|page| page.tree == tree).collect();
        let is_index = tree.contains("::gsi::") || tree.starts_with("sqlite_autoindex_");
        for harm in [Harm::Zeros, Harm::Noise, Harm::Flips] {
            for page in [of_tree[0], of_tree[random.below(of_tree.len())]] {
                let case = format!("{tree}, page {}, {harm:?}", page.number);
                let data = folder.path("broken");
                let _ = fs::remove_dir_all(&data);
                copy(&folder.data(), &data);
                break_page(&data.join("trestle.sqlite"), page.number, harm, &mut random);
                let before = bytes(&data);
                let outcome = Embedded::repair(
                    &data,
                    &expected(),
                    "trestle.sqlite.before-repair-20261120T000000000Z",
                );
                let is_whole = match &outcome {
                    Ok(Repaired { left, .. }) => left.is_empty(),
                    Err(_) => false,
                };
                if is_index {
                    assert!(is_whole, "{case}: {outcome:?}");
                }
                if is_whole {
                    let found = Embedded::check(&data, &expected()).unwrap();
                    assert!(found.is_empty(), "{case}: {found:?}");
                    assert!(Embedded::find(&data).unwrap().is_some(), "{case}");
                    assert_eq!(keys(&data), whole, "{case}");
                    repaired += 1;
                } else {
                    // What items have copies of is restored, after the store was copied.
                    let is_copied = matches!(&outcome, Ok(Repaired { copy: Some(_), .. }));
                    assert!(is_copied || bytes(&data) == before, "{case} was changed");
                    refused += 1;
                }
            }
        }
    }
    assert!(repaired > 40 && refused > 10, "{repaired}, {refused}");
}

/// A check says which page of which index is broken, and what mends it.
#[test]
fn a_check_names_the_broken_page() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "Company,Title,Status\nAcme,Engineer,applied\n");
    folder.good(&["import", &rows]);
    let store = folder.data().join("trestle.sqlite");
    let mut random = Random(1);
    for page in pages(&store) {
        if page.tree != format!("{TABLE}::gsi::GSI1") {
            continue;
        }
        break_page(&store, page.number, Harm::Zeros, &mut random);
        let rights = fs::Permissions::from_mode(0o640);
        fs::set_permissions(&store, rights).unwrap();
        // As root it is the server's user who has to be able to write it afterwards.
        let _ = chown(&store, Some(12_345), Some(12_345));
        let before = fs::metadata(&store).unwrap();
        let checked = folder.run(&["store", "check"]);
        assert_eq!(checked.code, 2, "{checked:?}");
        let named = format!("{TABLE}: the index GSI1 is damaged: page {}:", page.number);
        assert!(checked.out.contains(&named), "{checked:?}");
        assert!(
            checked
                .out
                .contains("`trestle store repair` builds the indexes again."),
            "{checked:?}"
        );
        let repaired = folder.good(&["store", "repair"]);
        assert!(repaired.out.contains("before-repair-"), "{repaired:?}");
        for name in ["trestle.sqlite", "trestle.sqlite-writes"] {
            let now = fs::metadata(folder.data().join(name)).unwrap();
            let [now, before] = [&now, &before].map(|of| (of.mode() & 0o777, of.uid(), of.gid()));
            assert_eq!(now, before, "{name}");
        }
        return;
    }
    panic!("the index has pages");
}
