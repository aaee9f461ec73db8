//! Recognizes notices: JavaScript is required, the page is loading.

use memchr::memmem;

/// Words that go with "JavaScript" in a notice, in lower case; stems where a language inflects.
const REQUEST_WORDS: [&str; 44] = [
    "enable",
    "turn on",
    "turned off",
    "disabled",
    "require",
    "need",
    "must",
    "without",
    "not supported",
    "aktivier",
    "eingeschaltet",
    "einschalten",
    "benötig",
    "deaktiviert",
    "activ",
    "activé",
    "nécessit",
    "habilit",
    "necesita",
    "requier",
    "abilit",
    "richiede",
    "ativ",
    "precisa",
    "schakel",
    "ingeschakeld",
    "aktiver",
    "nödvändig",
    "aktivoi",
    "käyttöön",
    "włącz",
    "wymaga",
    "включ",
    "требует",
    "увімкн",
    "povol",
    "zapn",
    "engedélyez",
    "etkinleştir",
    "ενεργοπο",
    "有効",
    "启用",
    "啟用",
    "활성화",
];

/// Notices that do not mention JavaScript.
const CHALLENGE_PHRASES: [&str; 8] = [
    "just a moment",
    "checking your browser",
    "verify you are human",
    "verifying you are human",
    "enable js",
    "browser is not supported",
    "browser is out of date",
    "enable cookies",
];

/// Loading messages, in lower case.
const LOADING_PHRASES: [&str; 24] = [
    "loading",
    "please wait",
    "one moment",
    "starting",
    "initializing",
    "initialising",
    "lädt",
    "wird geladen",
    "bitte warten",
    "chargement",
    "patientez",
    "cargando",
    "espere",
    "caricamento",
    "carregando",
    "laden",
    "ładowanie",
    "загрузка",
    "завантаження",
    "yükleniyor",
    "加载中",
    "載入中",
    "読み込み中",
    "로딩",
];

/// Whether the text of a `noscript` is about scripts.
pub(super) fn mentions_scripts(text: &[u8]) -> bool {
    names_javascript(text) || CHALLENGE_PHRASES.iter().any(|gate| has(text, gate))
}

/// Whether visible text asks for scripts to be enabled.
pub(super) fn asks_for_scripts(text: &[u8]) -> bool {
    (names_javascript(text) && REQUEST_WORDS.iter().any(|word| has(text, word)))
        || CHALLENGE_PHRASES.iter().any(|gate| has(text, gate))
}

/// Whether visible text says that the page is loading.
pub(super) fn is_loading_message(text: &[u8]) -> bool {
    LOADING_PHRASES.iter().any(|word| has(text, word))
}

fn names_javascript(text: &[u8]) -> bool {
    ["javascript", "java script", "java-script"]
        .iter()
        .any(|name| has(text, name))
}

/// Whether the text, whose ASCII letters are in lower case, contains these words.
fn has(text: &[u8], words: &str) -> bool {
    memmem::find(text, words.as_bytes()).is_some()
}
