#!/bin/sh
# Puts into a folder, as in the root of a file system, what the server runs on: Node, an init, and the few
# programs of Debian that a start or a look into the container needs, each with its shared libraries.
#
#     programs.sh FOLDER
set -eu

[ $# -eq 1 ] || { echo "programs.sh needs the folder to fill" >&2; exit 2; }
root="$1"

# Copies a file to where it is in this system, or to the path given; links are followed.
place() {
  target="$root${2:-$1}"
  mkdir -p "$(dirname "$target")"
  cp -L "$1" "$target"
}

# Copies a program and the libraries that the loader would give it.
place_program() {
  place "$1" "$2"
  for library in $(ldd "$1" | sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p'); do
    [ -e "$root$library" ] || place "$library"
  done
}

place_program "$(node --print process.execPath)" /usr/local/bin/node
# What the command begins with, and what shows a file: the link of a first start is in one.
place_program "$(command -v env)" /usr/bin/env
place_program "$(command -v cat)" /usr/bin/cat

# tini reaps processes that nobody waits for, and hands signals on.
unpacked="$(mktemp -d)"
trap 'rm -rf "$unpacked"' EXIT
cd "$unpacked"
apt-get -qq update
apt-get -qq download tini
dpkg-deb --extract tini_*.deb .
place usr/bin/tini-static /usr/local/bin/tini
place usr/share/doc/tini/copyright /usr/share/doc/tini/copyright

mkdir -p "$root/etc" "$root/tmp"
chmod 1777 "$root/tmp"
echo "cairn:x:10001:10001:Cairn:/data:/nonexistent" > "$root/etc/passwd"
echo "cairn:x:10001:" > "$root/etc/group"
