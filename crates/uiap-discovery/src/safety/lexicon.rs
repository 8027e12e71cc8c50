//! Words by which consequences are known, in English, German, French, Spanish, Italian, Portuguese and Dutch.

/// What a word says about consequences, in rising gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consequence {
    /// Shows, hides, sorts or leads somewhere.
    Harmless,
    /// Asks for more before anything is done: new, add, edit.
    Opens,
    /// Begins a session.
    SignIn,
    /// Changes data of the app.
    Writes,
    /// Gives a file away.
    Export,
    /// Reaches other people.
    Invite,
    /// Reaches other people.
    Send,
    /// Makes something public.
    Publish,
    /// Brings a file in.
    Upload,
    /// Changes who may do what, or shows a secret.
    Security,
    /// Costs money or changes a contract.
    Pay,
    /// Ends the session.
    SignOut,
    /// Takes something away.
    Destroy,
}

use std::collections::HashMap;
use std::sync::LazyLock;

use Consequence::{
    Destroy, Export, Harmless, Invite, Opens, Pay, Publish, Security, Send, SignIn, SignOut, Upload, Writes,
};

/// Words; one that ends in `*` stands for all that begin so.
const WORDS: &[(Consequence, &str)] = &[
    (
        Destroy,
        "delete* deleting remove removes removing erase* destroy* discard* purge wipe truncate drop trash terminate uninstall \
         deactivate unpublish unsubscribe revoke rollback undo-all ban kick evict shred void annul unlink detach reboot shutdown poweroff \
         flush \
         lösch* gelöscht entfern* verwerf* vernicht* deaktivier* kündig* storn* widerruf* zurückzieh* leeren deinstall* \
         supprim* effac* retir* enlev* détrui* désactiv* résili* révoqu* désinstall* annul* désabonn* corbeille \
         elimin* borrar borra borre suprim* quitar destru* desactiv* revoc* desinstal* papelera vaciar anular \
         cancella cancellare cancellalo rimuov* distrugg* disattiv* disdi* revocare svuota svuotare cestina* disinstall* \
         exclu?r excluir exclua apagar apague remover remova destruir desativ* revog* esvaziar lixeira desinstalar \
         verwijder* wissen wis vernietig* deactiveer* opzegg* intrekk* leegmaken prullenbak deïnstall* weggooien",
    ),
    (
        SignOut,
        "logout logoff signout signoff log-out sign-out disconnect abmelden ausloggen abmeldung déconnexion déconnecter \
         desconectar desconexión disconnetti disconnettersi esci desconectar-se sair uitloggen afmelden",
    ),
    (
        Pay,
        "pay paynow buy purchase checkout donate upgrade downgrade subscribe reorder refund charge topup withdraw transfer \
         bezahl* kaufen kauf kaufe zahlen jetzt-kaufen spenden überweis* erstatten kostenpflichtig kasse abonnieren bestellen \
         payer paie acheter achat commander rembours* s'abonner virement \
         pagar paga comprar compra reembols* donar suscrib* pedir transferir \
         pagare acquist* compra rimbors* donare abbona* ordina bonifico \
         comprar doar assinar encomendar \
         betaal* betalen kopen koop doneren terugbetal* abonneer* bestel bestellen afrekenen",
    ),
    (
        Security,
        "rotate regenerate reveal impersonate grant permission permissions 2fa mfa otp apikey api-key unlock lock password \
         passwort kennwort freischalten entsperren sperren zurücksetzen-passwort offenlegen \
         motdepasse débloquer bloquer révéler contraseña desbloquear bloquear revelar sblocca blocca rivela senha \
         wachtwoord ontgrendel* vergrendel* onthul*",
    ),
    (
        Upload,
        "upload uploads attach import importieren hochladen anhängen téléverser téléchargez-vers joindre importer subir adjuntar \
         importar caricare carica allega importa enviar-arquivo carregar anexar uploaden bijvoegen importeren",
    ),
    (
        Publish,
        "publish republish release deploy launch broadcast golive post tweet veröffentlich* freigeben ausrollen publizier* posten \
         publier publie diffuser déployer publicar publica desplegar difundir pubblica* distribuisci divulgar implantar \
         publiceer* publicer* plaatsen uitrollen",
    ),
    (
        Send,
        "send resend sending email mail reply forward notify remind share call sms message \
         senden sende absenden versenden schicken abschicken antworten weiterleiten benachrichtig* teilen anrufen melden \
         envoyer envoie renvoyer répondre transférer notifier partager appeler signaler \
         enviar envía envie reenviar responder notificar compartir llamar denunciar \
         invia inviare inoltra rispondi notifica condividi chiama segnala \
         compartilhar partilhar ligar \
         verstuur versturen verzend* stuur sturen beantwoord* doorstur* delen bellen melden",
    ),
    (
        Invite,
        "invite reinvite einladen einladung lade inviter invitez invitar invita invitare convidar convide uitnodig*",
    ),
    (
        Export,
        "export download downloaden herunterladen exportieren télécharger exporter descargar exportar scarica esporta baixar \
         exporteren print drucken imprimer imprimir stampa afdrukken",
    ),
    (
        Writes,
        "save apply submit confirm ok okay yes accept agree approve reject decline archive unarchive duplicate clone move rename \
         assign unassign enable disable activate start stop run restart sync restore merge mark rate like unlike vote upvote \
         downvote follow \
         unfollow watch unwatch star unstar pin unpin favorite favourite bookmark generate reset rebuild install connect execute \
         trigger update set switch choose select-plan claim join leave close-issue resolve reopen complete finish book reserve \
         register subscribe schedule convert publish-later continue proceed turn make kill pause resume retry cancel-subscription \
         speichern sichern anwenden übernehmen bestätigen ja akzeptieren zustimmen genehmigen ablehnen archivieren duplizieren \
         verschieben umbenennen zuweisen aktivier* starten stoppen ausführen neustarten synchronisieren wiederherstellen \
         zusammenführen markieren bewerten gefällt folgen merken generieren zurücksetzen installieren verbinden erzeugen \
         aktualisieren beitreten verlassen abschließen buchen reservieren registrieren fortfahren \
         enregistrer sauvegarder appliquer valider confirmer oui accepter approuver refuser archiver dupliquer déplacer \
         renommer attribuer activer démarrer arrêter exécuter redémarrer synchroniser restaurer fusionner marquer suivre générer \
         réinitialiser installer connecter mettre rejoindre quitter terminer réserver continuer \
         guardar aplicar confirmar sí aceptar aprobar rechazar archivar duplicar mover renombrar asignar activar iniciar detener \
         ejecutar reiniciar sincronizar restaurar fusionar marcar seguir generar restablecer instalar conectar actualizar unirse \
         salir terminar reservar continuar \
         salva salvare applica conferma sì accetta approva rifiuta archivia duplica sposta rinomina assegna attiva avvia ferma \
         esegui riavvia sincronizza ripristina unisci segna segui genera reimposta installa connetti aggiorna termina prenota \
         continua \
         salvar aplicar confirmar sim aceitar aprovar rejeitar arquivar renomear atribuir ativar parar executar guardar \
         redefinir gerar atualizar concluir prosseguir \
         opslaan bewaren toepassen bevestigen ja accepteren goedkeuren afwijzen archiveren dupliceren verplaatsen hernoemen \
         toewijzen inschakelen uitschakelen starten stoppen uitvoeren herstarten synchroniseren herstellen samenvoegen markeren \
         volgen genereren resetten installeren verbinden bijwerken doorgaan voltooien reserveren",
    ),
    (
        SignIn,
        "login signin signup sign-in log-in sign-up anmelden einloggen registrierung connexion inscription ingresar acceder \
         accedi entrar inloggen aanmelden",
    ),
    (
        Opens,
        "new add create edit compose write record plus neu neue neuer neues hinzufügen erstellen anlegen bearbeiten verfassen \
         schreiben nouveau nouvelle ajouter créer modifier éditer rédiger nuevo nueva añadir agregar crear editar redactar \
         nuovo nuova aggiungi crea modifica scrivi novo nova adicionar criar modificar escrever nieuw nieuwe toevoegen maken \
         aanmaken bewerken schrijven",
    ),
    (
        Harmless,
        "open show view see hide close cancel dismiss back next previous prev first last more less expand collapse toggle menu \
         options details detail info information help about filter filters sort search find zoom home preview profile account \
         settings preferences language theme dark light overview history calendar today month week day list grid board map chart \
         notifications shortcuts keyboard skip go read learn browse explore refresh reload clear copy copied play mute \
         fullscreen navigation sidebar columns column page pages actions choose-a-day pick day-picker tour \
         öffnen anzeigen zeigen ansehen ausblenden schließen abbrechen zurück weiter nächste vorherige mehr weniger ausklappen \
         einklappen menü optionen info hilfe über filtern sortieren suchen vorschau profil konto einstellungen sprache \
         übersicht verlauf kalender heute monat woche tag liste karte benachrichtigungen lesen kopieren erkunden \
         ouvrir afficher voir masquer fermer annuler retour suivant précédent plus moins développer réduire menu détails aide \
         filtrer trier rechercher chercher aperçu profil compte paramètres langue accueil historique calendrier lire copier \
         abrir mostrar ver ocultar cerrar cancelar volver atrás siguiente anterior más menos expandir contraer menú detalles \
         ayuda filtrar ordenar buscar perfil cuenta ajustes idioma inicio historial calendario leer copiar \
         apri mostra vedi nascondi chiudi annulla indietro avanti successivo precedente più meno espandi comprimi dettagli \
         aiuto filtra ordina cerca anteprima profilo impostazioni lingua cronologia calendario leggi copia \
         abrir mostrar ver ocultar fechar cancelar voltar próximo mais menos expandir recolher detalhes ajuda filtrar buscar \
         pesquisar perfil conta configurações idioma início histórico ler \
         openen tonen bekijken verbergen sluiten annuleren terug volgende vorige meer minder uitvouwen invouwen opties \
         hulp filteren sorteren zoeken voorbeeld profiel instellingen taal overzicht geschiedenis agenda lezen kopiëren",
    ),
];

/// Groups of words that mean something else than the words by themselves.
pub(super) const PHRASES: &[(Consequence, &str)] = &[
    (SignOut, "log out"),
    (SignOut, "log off"),
    (SignOut, "sign out"),
    (SignOut, "sign off"),
    (SignOut, "end session"),
    (SignOut, "se déconnecter"),
    (SignOut, "cerrar sesión"),
    (SignOut, "cerrar la sesión"),
    (SignOut, "terminar sessão"),
    (SignOut, "encerrar sessão"),
    (SignIn, "log in"),
    (SignIn, "sign in"),
    (SignIn, "sign up"),
    (SignIn, "se connecter"),
    (SignIn, "iniciar sesión"),
    (SignIn, "iniciar sessão"),
    (Send, "report abuse"),
    (Send, "report user"),
    (Send, "report problem"),
    (Destroy, "close account"),
    (Destroy, "close my account"),
    (Destroy, "move to trash"),
    (Destroy, "empty trash"),
    (Destroy, "clear all data"),
    (Destroy, "clear history"),
    (Destroy, "clear data"),
    (Destroy, "factory reset"),
    (Destroy, "reset all"),
    (Destroy, "start over"),
    (Destroy, "leave team"),
    (Destroy, "leave workspace"),
    (Pay, "place order"),
    (Pay, "order now"),
    (Pay, "check out"),
    (Pay, "add credit"),
    (Pay, "jetzt bestellen"),
    (Pay, "zur kasse"),
    (Pay, "passer commande"),
    (Pay, "realizar pedido"),
    (Pay, "change plan"),
    (Pay, "choose plan"),
    (Pay, "start trial"),
    (Writes, "add to cart"),
    (Writes, "add to basket"),
    (Writes, "add to bag"),
    (Writes, "in den warenkorb"),
    (Writes, "ajouter au panier"),
    (Writes, "añadir al carrito"),
    (Writes, "aggiungi al carrello"),
    (Writes, "adicionar ao carrinho"),
    (Writes, "in winkelwagen"),
    (Writes, "turn on"),
    (Writes, "turn off"),
    (Harmless, "read more"),
    (Harmless, "show password"),
    (Harmless, "cancel"),
    (Harmless, "cancel editing"),
    (Harmless, "discard changes"),
    (Harmless, "reset the filters"),
    (Harmless, "reset filters"),
    (Harmless, "reset filter"),
    (Harmless, "clear the filter"),
    (Harmless, "clear filter"),
    (Harmless, "clear filters"),
    (Harmless, "clear selection"),
    (Harmless, "clear search"),
    (Harmless, "filter zurücksetzen"),
    (Harmless, "auswahl aufheben"),
    (Security, "new key"),
    (Security, "new token"),
    (Security, "api key"),
    (Security, "access token"),
    (Security, "make a new key"),
];

/// Verbs that take back what is named after them: alone they only close something.
const CANCEL: &[&str] = &[
    "cancel",
    "annuler",
    "cancelar",
    "annulla",
    "annuleren",
    "abbrechen",
    "beenden",
    "end",
    "stop",
    "discard",
];

/// What the words of a name say, the gravest first; none when no word is known.
///
/// In a long name, such as the title of an article, only the first and the last word count.
pub fn consequence(text: &str) -> Option<Consequence> {
    weigh(text, &[])
}

/// As [`consequence`], for what leads to a place: there nouns such as `Email` and `Permissions` name the place.
pub fn of_place(text: &str) -> Option<Consequence> {
    weigh(text, NOUNS)
}

/// Words that are verbs on a button and nouns on a link.
pub(super) const NOUNS: &[&str] = &[
    "email",
    "mail",
    "message",
    "password",
    "passwort",
    "kennwort",
    "permissions",
    "permission",
    "post",
    "share",
    "uploads",
    "call",
    "release",
    "launch",
    "transfer",
    "charge",
    "2fa",
    "mfa",
    "sms",
    "calls",
    "order",
    "board",
    "star",
    "watch",
    "archive",
    "import",
    "set",
    "book",
    "schedule",
    "senha",
    "contraseña",
    "wachtwoord",
];

fn weigh(text: &str, nouns: &[&str]) -> Option<Consequence> {
    let words = split(text);
    if words.is_empty() {
        return None;
    }
    let joined = words.join(" ");
    if let Some((found, _)) = PHRASES.iter().find(|(found, phrase)| *found == Harmless && joined == *phrase) {
        return Some(*found);
    }
    let padded = format!(" {joined} ");
    let by_phrase = PHRASES
        .iter()
        .filter(|(found, _)| nouns.is_empty() || words.len() > 2 || *found != Security)
        .filter(|(found, phrase)| *found != Harmless && padded.contains(&format!(" {phrase} ")))
        .map(|(found, _)| *found);
    let long = words.len() > 5;
    let counted = words.iter().enumerate().filter(|(at, _)| !long || *at == 0 || *at + 1 == words.len());
    let counted = counted.filter(|(_, word)| words.len() > 2 || !nouns.contains(&word.as_str()));
    let by_word = counted.filter_map(|(_, word)| of_word(word));
    let found = by_phrase.chain(by_word).max();
    if words.len() > 1
        && words.first().is_some_and(|word| CANCEL.contains(&word.as_str()))
        && !only_edits(&words)
    {
        return Some(Destroy.max(found.unwrap_or(Destroy)));
    }
    found
}

/// `Cancel editing` takes back nothing but the own draft.
fn only_edits(words: &[String]) -> bool {
    words.iter().skip(1).all(|word| {
        ["editing", "edit", "changes", "and", "go", "back", "close", "search", "selection", "upload"]
            .contains(&word.as_str())
    })
}

/// Whole words, and beginnings of words.
type Table = (HashMap<&'static str, Consequence>, Vec<(&'static str, Consequence)>);

/// The words by themselves, and the beginnings, each with the gravest of what they say.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut whole: HashMap<&str, Consequence> = HashMap::new();
    let mut stems = Vec::new();
    for (found, word) in
        WORDS.iter().flat_map(|(found, list)| list.split_whitespace().map(|word| (*found, word)))
    {
        if let Some(stem) = word.strip_suffix('*') {
            stems.push((stem, found));
        } else {
            let slot = whole.entry(word).or_insert(found);
            *slot = found.max(*slot);
        }
    }
    (whole, stems)
});

/// What a single word says.
pub fn of_word(word: &str) -> Option<Consequence> {
    let (whole, stems) = &*TABLE;
    let by_stem = stems.iter().filter(|(stem, _)| word.starts_with(stem)).map(|(_, found)| *found).max();
    whole.get(word).copied().max(by_stem)
}

/// The words of a text, in small letters. Camel case and separators end a word; `log-out` stays as it is when it is written so.
pub fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut before_lower = false;
    for letter in text.chars() {
        let upper_after_lower = letter.is_uppercase() && before_lower;
        if !(letter.is_alphanumeric() || letter == '\'') || upper_after_lower {
            words.push(std::mem::take(&mut current));
        }
        if letter.is_alphanumeric() || letter == '\'' {
            current.extend(letter.to_lowercase());
        }
        before_lower = letter.is_lowercase();
    }
    words.push(current);
    words.retain(|word| !word.is_empty());
    words
}

/// Nobody in particular: an invitation to them must ask whom first.
pub fn names_nobody(text: &str) -> bool {
    const ANYBODY: &[&str] = &[
        "member",
        "members",
        "people",
        "person",
        "user",
        "users",
        "team",
        "teammates",
        "colleague",
        "colleagues",
        "friends",
        "guest",
        "guests",
        "someone",
        "mitglied",
        "mitglieder",
        "person",
        "personen",
        "benutzer",
        "kollegen",
        "membre",
        "membres",
        "utilisateurs",
        "miembro",
        "miembros",
        "usuarios",
        "membro",
        "membri",
        "membros",
        "utenti",
        "leden",
        "lid",
        "gebruikers",
        "your",
        "new",
        "a",
        "an",
        "the",
        "more",
        "ein",
        "eine",
        "neues",
        "des",
        "un",
        "una",
        "um",
        "een",
    ];
    let words = split(text);
    words.len() > 1
        && words
            .iter()
            .filter(|word| of_word(word) != Some(Invite))
            .all(|word| ANYBODY.contains(&word.as_str()))
}

/// Names of languages in themselves: choosing one changes every word of the app.
pub fn is_language(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "english",
        "deutsch",
        "français",
        "español",
        "italiano",
        "português",
        "nederlands",
        "polski",
        "svenska",
        "dansk",
        "norsk",
        "suomi",
        "čeština",
        "magyar",
        "română",
        "türkçe",
        "русский",
        "українська",
        "ελληνικά",
        "日本語",
        "한국어",
        "中文",
        "简体中文",
        "繁體中文",
        "العربية",
        "עברית",
        "हिन्दी",
        "tiếng việt",
        "bahasa indonesia",
        "ไทย",
        "català",
    ];
    let bare = text.trim().to_lowercase();
    let bare = bare.split(['(', '–']).next().unwrap_or_default().trim();
    NAMES.contains(&bare)
}

/// Words of fields and areas that search, filter or sort what is shown.
pub fn is_filter(text: &str) -> bool {
    const FILTERS: &[&str] = &[
        "filter",
        "filters",
        "search",
        "find",
        "query",
        "sort",
        "order",
        "per",
        "rows",
        "results",
        "show",
        "suche",
        "suchen",
        "filtern",
        "sortieren",
        "sortierung",
        "recherche",
        "rechercher",
        "filtrer",
        "trier",
        "tri",
        "filtre",
        "buscar",
        "búsqueda",
        "filtrar",
        "ordenar",
        "filtro",
        "filtros",
        "cerca",
        "ricerca",
        "filtra",
        "ordina",
        "pesquisar",
        "pesquisa",
        "zoeken",
        "zoek",
        "filteren",
        "sorteren",
        "status",
    ];
    split(text).iter().any(|word| FILTERS.contains(&word.as_str()))
}

/// Words on the button of a form that only asks: it applies a filter, runs a query, goes on to the answer.
pub fn is_request(text: &str) -> bool {
    const ASKS: &[&str] = &[
        "apply",
        "ok",
        "okay",
        "submit",
        "update",
        "run",
        "execute",
        "generate",
        "continue",
        "proceed",
        "set",
        "switch",
        "choose",
        "reset",
        "start",
        "anwenden",
        "übernehmen",
        "aktualisieren",
        "ausführen",
        "zurücksetzen",
        "appliquer",
        "valider",
        "exécuter",
        "réinitialiser",
        "aplicar",
        "actualizar",
        "restablecer",
        "applica",
        "aggiorna",
        "esegui",
        "reimposta",
        "atualizar",
        "executar",
        "redefinir",
        "toepassen",
        "bijwerken",
        "uitvoeren",
        "resetten",
    ];
    split(text).iter().all(|word| ASKS.contains(&word.as_str()) || of_word(word) != Some(Writes))
}

/// Words that mark something for what follows.
pub fn is_selection(text: &str) -> bool {
    const SELECTS: &[&str] = &[
        "select",
        "auswählen",
        "auswahl",
        "alle",
        "sélectionner",
        "seleccionar",
        "seleziona",
        "selezionare",
        "selecionar",
        "selecteren",
        "selecteer",
        "check",
    ];
    split(text).first().is_some_and(|word| SELECTS.contains(&word.as_str()))
}
