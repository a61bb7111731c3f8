//! `trestle graph draw`: the graph as text for programs that draw it.

use std::error::Error;
use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, ValueEnum};

use super::input::{InputArgs, Output, analyzed, code, options};
use crate::Unusable;
use crate::drawing::{Drawing, MAX_MERMAID_EDGES, Part};

/// The name of the command.
pub const NAME: &str = "draw";

/// The command.
pub fn command() -> Command {
    let draw = Command::new(NAME)
        .about("Draw the graph, grouped by module and network, for Graphviz or Mermaid")
        .after_help("Exit codes: 0 the graph is drawn, 1 the input or one of its root modules cannot be analyzed.");
    DrawArgs::augment_args(draw)
}

#[derive(clap::Args, Debug)]
struct DrawArgs {
    /// A folder with Terraform modules, a file or an archive of one, or a plan as `terraform show -json` prints it
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    /// Draw only what the internet reaches or may reach, with arrows where traffic or access goes
    #[arg(long)]
    only_exposed: bool,

    /// If there are more nodes, draw those of a type, and then whole groups, as one
    #[arg(long, value_name = "NODES", default_value_t = 60)]
    fold_above: usize,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Dot)]
    format: Format,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// For Graphviz
    Dot,
    /// For Mermaid, which code hosts draw in Markdown
    Mermaid,
}

/// Runs the command with its arguments.
///
/// # Errors
/// Why the input cannot be analyzed or drawn.
pub fn output(arguments: &ArgMatches) -> Result<Output, Box<dyn Error>> {
    let args = DrawArgs::from_arg_matches(arguments)?;
    let options = options(&args.input, arguments, &args.path)?;
    let built = analyzed(&args.path, &options)?;
    let part = if args.only_exposed {
        Part::Exposed
    } else {
        Part::Everything
    };
    let drawing = Drawing::of_built(&built, part, args.fold_above);
    let text = match args.format {
        Format::Dot => drawing.dot(),
        Format::Mermaid if drawing.edge_count() > MAX_MERMAID_EDGES => {
            return Err(Unusable(format!(
                "The drawing has {} edges, and Mermaid draws at most {MAX_MERMAID_EDGES}. Use a lower --fold-above, --only-exposed or --format dot.",
                drawing.edge_count()
            ))
            .into());
        }
        Format::Mermaid => drawing.mermaid(),
    };
    let text = text.trim_end().to_owned();
    let code = code(false, &built);
    Ok(Output { text, code })
}
