//! What fields mean and how delicate they are, told by their labels.

use uiap_model::policy::DataClass;

use super::name::slug;

/// Words of labels, what they mean, and how delicate it is.
const LABELS: &[(&str, &str, Option<DataClass>)] = &[
    (
        "password passwort kennwort contraseña senha wachtwoord passwd parola",
        "password",
        Some(DataClass::Credential),
    ),
    ("otp einmalcode passcode pin tan totp", "one-time code", Some(DataClass::Credential)),
    ("token apikey secret geheimnis", "secret", Some(DataClass::Secret)),
    ("cvc cvv cvv2", "card security code", Some(DataClass::Payment)),
    ("iban bic kontonummer", "bank account", Some(DataClass::Payment)),
    ("email mail correo courriel posta mailadresse", "email", Some(DataClass::Personal)),
    (
        "phone telephone telefon téléphone teléfono telefono telefone telefoon mobile handy",
        "phone",
        Some(DataClass::Personal),
    ),
    (
        "birthday birthdate geburtsdatum geburtstag nacimiento nascita nascimento geboortedatum",
        "birth date",
        Some(DataClass::Personal),
    ),
    ("firstname vorname prénom voornaam", "first name", Some(DataClass::Personal)),
    (
        "lastname surname nachname apellido cognome sobrenome achternaam",
        "last name",
        Some(DataClass::Personal),
    ),
    (
        "address adresse straße street dirección indirizzo endereço adres",
        "address",
        Some(DataClass::Personal),
    ),
    ("ssn passport reisepass ausweis", "identity document", Some(DataClass::Sensitive)),
    ("search suche suchen recherche buscar cerca ricerca pesquisar zoeken find", "search", None),
    ("filter", "filter", None),
    (
        "username benutzername utilisateur usuario utente usuário gebruikersnaam login",
        "user name",
        Some(DataClass::Personal),
    ),
    ("url website webseite", "url", None),
];

/// Groups of words, looked at before the words.
const PHRASES: &[(&str, &str, Option<DataClass>)] = &[
    ("e mail", "email", Some(DataClass::Personal)),
    ("one time code", "one-time code", Some(DataClass::Credential)),
    ("security code", "card security code", Some(DataClass::Payment)),
    ("card number", "card number", Some(DataClass::Payment)),
    ("credit card", "card number", Some(DataClass::Payment)),
    ("name on the card", "card holder", Some(DataClass::Payment)),
    ("kartennummer", "card number", Some(DataClass::Payment)),
    ("numéro de carte", "card number", Some(DataClass::Payment)),
    ("número de tarjeta", "card number", Some(DataClass::Payment)),
    ("api key", "secret", Some(DataClass::Secret)),
    ("access token", "secret", Some(DataClass::Secret)),
    ("first name", "first name", Some(DataClass::Personal)),
    ("last name", "last name", Some(DataClass::Personal)),
    ("full name", "name", Some(DataClass::Personal)),
    ("your name", "name", Some(DataClass::Personal)),
    ("date of birth", "birth date", Some(DataClass::Personal)),
    ("user name", "user name", Some(DataClass::Personal)),
];

/// What a label says a field holds, and how delicate that is.
pub(crate) fn of_label(label: &str) -> (Option<&'static str>, Option<DataClass>) {
    let words = crate::safety::lexicon::split(label);
    let joined = format!(" {} ", words.join(" "));
    let phrase = PHRASES.iter().find(|(phrase, ..)| joined.contains(&format!(" {phrase} ")));
    let by_word =
        || LABELS.iter().find(|(list, ..)| list.split(' ').any(|each| words.iter().any(|word| word == each)));
    match phrase.or_else(by_word) {
        Some((_, meaning, class)) => (Some(meaning), class.clone()),
        None => (None, None),
    }
}

/// The meaning of a field: a known one, else its label in plain words; nothing where there is no label.
pub(crate) fn of_field(label: &str) -> Option<String> {
    match of_label(label).0 {
        Some(meaning) => Some(meaning.to_owned()),
        None => Some(slug(label).replace('-', " ")).filter(|text| !text.is_empty()),
    }
}
