//! Functions of numbers.

use crate::value::Value;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let number = |at: usize| match arguments.get(at)? {
        Value::Number(number) => Some(*number),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    };
    if name == "parseint" {
        let digits = arguments.first()?.as_text()?;
        let base = number(1).filter(|base| (2.0..=36.0).contains(base))?;
        let whole = i64::from_str_radix(&digits, base as u32).ok()?;
        return Some(Value::Number(whole as f64));
    }
    let first = number(0)?;
    Some(Value::Number(match name {
        "abs" => first.abs(),
        "ceil" => first.ceil(),
        "floor" => first.floor(),
        "pow" => first.powf(number(1)?),
        "signum" if first == 0.0 => 0.0,
        "signum" => first.signum(),
        _ => return None,
    }))
}
