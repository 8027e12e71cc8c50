//! Wire types of every UIAP module, their validation and their JSON Schema.
