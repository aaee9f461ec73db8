//! What pages say while they cannot be read: that JavaScript is needed, that they are loading.

use memchr::memmem;

/// What goes with the word "JavaScript" in a notice, in lower case; stems where a language inflects.
const ASKING: [&str; 44] = [
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

/// Notices that do not name JavaScript.
const GATES: [&str; 8] = [
    "just a moment",
    "checking your browser",
    "verify you are human",
    "verifying you are human",
    "enable js",
    "browser is not supported",
    "browser is out of date",
    "enable cookies",
];

/// What a page says while it loads, in lower case.
const WAITING: [&str; 24] = [
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

/// Whether the words of a `noscript` are about scripts: elsewhere than in a pixel or a style, hardly anything is.
pub(super) fn names_scripts(text: &[u8]) -> bool {
    names_javascript(text) || GATES.iter().any(|gate| has(text, gate))
}

/// Whether visible words ask for scripts.
pub(super) fn asks_for_scripts(text: &[u8]) -> bool {
    (names_javascript(text) && ASKING.iter().any(|word| has(text, word)))
        || GATES.iter().any(|gate| has(text, gate))
}

/// Whether visible words say that the page is loading.
pub(super) fn says_wait(text: &[u8]) -> bool {
    WAITING.iter().any(|word| has(text, word))
}

fn names_javascript(text: &[u8]) -> bool {
    ["javascript", "java script", "java-script"]
        .iter()
        .any(|name| has(text, name))
}

/// Whether text, which is in lower case as far as it is ASCII, has this in it.
fn has(text: &[u8], words: &str) -> bool {
    memmem::find(text, words.as_bytes()).is_some()
}
