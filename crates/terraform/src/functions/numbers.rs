//! Functions of numbers.

use crate::value::Value;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    if name == "parseint" {
        let digits = arguments.first()?.as_text()?;
        let base = number_at(arguments, 1).filter(|base| (2.0..=36.0).contains(base))?;
        let whole = i64::from_str_radix(&digits, base as u32).ok()?;
        return Some(Value::Number(whole as f64));
    }
    let first = number_at(arguments, 0)?;
    Some(Value::Number(match name {
        "abs" => first.abs(),
        "ceil" => first.ceil(),
        "floor" => first.floor(),
        "pow" => first.powf(number_at(arguments, 1)?),
        "signum" if first == 0.0 => 0.0,
        "signum" => first.signum(),
        _ => return None,
    }))
}

/// An argument that is a number, or a text that Terraform takes for one.
fn number_at(arguments: &[Value], place: usize) -> Option<f64> {
    match arguments.get(place)? {
        Value::Number(number) => Some(*number),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}
