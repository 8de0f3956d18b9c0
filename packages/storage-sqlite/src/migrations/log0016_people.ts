/**
 * People, their accounts at identity providers, their sessions, the workspaces that each session has been
 * used for, and links that sign in; and the address of each member, by which its person is looked up.
 */

/** The letters of ASCII alone, whatever SQLite's own `lower` was built with. */
const lowered = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ").reduce(
  (text, letter) => `replace(${text}, '${letter}', '${letter.toLowerCase()}')`,
  "json_extract(body, '$.email')"
)

export default `
CREATE TABLE person (
  id          TEXT PRIMARY KEY,
  -- The address with its ASCII letters in lower case.
  address_key TEXT NOT NULL UNIQUE,
  address     TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE person_account (
  issuer    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES person (id),
  bound_at  INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (person_id, issuer)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  id             TEXT PRIMARY KEY,
  person_id      TEXT NOT NULL REFERENCES person (id),
  secret_hash    TEXT NOT NULL UNIQUE,
  method         TEXT NOT NULL,
  client_address TEXT,
  user_agent     TEXT,
  created_at     INTEGER NOT NULL,
  last_used_at   INTEGER,
  expires_at     INTEGER NOT NULL,
  ended_at       INTEGER
) STRICT;
CREATE INDEX session_person ON session (person_id, created_at);
CREATE INDEX session_expiry ON session (expires_at);
CREATE INDEX session_end ON session (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE session_entry (
  session_id   TEXT NOT NULL REFERENCES session (id),
  workspace_id TEXT NOT NULL,
  member_id    TEXT NOT NULL,
  entered_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  PRIMARY KEY (session_id, workspace_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_entry_member ON session_entry (workspace_id, member_id);

CREATE TABLE sign_in_link (
  secret_hash  TEXT PRIMARY KEY,
  kind         TEXT NOT NULL,
  address_key  TEXT NOT NULL,
  address      TEXT NOT NULL,
  workspace_id TEXT,
  return_to    TEXT,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  spent_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_link_address ON sign_in_link (address_key, kind, created_at);
CREATE INDEX sign_in_link_workspace ON sign_in_link (workspace_id, created_at)
  WHERE workspace_id IS NOT NULL;
CREATE INDEX sign_in_link_expiry ON sign_in_link (expires_at);

-- NULL for keys from before.
ALTER TABLE api_key ADD COLUMN created_by TEXT;

-- NULL where the body cannot be read.
ALTER TABLE member ADD COLUMN address TEXT;
UPDATE member SET address = CASE
  WHEN json_valid(body) THEN CASE json_type(body, '$.email') WHEN 'text' THEN ${lowered} END
END;
CREATE INDEX member_address ON member (address);
`
