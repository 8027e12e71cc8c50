//! The #[wire] attribute: one definition gives decoding, shape and schema.
