//! Assets of every application besides its script: a style sheet, a font, an image.

use bytes::Bytes;

use crate::SiteResponse;

/// One gray pixel.
const PIXEL: &[u8] = b"\x89PNG\x0D\x0A\x1A\x0A\x00\x00\x00\x0DIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9BU\x00\x00\x00\x0AIDATx\x9Cch\x00\x00\x00\x82\x00\x81w\xCDr\xB6\x00\x00\x00\x00IEND\xAEB`\x82";

const STYLE: &str = "@font-face { font-family: Tin; src: url(/assets/tin.woff2) format('woff2'); }
body { font-family: Tin, sans-serif; margin: 2rem; } nav a { margin-right: 1rem; } .tall { height: 40rem; }
";

/// Returns the shell of an application, which its server sends for every route.
pub(crate) fn shell(title: &str, script: &str) -> String {
    format!(
        "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\">
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
    <title>{title}</title>
    <link rel=\"icon\" href=\"/assets/logo.png\">
    <link rel=\"stylesheet\" href=\"/assets/app.css\">
    <script defer src=\"{script}\"></script>
  </head>
  <body>
    <div id=\"root\"></div>
  </body>
</html>
"
    )
}

/// Returns an asset; `None` for any other path. The font is not a valid one; only its request matters.
pub(crate) fn asset(path: &str) -> Option<SiteResponse> {
    let response = match path {
        "/assets/app.css" => SiteResponse::new(200, "text/css", STYLE),
        "/assets/logo.png" => SiteResponse::new(200, "image/png", PIXEL),
        "/assets/tin.woff2" => SiteResponse::new(200, "font/woff2", Bytes::from_static(b"wOF2")),
        _ => return None,
    };
    Some(response.header("Cache-Control", "no-store"))
}

/// Returns a script.
pub(crate) fn script(text: &'static str) -> SiteResponse {
    SiteResponse::new(200, "text/javascript; charset=utf-8", text)
        .header("Cache-Control", "no-store")
}
