/**
 * When a workspace's log was closed, in microseconds; NULL for one that takes events. The function is part of
 * every commit that accepts events: it fails if one of the workspaces was closed.
 */
export default [
  "ALTER TABLE workspace ADD COLUMN closed_at bigint",
  "CREATE INDEX workspace_closed ON workspace (number) WHERE closed_at IS NOT NULL",
  `CREATE FUNCTION cairn_not_closed(workspaces bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM workspace WHERE closed_at IS NOT NULL AND number = ANY (workspaces)) THEN
        RAISE EXCEPTION 'the log of a workspace was closed' USING ERRCODE = 'CN002';
      END IF;
      RETURN true;
    END
  $$`
]
