//! Tests of the values of a resource, as the rows of the table of types have them.

/// A test of a resource's values. Paths go through blocks: `vpc_config.endpoint_public_access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Always holds.
    Always,
    /// The flag has this value; the default if it is left out. Without a default it depends on the provider's version.
    Is(&'static str, bool, Option<bool>),
    /// The text is not this one, also if it is left out.
    IsNot(&'static str, &'static str),
    /// The text is this one.
    Equals(&'static str, &'static str),
    /// The argument or block is left out.
    Lacks(&'static str),
    /// The ranges of addresses have the internet; also if they are left out, if so by default.
    Internet(&'static str, bool),
    /// One of the addresses, of a list or of a text with commas between them, is this one.
    Listed(&'static str, &'static str),
    /// The text is one of these; also if it is left out, if so by default.
    OneOf(&'static str, &'static [&'static str], bool),
    /// The entry of a map by its key, which may have dots, is one of these; also if it is left out, if so by default.
    Entry(&'static str, &'static str, &'static [&'static str], bool),
    /// The argument, which may be in a block, is left out.
    Absent(&'static str),
    /// There is such an argument or block.
    Has(&'static str),
    /// The firewall has another default than this word, or its ranges of addresses have the internet: its action, the word
    /// and the ranges.
    Admits(&'static str, &'static str, &'static str),
    /// The block that limits the sources is left out, or its ranges of addresses have the internet.
    Unlimited(&'static str, &'static str),
    /// There are as many addresses from one argument to another as in the internet.
    Span(&'static str, &'static str),
    /// One of these holds.
    Any(&'static [Test]),
    /// All of these hold.
    All(&'static [Test]),
    /// This one does not hold.
    Not(&'static Test),
    /// Something else decides, which is not looked at: the reason.
    Undecided(&'static str),
}

impl Test {
    /// The arguments that decide whether it holds.
    pub fn paths(self) -> Vec<String> {
        match self {
            Test::Always | Test::Undecided(_) => Vec::new(),
            Test::Is(path, ..)
            | Test::IsNot(path, _)
            | Test::Equals(path, _)
            | Test::Lacks(path)
            | Test::Internet(path, _)
            | Test::Listed(path, _)
            | Test::OneOf(path, ..)
            | Test::Absent(path)
            | Test::Has(path) => vec![path.to_owned()],
            Test::Entry(path, key, ..) => vec![format!("{path}.{key}")],
            Test::Admits(one, _, other) | Test::Unlimited(one, other) | Test::Span(one, other) => {
                vec![one.to_owned(), other.to_owned()]
            }
            Test::Any(tests) | Test::All(tests) => {
                tests.iter().flat_map(|test| test.paths()).collect()
            }
            Test::Not(test) => test.paths(),
        }
    }
}
