//! Expressions as they can be printed: without what `sensitive(...)` hides, and with the texts of templates escaped, which the
//! printer of the parser leaves as they are. In a text that is not escaped, its quotes look like ends of literals.

use hcl::Identifier;
use hcl::expr::{
    Expression, FuncCall, Object, ObjectKey, Operation, TemplateExpr, TraversalOperator, Variable,
};
use hcl::template::{Directive, Element, Template};

/// What stands for what is hidden.
const HIDDEN: &str = "…";

/// The expression that can be printed.
pub fn printable(expression: &Expression) -> Expression {
    let mut whole = expression.clone();
    prepare(&mut whole);
    whole
}

fn prepare(expression: &mut Expression) {
    match expression {
        Expression::Array(list) => list.iter_mut().for_each(prepare),
        Expression::Object(object) => {
            let members = std::mem::take(object).into_iter();
            let members = members.map(|(mut key, mut value)| {
                if let ObjectKey::Expression(key) = &mut key {
                    prepare(key);
                }
                prepare(&mut value);
                (key, value)
            });
            *object = members.collect::<Object<_, _>>();
        }
        Expression::TemplateExpr(template) => prepare_template(template),
        Expression::Traversal(path) => {
            prepare(&mut path.expr);
            for operator in &mut path.operators {
                if let TraversalOperator::Index(index) = operator {
                    prepare(index);
                }
            }
        }
        Expression::FuncCall(call) => prepare_call(call),
        Expression::Parenthesis(inner) => prepare(inner),
        Expression::Conditional(choice) => {
            let parts = [
                &mut choice.cond_expr,
                &mut choice.true_expr,
                &mut choice.false_expr,
            ];
            parts.into_iter().for_each(prepare);
        }
        Expression::Operation(operation) => match &mut **operation {
            Operation::Unary(unary) => prepare(&mut unary.expr),
            Operation::Binary(binary) => {
                prepare(&mut binary.lhs_expr);
                prepare(&mut binary.rhs_expr);
            }
        },
        Expression::ForExpr(each) => {
            prepare(&mut each.collection_expr);
            prepare(&mut each.value_expr);
            each.key_expr.iter_mut().for_each(prepare);
            each.cond_expr.iter_mut().for_each(prepare);
        }
        _ => {}
    }
}

fn prepare_call(call: &mut FuncCall) {
    // `nonsensitive(...)` hides as much.
    match call.name.name.as_str() {
        "sensitive" | "nonsensitive" => {
            let hidden = Variable::from(Identifier::unchecked(HIDDEN));
            call.args = vec![Expression::Variable(hidden)];
        }
        _ => call.args.iter_mut().for_each(prepare),
    }
}

fn prepare_template(template: &mut TemplateExpr) {
    // Most templates have nothing to hide or to escape, and a heredoc is not quoted.
    let is_plain = match template {
        TemplateExpr::QuotedString(text) => !text.contains(['"', '\\']) && !hides(text),
        TemplateExpr::Heredoc(heredoc) => !hides(&heredoc.template),
    };
    if is_plain {
        return;
    }
    let parsed = Template::from_expr(template);
    let (text, change): (_, fn(&str) -> String) = match template {
        TemplateExpr::QuotedString(text) => (text, escaped),
        TemplateExpr::Heredoc(heredoc) => (&mut heredoc.template, str::to_owned),
    };
    *text = match parsed {
        Ok(mut parsed) => {
            prepare_elements(&mut parsed, change);
            parsed.to_string()
        }
        Err(_) => HIDDEN.to_owned(),
    };
}

/// Whether something in a template may be hidden.
fn hides(text: &str) -> bool {
    text.contains("sensitive")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn prepare_elements(template: &mut Template, change: fn(&str) -> String) {
    for element in template.elements_mut() {
        match element {
            Element::Literal(literal) => *literal = change(literal),
            Element::Interpolation(inner) => prepare(&mut inner.expr),
            Element::Directive(directive) => match &mut **directive {
                Directive::If(of) => {
                    prepare(&mut of.cond_expr);
                    prepare_elements(&mut of.true_template, change);
                    let other = of.false_template.iter_mut();
                    other.for_each(|other| prepare_elements(other, change));
                }
                Directive::For(of) => {
                    prepare(&mut of.collection_expr);
                    prepare_elements(&mut of.template, change);
                }
            },
        }
    }
}
