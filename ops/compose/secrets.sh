#!/bin/sh
# Makes the secrets that compose.yaml gives to PostgreSQL and the servers, in the folder `secrets` beside it.
# What is there already stays: without the secret key a database does not open.
set -eu
cd "$(dirname "$0")/../.."

umask 077
mkdir -p secrets

# Writes standard input to a file, whole or not at all. The users of the containers, who are not the one who
# runs this, read each file where it is mounted; the folder keeps others on this machine out.
keep() {
  cat > "secrets/.$1"
  chmod 444 "secrets/.$1"
  mv "secrets/.$1" "secrets/$1"
}

[ -e secrets/secret-key ] || openssl rand -base64 32 | keep secret-key
[ -e secrets/database-password ] || openssl rand -hex 24 | tr -d '\n' | keep database-password
[ -e secrets/database-url ] ||
  printf 'postgres://cairn:%s@postgres/cairn' "$(cat secrets/database-password)" | keep database-url
