//! A folder of files as a site.

use testsite::{Folder, Server};

use crate::raw_client;

#[test]
fn files_folders_and_paths_outside() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("sub dir")).unwrap();
    std::fs::write(folder.path().join("outside.txt"), "outside").unwrap();
    std::fs::write(root.join("index.html"), "home").unwrap();
    std::fs::write(root.join("sub dir/index.html"), "below").unwrap();
    std::fs::write(root.join("style.css"), "p {}").unwrap();
    let server = Server::start(Folder::new(&root));
    let at = |path: &str| raw_client::text(server.addr(), path);
    assert!(at("/").ends_with("\r\n\r\nhome"));
    assert!(at("/sub%20dir/").ends_with("\r\n\r\nbelow"));
    assert!(at("/sub%20dir").contains("\r\nLocation: /sub%20dir/\r\n"));
    assert!(at("/style.css?v=1").contains("\r\nContent-Type: text/css; charset=utf-8\r\n"));
    for absent in ["/none", "/../outside.txt", "/%2e%2e/outside.txt"] {
        assert!(at(absent).starts_with("HTTP/1.1 404 "), "{absent}");
    }
}
