//! How many steps the checks of one document may take, whatever is wrong with it: a number for each of its tokens. Every
//! pass that follows spreads of fragments counts them here.

use std::cell::Cell;

use async_graphql::ServerError;

use crate::errors::coded;
use trestle_api::Code;

/// Steps for each token. The passes need about four, and one more for each operation that uses a fragment. What merges
/// is compared again for each type of object.
const PER_TOKEN: usize = 64;
/// Tokens that short documents count as: their fragments may be used often.
const LEAST_TOKENS: usize = 1_000;

/// The steps that are left for one document.
#[derive(Debug)]
pub(super) struct Work {
    left: Cell<Option<usize>>,
}

impl Work {
    /// For a document with so many tokens.
    pub(super) fn of(tokens: usize) -> Self {
        Self {
            left: Cell::new(Some(Self::most(tokens))),
        }
    }

    fn most(tokens: usize) -> usize {
        tokens.max(LEAST_TOKENS).saturating_mul(PER_TOKEN)
    }

    /// Takes a step. Without one left, a pass goes no further.
    pub(super) fn step(&self) -> bool {
        self.left
            .set(self.left.get().and_then(|left| left.checked_sub(1)));
        self.left.get().is_some()
    }

    /// Refuses a document that ran out of steps, so that no pass ended early unnoticed.
    pub(super) fn check(&self) -> Result<(), Vec<ServerError>> {
        if self.left.get().is_some() {
            return Ok(());
        }
        let message = "The document takes too many steps to check: it uses the same fields or fragments too often.";
        Err(vec![coded(Code::GraphqlValidationFailed, message, None)])
    }

    /// The steps taken so far.
    #[cfg(test)]
    pub(super) fn taken(&self, tokens: usize) -> usize {
        Self::most(tokens) - self.left.get().unwrap_or(0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::fmt::Write as _;

    use apollo_compiler::response::JsonMap;

    use super::super::{Documents, tokens};
    use super::Work;
    use crate::config::ServerArgs;

    const SDL: &str = "type Query { item: Item items(first: Int): Items }
        type Items { edges: [Edge!]! }
        type Edge { node: Item! }
        type Item { name: String child: Item children: [Item!]! items(first: Int): Items }";

    /// How a fragment spreads the next one.
    #[derive(Clone, Copy, Debug)]
    enum Through {
        Nothing,
        Inline,
        Directive,
        Object,
        List,
        Page,
        PageOfVariable,
    }

    const THROUGH: [Through; 7] = [
        Through::Nothing,
        Through::Inline,
        Through::Directive,
        Through::Object,
        Through::List,
        Through::Page,
        Through::PageOfVariable,
    ];

    /// What the last fragment has.
    #[derive(Clone, Copy, Debug)]
    enum End {
        Field,
        Undefined,
        Circle,
    }

    /// A graph of fragments: each spreads those of the next level.
    #[derive(Clone, Copy, Debug)]
    struct Shape {
        levels: usize,
        /// Fragments of each level.
        wide: usize,
        /// How often each is spread at a place.
        times: usize,
        through: Through,
        end: End,
        /// The level at which the end is; those below it are not spread.
        end_at: usize,
        operations: usize,
    }

    fn through(way: Through, alias: usize, spread: &str) -> String {
        match way {
            Through::Nothing => spread.to_owned(),
            Through::Inline => format!("... on Item {{ {spread} }}"),
            Through::Directive => format!("{spread} @include(if: true)"),
            Through::Object => format!("a{alias}: child {{ {spread} }}"),
            Through::List => format!("a{alias}: children {{ {spread} }}"),
            Through::Page => {
                format!("a{alias}: items(first: 3) {{ edges {{ node {{ {spread} }} }} }}")
            }
            Through::PageOfVariable => {
                format!("a{alias}: items(first: $n) {{ edges {{ node {{ {spread} }} }} }}")
            }
        }
    }

    impl Shape {
        /// What a fragment of a level has in it, with `spread` for each fragment of the next.
        fn body(&self, level: usize, spread: &dyn Fn(usize, usize) -> String) -> String {
            if level == self.end_at {
                return match self.end {
                    End::Field => "name".to_owned(),
                    End::Undefined => "...Nowhere".to_owned(),
                    End::Circle => "...F0_0".to_owned(),
                };
            }
            let mut body = String::new();
            for at in 0..self.wide * self.times {
                let next = spread(level + 1, at % self.wide);
                body += &through(self.through, at, &next);
                body.push(' ');
            }
            body
        }

        fn variables(&self) -> &'static str {
            match self.through {
                Through::PageOfVariable => "($n: Int)",
                _ => "",
            }
        }

        fn document(&self) -> String {
            let spread = |level: usize, at: usize| format!("...F{level}_{at}");
            let mut text = String::new();
            for operation in 0..self.operations {
                let first = spread(0, 0);
                let variables = self.variables();
                // Writing to a String does not fail.
                let _ = write!(
                    text,
                    "query Q{operation}{variables} {{ item {{ {first} }} }} "
                );
            }
            for level in 0..self.levels {
                for at in 0..self.wide {
                    let body = self.body(level, &spread);
                    let _ = write!(text, "fragment F{level}_{at} on Item {{ {body} }} ");
                }
            }
            text
        }

        /// The same without fragments.
        fn inlined(&self, level: usize) -> String {
            let inline = |level: usize, _| format!("... on Item {{ {} }}", self.inlined(level));
            self.body(level, &inline)
        }
    }

    fn shapes() -> Vec<Shape> {
        let mut shapes = Vec::new();
        for levels in [1, 2, 5, 24] {
            for (wide, times) in [(1, 1), (1, 4), (3, 1), (2, 2)] {
                for through in THROUGH {
                    for end in [End::Field, End::Undefined, End::Circle] {
                        for end_at in [0, levels / 2, levels - 1] {
                            for operations in [1, 3] {
                                shapes.push(Shape {
                                    levels,
                                    wide,
                                    times,
                                    through,
                                    end,
                                    end_at,
                                    operations,
                                });
                            }
                        }
                    }
                }
            }
        }
        shapes
    }

    /// Without limits on what a document asks for, so that every pass reads all of it.
    fn documents() -> Documents {
        let mut args = ServerArgs::default().documents;
        args.max_tokens = usize::MAX;
        args.max_fields = u32::MAX;
        args.max_root_fields = u32::MAX;
        args.max_aliases = u32::MAX;
        args.max_directives = u32::MAX;
        args.max_depth = u32::MAX;
        args.max_cost = u64::MAX;
        Documents::new(SDL, args).unwrap()
    }

    #[test]
    fn a_document_is_checked_in_steps_that_its_tokens_bound() {
        let documents = documents();
        for shape in shapes() {
            let text = shape.document();
            let tokens = tokens::check_tokens(&text, &documents.limits).unwrap();
            let work = Work::of(tokens);
            let read = documents.read(&text, &work);
            // Limits, introspection and cost read each fragment once, and each operation reads its variables.
            let most = (3 + shape.operations) * tokens;
            let taken = work.taken(tokens);
            assert!(taken <= most, "{shape:?}: {taken} for {tokens}");
            let wanted = match shape.end {
                End::Field => continue,
                End::Undefined => "has no fragment",
                End::Circle => "spreads itself",
            };
            let message = &read.unwrap_err()[0].message;
            assert!(message.contains(wanted), "{shape:?}: {message}");
        }
    }

    #[test]
    fn a_fragment_costs_what_it_has_in_it_wherever_it_is_spread() {
        let documents = documents();
        let mut compared = 0;
        for shape in shapes() {
            // Nothing but the names of the fragments differs, as long as the text fits.
            let is_small = (shape.wide * shape.times).pow(shape.end_at as u32) < 300;
            if !matches!(shape.end, End::Field) || !is_small {
                continue;
            }
            let shape = Shape {
                operations: 1,
                levels: shape.end_at + 1,
                wide: 1,
                times: shape.wide * shape.times,
                ..shape
            };
            let variables = shape.variables();
            let inlined = format!("query Q0{variables} {{ item {{ {} }} }}", shape.inlined(0));
            let read = |text: &str| documents.read(text, &Work::of(text.len()));
            // Some nest too deep.
            let (Ok(spread), Ok(inlined)) = (read(&shape.document()), read(&inlined)) else {
                continue;
            };
            for size in [0, 1, 7] {
                let mut given = JsonMap::new();
                given.insert("n", size.into());
                let costs = [&spread, &inlined]
                    .map(|document| document.operations[0].cost(&given, u64::MAX).unwrap());
                assert_eq!(costs[0], costs[1], "{shape:?}");
            }
            compared += 1;
        }
        assert!(compared > 100, "{compared}");
    }
}
