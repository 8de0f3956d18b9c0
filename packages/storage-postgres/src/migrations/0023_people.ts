/**
 * People, their accounts at identity providers, their sessions, the workspaces that each session has been
 * used for, and links that sign in; and the address of each member, by which its person is looked up.
 */
export default [
  // address_key is the address with its ASCII letters in lower case.
  `CREATE TABLE person (
    id          text COLLATE "C" PRIMARY KEY,
    address_key text COLLATE "C" NOT NULL UNIQUE,
    address     text NOT NULL,
    created_at  bigint NOT NULL
  )`,
  `CREATE TABLE person_account (
    issuer    text COLLATE "C" NOT NULL,
    subject   text COLLATE "C" NOT NULL,
    person_id text COLLATE "C" NOT NULL REFERENCES person (id),
    bound_at  bigint NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (person_id, issuer)
  )`,
  `CREATE TABLE session (
    id             text COLLATE "C" PRIMARY KEY,
    person_id      text COLLATE "C" NOT NULL REFERENCES person (id),
    secret_hash    text COLLATE "C" NOT NULL UNIQUE,
    method         text NOT NULL,
    client_address text,
    user_agent     text,
    created_at     bigint NOT NULL,
    last_used_at   bigint,
    expires_at     bigint NOT NULL,
    ended_at       bigint
  )`,
  "CREATE INDEX session_person ON session (person_id, created_at)",
  "CREATE INDEX session_expiry ON session (expires_at)",
  "CREATE INDEX session_end ON session (ended_at) WHERE ended_at IS NOT NULL",
  `CREATE TABLE session_entry (
    session_id   text COLLATE "C" NOT NULL REFERENCES session (id),
    workspace_id text COLLATE "C" NOT NULL,
    member_id    text COLLATE "C" NOT NULL,
    entered_at   bigint NOT NULL,
    ended_at     bigint,
    PRIMARY KEY (session_id, workspace_id)
  )`,
  "CREATE INDEX session_entry_member ON session_entry (workspace_id, member_id)",
  `CREATE TABLE sign_in_link (
    secret_hash  text COLLATE "C" PRIMARY KEY,
    kind         text COLLATE "C" NOT NULL,
    address_key  text COLLATE "C" NOT NULL,
    address      text NOT NULL,
    workspace_id text COLLATE "C",
    return_to    text,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    spent_at     bigint
  )`,
  "CREATE INDEX sign_in_link_address ON sign_in_link (address_key, kind, created_at)",
  `CREATE INDEX sign_in_link_workspace ON sign_in_link (workspace_id, created_at)
    WHERE workspace_id IS NOT NULL`,
  "CREATE INDEX sign_in_link_expiry ON sign_in_link (expires_at)",
  "ALTER TABLE api_key ADD COLUMN created_by text",
  'ALTER TABLE member ADD COLUMN address text COLLATE "C"',
  // A body that cannot be read leaves NULL: the first class of errors has what is no JSON, the second what is
  // too large for it.
  `DO $$
  DECLARE
    one record;
    email jsonb;
  BEGIN
    FOR one IN SELECT id, body FROM member LOOP
      BEGIN
        email := one.body::jsonb -> 'email';
      EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
        CONTINUE;
      END;
      IF jsonb_typeof(email) = 'string' THEN
        UPDATE member
        SET address = translate(email #>> '{}', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
        WHERE id = one.id;
      END IF;
    END LOOP;
  END $$`,
  "CREATE INDEX member_address ON member (address)"
]
