//! `DOMStorage`: local and session storage of a page.

use super::{Empty, command, event, exchanged, received};

command! {
    Enable = "DOMStorage.enable" -> Empty {}
    Disable = "DOMStorage.disable" -> Empty {}
    GetItems = "DOMStorage.getDOMStorageItems" -> Items {
        storage_id: StorageId,
    }
    SetItem<'a> = "DOMStorage.setDOMStorageItem" -> Empty {
        storage_id: StorageId,
        key: &'a str,
        value: &'a str,
    }
    RemoveItem<'a> = "DOMStorage.removeDOMStorageItem" -> Empty {
        storage_id: StorageId,
        key: &'a str,
    }
    Clear = "DOMStorage.clear" -> Empty {
        storage_id: StorageId,
    }
}

event! {
    ItemAdded = "DOMStorage.domStorageItemAdded" {
        storage_id: StorageId,
        key: String,
        new_value: String,
    }
    ItemUpdated = "DOMStorage.domStorageItemUpdated" {
        storage_id: StorageId,
        key: String,
        old_value: String,
        new_value: String,
    }
    ItemRemoved = "DOMStorage.domStorageItemRemoved" {
        storage_id: StorageId,
        key: String,
    }
    ItemsCleared = "DOMStorage.domStorageItemsCleared" {
        storage_id: StorageId,
    }
}

received! {
    Items {
        /// Pairs of key and value.
        entries: Vec<(String, String)>,
    }
}

exchanged! {
    StorageId {
        security_origin: Option<String>,
        storage_key: Option<String>,
        is_local_storage: bool,
    }
}
