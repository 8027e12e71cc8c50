//! Shapes of the types that are not ours: booleans, strings, lists, maps.

use std::collections::BTreeMap;

use compact_str::CompactString;

use super::{Shape, TextRule, Wire};

const ANY_TEXT: TextRule =
    TextRule { name: "", doc: "", min: 0, max: None, pattern: None, accepts: |_| true, expected: "a string" };

impl Wire for bool {
    fn shape() -> Shape {
        Shape::Bool
    }
}

impl Wire for String {
    fn shape() -> Shape {
        Shape::Text(&ANY_TEXT)
    }
}

impl Wire for CompactString {
    fn shape() -> Shape {
        Shape::Text(&ANY_TEXT)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn shape() -> Shape {
        Shape::List(T::shape)
    }
}

impl<T: Wire> Wire for std::sync::Arc<T> {
    fn shape() -> Shape {
        T::shape()
    }
}

impl<T: Wire> Wire for Box<T> {
    fn shape() -> Shape {
        T::shape()
    }
}

impl<K: Wire + Ord, V: Wire> Wire for BTreeMap<K, V> {
    fn shape() -> Shape {
        Shape::Map { key: K::shape, value: V::shape }
    }
}
