//! Values that can be part of a key.

use std::borrow::Cow;

use uuid::Uuid;

/// A value that can be one segment of a key. Any text is allowed: the key encodes the characters that would end
/// the segment.
pub trait Segment {
    /// The value as text, not yet encoded.
    fn text(&self) -> Cow<'_, str>;
}

impl Segment for str {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Segment for String {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Segment for Uuid {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.hyphenated().to_string())
    }
}

impl Segment for u32 {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

impl<T: Segment + ?Sized> Segment for &T {
    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }
}
