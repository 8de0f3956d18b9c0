/** Requested exports, and the keys that sign viewer tokens, with their secrets sealed. */
export default [
  // claim is the one who makes it, for as long as nobody takes it over once held_until is past. Times are in
  // microseconds.
  `CREATE TABLE export (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    format       text NOT NULL,
    filters      text NOT NULL,
    status       text NOT NULL,
    progress     bigint NOT NULL,
    attempts     bigint NOT NULL,
    total_rows   bigint,
    file_size    bigint,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    has_files    bigint NOT NULL,
    claim        text COLLATE "C",
    held_until   bigint NOT NULL DEFAULT 0
  )`,
  "CREATE INDEX export_workspace ON export (workspace_id, created_at)",
  "CREATE INDEX export_unsettled ON export (created_at) WHERE status IN ('pending', 'processing')",
  "CREATE INDEX export_files ON export (expires_at) WHERE has_files = 1",
  `CREATE TABLE viewer_key (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    created_at   bigint NOT NULL,
    body         text NOT NULL
  )`,
  "CREATE INDEX viewer_key_workspace ON viewer_key (workspace_id, created_at)"
]
