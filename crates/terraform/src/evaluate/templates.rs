//! Texts with interpolations and directives. What is not known of one is a hole in it.

use hcl::expr::Expression;
use hcl::template::{Directive, Element, ForDirective, IfDirective, Strip, Template};

use super::{Evaluator, Scope, flag};
use crate::elements::elements;
use crate::functions;
use crate::quote::quote;
use crate::value::{HOLE, Value};

/// A text that is being made.
#[derive(Debug, Default)]
struct Made {
    text: String,
    has_holes: bool,
    /// Whether the white space that follows is left out.
    is_stripped: bool,
}

impl Made {
    fn push(&mut self, text: &str) {
        let text = if self.is_stripped {
            text.trim_start()
        } else {
            text
        };
        self.is_stripped &= text.is_empty();
        self.text.push_str(text);
    }

    fn hole(&mut self, hole: char) {
        self.is_stripped = false;
        self.has_holes = true;
        self.text.push(hole);
    }

    /// Leaves out the white space before and after a sequence, as its `~` say. What a hole ends with is not known.
    fn strip(&mut self, strip: Strip) {
        if starts(strip) {
            let kept = self.text.trim_end().len();
            self.text.truncate(kept);
        }
        self.is_stripped = ends(strip);
    }
}

fn starts(strip: Strip) -> bool {
    matches!(strip, Strip::Start | Strip::Both)
}

fn ends(strip: Strip) -> bool {
    matches!(strip, Strip::End | Strip::Both)
}

impl Evaluator<'_> {
    /// A template; one that is nothing but an interpolation has the value in it.
    pub(super) fn template(
        &self,
        template: &Template,
        expression: &Expression,
        scope: &Scope,
    ) -> Option<Value> {
        let elements = template.elements();
        if let (Some(Element::Interpolation(only)), 1) = (elements.first(), elements.len()) {
            return Some(self.value(&only.expr, scope));
        }
        let mut made = Made::default();
        self.elements(template, scope, &mut made)?;
        Some(if !made.has_holes {
            Value::Text(made.text)
        } else {
            Value::Partial {
                text: quote(expression),
                known: made.text,
            }
        })
    }

    fn elements(&self, template: &Template, scope: &Scope, made: &mut Made) -> Option<()> {
        for element in template.elements() {
            let before = made.text.len();
            match element {
                Element::Literal(text) => made.push(text),
                Element::Interpolation(inner) => {
                    made.strip(inner.strip);
                    match in_json(&inner.expr, self.value(&inner.expr, scope)) {
                        Value::Partial { known, .. } => {
                            made.has_holes = true;
                            made.text.push_str(&known);
                        }
                        value => match value.as_text() {
                            Some(text) => made.text.push_str(&text),
                            None => made.hole(value.hole()),
                        },
                    }
                    made.is_stripped = ends(inner.strip);
                }
                Element::Directive(directive) => match &**directive {
                    Directive::If(directive) => self.directive_if(directive, scope, made)?,
                    Directive::For(directive) => self.directive_for(directive, scope, made)?,
                },
            }
            self.budget.take(made.text.len().saturating_sub(before))?;
        }
        Some(())
    }

    fn directive_if(&self, of: &IfDirective, scope: &Scope, made: &mut Made) -> Option<()> {
        made.strip(of.if_strip);
        match flag(self.value(&of.cond_expr, scope)) {
            Value::Bool(true) => {
                self.elements(&of.true_template, scope, made)?;
                if of.false_template.is_some() {
                    made.strip(of.else_strip);
                }
            }
            Value::Bool(false) => {
                if let Some(template) = &of.false_template {
                    made.strip(of.else_strip);
                    self.elements(template, scope, made)?;
                }
            }
            _ => made.hole(HOLE),
        }
        made.strip(of.endif_strip);
        Some(())
    }

    fn directive_for(&self, of: &ForDirective, scope: &Scope, made: &mut Made) -> Option<()> {
        made.strip(of.for_strip);
        let elements = elements(self.value(&of.collection_expr, scope), true);
        for (key, value) in elements.unwrap_or_else(|unknown| {
            let several = Value::Several(unknown);
            vec![(Value::Null, several)]
        }) {
            self.budget.take(256)?;
            if value.is_several() {
                // It is not known how often the text stands there.
                made.hole(HOLE);
                continue;
            }
            let mut scope = scope.with(of.value_var.as_str(), value);
            if let Some(name) = &of.key_var {
                scope = scope.with(name.as_str(), key);
            }
            made.is_stripped = ends(of.for_strip);
            self.elements(&of.template, &scope, made)?;
            if starts(of.endfor_strip) {
                made.strip(Strip::Start);
            }
        }
        made.is_stripped = ends(of.endfor_strip);
        Some(())
    }
}

/// A value in a template: what `jsonencode` makes is kept as the value, and is JSON there.
fn in_json(expression: &Expression, value: Value) -> Value {
    let is_json = match expression {
        Expression::FuncCall(call) => {
            // A text that is known, even in part, is JSON already.
            call.name.name.as_str() == "jsonencode"
                && !matches!(value, Value::Text(_) | Value::Partial { .. })
        }
        _ => false,
    };
    if is_json || matches!(value, Value::List(_) | Value::Map(_)) {
        functions::text_of(functions::json(&value).to_string())
    } else {
        value
    }
}
