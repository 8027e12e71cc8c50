//! Names without what varies in them: numbers, dates, times, case and blanks. And the words by which passing things are known.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Months, days of the week, halves of the day and the zones that clocks name, whole or short, in the languages that the mapper reads.
const CALENDAR: &[&str] = &[
    "a.m",
    "am",
    "gmt",
    "p.m",
    "pm",
    "utc",
    "abr",
    "abril",
    "ago",
    "agosto",
    "août",
    "apr",
    "april",
    "aprile",
    "aug",
    "august",
    "augustus",
    "avr",
    "avril",
    "dec",
    "december",
    "decembre",
    "dez",
    "dezember",
    "dezembro",
    "dic",
    "dicembre",
    "diciembre",
    "dienstag",
    "dimanche",
    "dinsdag",
    "domenica",
    "domingo",
    "donderdag",
    "donnerstag",
    "déc",
    "décembre",
    "enero",
    "feb",
    "febbraio",
    "febrero",
    "februar",
    "februari",
    "february",
    "fev",
    "fevereiro",
    "freitag",
    "fri",
    "friday",
    "févr",
    "février",
    "gennaio",
    "giovedì",
    "giu",
    "giugno",
    "jan",
    "janeiro",
    "januar",
    "januari",
    "january",
    "janv",
    "janvier",
    "jeudi",
    "jueves",
    "juil",
    "juillet",
    "juin",
    "jul",
    "juli",
    "julio",
    "july",
    "julho",
    "jun",
    "june",
    "junho",
    "juni",
    "junio",
    "lug",
    "luglio",
    "lundi",
    "lunedì",
    "lunes",
    "maa",
    "maandag",
    "maart",
    "maggio",
    "mag",
    "mai",
    "maio",
    "mar",
    "march",
    "mardi",
    "marted",
    "martedì",
    "martes",
    "marzo",
    "março",
    "mars",
    "may",
    "mayo",
    "mei",
    "mercoledì",
    "mercredi",
    "miércoles",
    "mittwoch",
    "mon",
    "monday",
    "montag",
    "märz",
    "nov",
    "november",
    "novembre",
    "novembro",
    "noviembre",
    "oct",
    "october",
    "octobre",
    "octubre",
    "okt",
    "oktober",
    "ott",
    "ottobre",
    "out",
    "outubro",
    "quarta",
    "quinta",
    "sabato",
    "samedi",
    "samstag",
    "sat",
    "saturday",
    "segunda",
    "sep",
    "sept",
    "september",
    "septembre",
    "septiembre",
    "set",
    "setembro",
    "settembre",
    "sexta",
    "sonntag",
    "sun",
    "sunday",
    "sábado",
    "terça",
    "thu",
    "thursday",
    "tue",
    "tuesday",
    "vendredi",
    "venerdì",
    "viernes",
    "vrijdag",
    "wed",
    "wednesday",
    "woensdag",
    "zaterdag",
    "zondag",
];

/// What stands for a number, and for a word of the calendar beside one.
const NUMBER: &str = "#";

/// A name in small letters, with single blanks, every word that holds a digit as `#` and words of the calendar beside a number
/// folded into it. Runs of `#` become one, so that `1–25 of 200` and `26–50 of 200` are the same.
pub fn normalised(name: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let words: Vec<String> = name
        .split(|letter: char| letter.is_whitespace() || "·|•,;()[]".contains(letter))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_number = |word: &str| word.chars().any(|letter| letter.is_ascii_digit());
    let near_number = |at: usize| {
        [at.checked_sub(1), Some(at + 1), at.checked_sub(2), Some(at + 2)]
            .into_iter()
            .flatten()
            .any(|beside| words.get(beside).is_some_and(|word| is_number(word)))
    };
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let folded = if is_number(word) || (is_calendar(bare) && near_number(at)) { NUMBER } else { word };
        if folded != NUMBER || out.last().map(String::as_str) != Some(NUMBER) {
            out.push(folded.to_owned());
        }
    }
    out.join(" ")
}

/// A name that holds a date or a time, without its numbers; none for all others.
pub fn without_moment(name: &str) -> Option<String> {
    let plain = normalised(name);
    let words = name.split(|letter: char| letter.is_whitespace() || letter == ',');
    let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let folded = |word: &str| is_calendar(&bare(word)) && !plain.contains(&bare(word));
    let mut words = words.filter(|word| !word.is_empty());
    words
        .any(|word| is_moment(word) || folded(word))
        .then(|| plain.split(' ').filter(|word| *word != NUMBER).collect::<Vec<_>>().join(" "))
}

/// `01:43:09.098Z`, `2026-11-18`, `18/11/2026`.
fn is_moment(word: &str) -> bool {
    let groups = word.split(|letter: char| !letter.is_ascii_digit()).filter(|group| !group.is_empty());
    let signs = word.chars().filter(|letter| matches!(letter, ':' | '-' | '/'));
    match groups.count() {
        0 | 1 => false,
        2 => word.contains(':'),
        _ => signs.count() >= 2,
    }
}

fn is_calendar(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| CALENDAR.iter().copied().collect());
    WORDS.contains(word)
}

/// A name of more bytes is no step.
const LONGEST_STEP: usize = 64;

/// Words that lead to the neighbour of what is shown.
const STEPS: &[&str] = &[
    "next",
    "previous",
    "prev",
    "older",
    "newer",
    "first",
    "last",
    "weiter",
    "zurück",
    "nächste",
    "nächster",
    "nächstes",
    "vorherige",
    "vorheriger",
    "vorheriges",
    "erste",
    "letzte",
    "ältere",
    "neuere",
    "suivant",
    "suivante",
    "précédent",
    "précédente",
    "premier",
    "première",
    "dernier",
    "dernière",
    "siguiente",
    "anterior",
    "primera",
    "primero",
    "última",
    "último",
    "successivo",
    "successiva",
    "precedente",
    "prossimo",
    "prossima",
    "primo",
    "prima",
    "ultimo",
    "ultima",
    "próximo",
    "próxima",
    "seguinte",
    "primeiro",
    "primeira",
    "volgende",
    "vorige",
    "eerste",
    "laatste",
];

/// Whether a name leads to the neighbour of what is shown: `Next page`, `‹`, `3`, `Page 3`.
pub(super) fn is_step(name: &str) -> bool {
    if name.len() > LONGEST_STEP {
        return false;
    }
    let lower = name.to_lowercase();
    let bare = lower.trim();
    if !bare.is_empty() && bare.chars().all(|letter| "‹›«»<>←→⟨⟩…. 0123456789".contains(letter))
    {
        return true;
    }
    let words: Vec<&str> =
        bare.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [] => false,
        [word] => STEPS.contains(word),
        [first, second] => {
            STEPS.contains(first)
                || STEPS.contains(second)
                || (is_page(first) && second.chars().all(char::is_numeric))
        }
        [first, .., last] => words.len() == 3 && (STEPS.contains(first) || STEPS.contains(last)),
    }
}

fn is_page(word: &str) -> bool {
    ["page", "seite", "página", "pagina"].contains(&word)
}

/// Whether a link only jumps within the page. Many are shown only while the keyboard is on them.
pub(super) fn is_skip_link(name: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "skip to",
        "skip navigation",
        "jump to content",
        "jump to main",
        "zum inhalt",
        "zum hauptinhalt",
        "direkt zum inhalt",
        "aller au contenu",
        "passer au contenu",
        "saltar al contenido",
        "ir al contenido",
        "vai al contenuto",
        "salta al contenuto",
        "pular para",
        "ir para o conteúdo",
        "ga naar inhoud",
        "naar de inhoud",
        "spring naar",
    ];
    let lower = name.trim().to_lowercase();
    BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
}

/// Whether the name of an area says that it holds the way down to what is shown.
pub(super) fn is_trail(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "breadcrumb",
        "brotkrume",
        "brotkrümel",
        "krümelpfad",
        "fil d'ariane",
        "fil d’ariane",
        "migas de pan",
        "ruta de navegación",
        "briciole di pane",
        "percorso di navigazione",
        "navegação estrutural",
        "trilha de navegação",
        "kruimelpad",
    ];
    let lower = name.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Whether the name of an area says that it holds advertising.
pub(super) fn is_advertising(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "ad",
        "ads",
        "advert",
        "advertisement",
        "advertising",
        "sponsored",
        "anzeige",
        "anzeigen",
        "werbung",
        "publicité",
        "annonce",
        "publicidad",
        "anuncio",
        "pubblicità",
        "annuncio",
        "publicidade",
        "anúncio",
        "advertentie",
        "reclame",
    ];
    WORDS.contains(&name.trim().to_lowercase().as_str())
}

/// Parts of sentences by which a form says that a value is refused.
const COMPLAINTS: &[&str] = &[
    "may not be",
    "must not be",
    "must be",
    "is required",
    "are required",
    "can't be",
    "cannot be",
    "can not be",
    "is not valid",
    "not a valid",
    "is invalid",
    "invalid ",
    "please enter",
    "please fill",
    "please select",
    "please choose",
    "out of bounds",
    "has already been",
    "already taken",
    "already in use",
    "already exists",
    "too short",
    "too long",
    "is mandatory",
    "not found",
    "does not match",
    "do not match",
    "should be a",
    "darf nicht",
    "dürfen nicht",
    "muss ",
    "müssen ",
    "ist erforderlich",
    "erforderlich",
    "ungültig",
    "bitte ",
    "pflichtfeld",
    "bereits vergeben",
    "zu kurz",
    "zu lang",
    "nicht gefunden",
    "obligatoire",
    "est requis",
    "n'est pas valide",
    "n’est pas valide",
    "ne peut pas",
    "ne doit pas",
    "veuillez",
    "invalide",
    "trop court",
    "trop long",
    "déjà utilisé",
    "obligatorio",
    "obligatoria",
    "no puede",
    "no es válid",
    "inválid",
    "requerido",
    "por favor",
    "demasiado",
    "ya existe",
    "obbligatorio",
    "obbligatoria",
    "non può",
    "non valid",
    "non è valid",
    "richiesto",
    "troppo",
    "già in uso",
    "obrigatório",
    "obrigatória",
    "não pode",
    "não é válid",
    "muito curto",
    "muito longo",
    "já existe",
    "verplicht",
    "mag niet",
    "moet ",
    "ongeldig",
    "te kort",
    "te lang",
    "bestaat al",
    "niet gevonden",
];

/// Whether a text of a form says that a value is refused.
pub(super) fn complains(text: &str) -> bool {
    let mut lower = text.to_lowercase();
    lower.push(' ');
    COMPLAINTS.iter().any(|complaint| lower.contains(complaint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_dates_case_and_blanks_do_not_count() {
        assert_eq!(normalised("Inbox  (3)"), normalised("inbox (17)"));
        assert_eq!(normalised("Mar 25, 2026"), normalised("3 April 2027"));
        assert_eq!(normalised("1–25 of 200"), normalised("26–50 of 1,200"));
        assert_eq!(normalised("March on"), "march on");
        assert_eq!(normalised("2026/11/18 11:59:41 AM"), normalised("1/2/2027, 3:07 p.m."));
        let rest = |name| without_moment(name);
        assert_eq!(rest("2026/11/18 11:59:41 AM").as_deref(), Some(""));
        assert_eq!(rest("End bounds: 2026-11-18 01:43:09.098Z").as_deref(), Some("end bounds:"));
        assert_eq!(rest("Nov 18, 2026").as_deref(), Some(""));
        for name in ["Room 3", "", "Version 1.2.3", "March on", "Sat on it"] {
            assert_eq!(rest(name), None, "{name}");
        }
        assert_ne!(normalised("Save"), normalised("Save draft"));
    }

    #[test]
    fn steps_are_known_in_seven_languages_and_commands_are_not_steps() {
        for step in [
            "Next",
            "»",
            "3",
            "Page 3",
            "Seite 2",
            "Previous video",
            "Página siguiente",
            "Volgende",
            "‹ Prev",
        ] {
            assert!(is_step(step), "{step}");
        }
        for command in ["New video", "Save", "Settings", "", "Next steps for your whole team"] {
            assert!(!is_step(command), "{command}");
        }
    }

    #[test]
    fn complaints_are_known_in_seven_languages() {
        for text in [
            "may not be empty",
            "Dieses Feld ist erforderlich",
            "Ce champ est obligatoire",
            "El campo no puede estar vacío",
            "Campo obbligatorio",
            "O nome não pode ficar em branco",
            "Dit veld is verplicht",
        ] {
            assert!(complains(text), "{text}");
        }
        assert!(!complains("Tell us a little about yourself"));
    }
}
