//! Numbers that every reader keeps exactly.

use std::fmt;

use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::shape::{NumberRule, Shape, Wire};

/// The greatest whole number that every JSON reader keeps exactly.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A finite number.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Number(pub f64);

/// A whole number from 0 to 2^53 - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(pub u64);

/// A whole number from 1 to 2^53 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Positive(pub u64);

/// Refuses whole numbers that other readers would round.
pub(super) fn safe<E: serde::de::Error>(value: u64) -> Result<(), E> {
    if value > MAX_SAFE_INTEGER {
        return Err(E::custom(format_args!("number `{value}` is beyond 2^53 and would lose digits")));
    }
    Ok(())
}

/// A long run of digits arrives as a float; it is refused like any other number beyond 2^53.
pub(super) fn exact<E: serde::de::Error>(value: f64) -> Result<(), E> {
    if value.abs() <= MAX_SAFE {
        return Ok(());
    }
    Err(E::custom(format_args!("number `{value:e}` is beyond 2^53 and would lose digits")))
}

macro_rules! number {
    ($name:ident, $rule:expr, $from:expr) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let number = input.deserialize_any(ReadNumber)?;
                let rule: &NumberRule = &$rule;
                let fits = (!rule.integer || number.fract() == 0.0)
                    && rule.min.is_none_or(|min| number >= min)
                    && rule.max.is_none_or(|max| number <= max);
                if !fits {
                    return Err(D::Error::invalid_value(Unexpected::Float(number), &rule.expected));
                }
                Ok($from(number))
            }
        }

        impl Wire for $name {
            fn shape() -> Shape {
                const RULE: NumberRule = $rule;
                Shape::Number(&RULE)
            }
        }
    };
}

/// 2^53 - 1 as a float, which holds it exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

number!(
    Number,
    NumberRule {
        name: "",
        integer: false,
        min: Some(-MAX_SAFE),
        max: Some(MAX_SAFE),
        expected: "a number within 2^53"
    },
    Number
);
number!(
    Count,
    NumberRule {
        name: "",
        integer: true,
        min: Some(0.0),
        max: Some(MAX_SAFE),
        expected: "a whole number from 0 on"
    },
    |number| Count(whole(number))
);
number!(
    Positive,
    NumberRule {
        name: "",
        integer: true,
        min: Some(1.0),
        max: Some(MAX_SAFE),
        expected: "a whole number from 1 on"
    },
    |number| Positive(whole(number))
);

/// A number that was checked to be whole and within 0 to 2^53 - 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked by the rule just before"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

struct ReadNumber;

impl Visitor<'_> for ReadNumber {
    type Value = f64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number")
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 is refused first")]
    fn visit_u64<F: serde::de::Error>(self, value: u64) -> Result<f64, F> {
        safe(value)?;
        Ok(value as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 is refused first")]
    fn visit_i64<F: serde::de::Error>(self, value: i64) -> Result<f64, F> {
        safe(value.unsigned_abs())?;
        Ok(value as f64)
    }

    fn visit_f64<F: serde::de::Error>(self, value: f64) -> Result<f64, F> {
        exact(value)?;
        Ok(value)
    }
}

impl Serialize for Number {
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() <= MAX_SAFE {
            output.serialize_i64(self.0 as i64)
        } else {
            output.serialize_f64(self.0)
        }
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_u64(self.0)
    }
}

impl Serialize for Positive {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_u64(self.0)
    }
}
