//! How large an item is, as DynamoDB counts it.
//! Source: "DynamoDB item sizes and formats", the DynamoDB Developer Guide.

use aws_sdk_dynamodb::types::AttributeValue;

use super::Item;

/// The bytes of an item. Numbers are counted a little too large.
pub fn bytes_of(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + bytes(value))
        .sum()
}

fn bytes(value: &AttributeValue) -> usize {
    /// What a list or a map costs besides its entries, and each entry besides its value.
    const NESTED: usize = 3;
    const ENTRY: usize = 1;
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.len() / 2 + 2,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|number| number.len() / 2 + 2).sum(),
        AttributeValue::Bs(blobs) => blobs.iter().map(|blob| blob.as_ref().len()).sum(),
        AttributeValue::L(values) => {
            NESTED
                + values
                    .iter()
                    .map(|value| ENTRY + bytes(value))
                    .sum::<usize>()
        }
        AttributeValue::M(map) => NESTED + map.len() * ENTRY + bytes_of(map),
        _ => 1,
    }
}
