/** The keys that sign checkpoints, their seeds sealed, and the newest checkpoint of each log. */
export default [
  `CREATE TABLE checkpoint_key (
    number      integer PRIMARY KEY,
    name        text NOT NULL,
    public_key  text NOT NULL,
    sealed_seed text NOT NULL,
    created_at  bigint NOT NULL
  )`,
  `CREATE TABLE checkpoint (
    workspace_id text COLLATE "C" PRIMARY KEY,
    size         bigint NOT NULL,
    root         text NOT NULL,
    key_number   integer NOT NULL,
    note         text NOT NULL
  )`
]
