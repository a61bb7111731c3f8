//! Which column fills which field: as mapped on the command line, or guessed from the header.

use super::cells;

/// A field, and headers that people give to it, separated by spaces: in lower case, letters and digits only. If several
/// columns fit, the one of the first name is taken.
pub type Field = (&'static str, &'static str);

/// `FIELD=COLUMN` of the command line; without a column the field stays empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The field.
    pub field: &'static str,
    /// The column; empty for none.
    pub column: String,
}

impl Mapping {
    /// Parses a mapping of one of `fields`, or of `more`, a field that is not guessed.
    ///
    /// # Errors
    /// The text has no `=`, or there is no such field.
    pub fn parse(fields: &[Field], more: &'static str, text: &str) -> Result<Self, String> {
        let (field, column) = text.split_once('=').ok_or("say FIELD=COLUMN")?;
        let names: Vec<_> = fields.iter().map(|(field, _)| *field).collect();
        let mut known = names.iter().copied().chain([more]);
        let Some(field) = known.find(|known| *known == field) else {
            let names = names.join(", ");
            return Err(format!("no field {field}; there are {names} and {more}"));
        };
        Ok(Self {
            field,
            column: column.to_owned(),
        })
    }
}

/// The columns of the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    fields: &'static [Field],
    mappings: Vec<Mapping>,
}

impl Mapped {
    /// Columns for `fields`, as mapped and otherwise guessed.
    pub fn new(fields: &'static [Field], mappings: &[Mapping]) -> Self {
        Self {
            fields,
            mappings: mappings.to_vec(),
        }
    }

    /// The column of `columns` that fills a field.
    pub fn column<'a>(
        &'a self,
        field: &str,
        columns: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&'a str> {
        if let Some(mapping) = self.told(field) {
            return Some(mapping.column.as_str()).filter(|column| !column.is_empty());
        }
        let (_, names) = self.fields.iter().find(|(known, _)| *known == field)?;
        names.split_whitespace().find_map(|name| {
            columns
                .clone()
                .filter(|column| !self.is_claimed(column))
                .find(|column| cells::plain(column) == name)
        })
    }

    /// The mapping of a field, the last one if there are several.
    pub fn told(&self, field: &str) -> Option<&Mapping> {
        let mut mappings = self.mappings.iter().rev();
        mappings.find(|mapping| mapping.field == field)
    }

    /// Whether a column is mapped to a field.
    pub fn is_claimed(&self, column: &str) -> bool {
        self.mappings.iter().any(|mapping| mapping.column == column)
    }
}
