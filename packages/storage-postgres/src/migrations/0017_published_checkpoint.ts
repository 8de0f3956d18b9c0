/**
 * The checkpoints that were signed on schedule: at most one row an hour, for each log that grew in it, for
 * ever.
 */
export default [
  `CREATE TABLE published_checkpoint (
    workspace_id text COLLATE "C" NOT NULL,
    size         bigint NOT NULL,
    root         text NOT NULL,
    note         text NOT NULL,
    signed_at    bigint NOT NULL,
    PRIMARY KEY (workspace_id, size)
  )`
]
