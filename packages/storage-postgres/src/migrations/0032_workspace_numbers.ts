/**
 * The workspace's number in every table of the log, in place of its id: rows of one workspace are together,
 * whatever table they are in. 0 is for rows of no workspace, whose id is the empty text.
 *
 * It only adds, which takes no time: rows that are there are numbered afterwards, see `NumberedRows`. A
 * server of the former version writes rows without the number, which get it by a trigger; its own statements
 * find them by the id as before.
 */

/** The tables that had only the id. */
export const NUMBERED_TABLES = [
  "tree_tile",
  "checkpoint",
  "published_checkpoint",
  "consumer",
  "consumer_row",
  "alert"
]

export default [
  `CREATE FUNCTION cairn_number_row() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.workspace := CASE WHEN NEW.workspace_id = '' THEN 0
        ELSE (SELECT number FROM workspace WHERE id = NEW.workspace_id) END;
      RETURN NEW;
    END
  $$`,
  ...NUMBERED_TABLES.flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN workspace bigint`,
    `CREATE TRIGGER ${table}_is_numbered BEFORE INSERT ON ${table}
      FOR EACH ROW WHEN (NEW.workspace IS NULL) EXECUTE FUNCTION cairn_number_row()`,
    `CREATE INDEX ${table}_without_number ON ${table} (workspace_id) WHERE workspace IS NULL`
  ]),
  "CREATE UNIQUE INDEX tree_tile_key ON tree_tile (workspace, level, tile)",
  "CREATE UNIQUE INDEX checkpoint_key_of_log ON checkpoint (workspace)",
  "CREATE UNIQUE INDEX published_checkpoint_key ON published_checkpoint (workspace, size)",
  "CREATE UNIQUE INDEX consumer_key ON consumer (workspace, name)",
  "CREATE UNIQUE INDEX consumer_row_key ON consumer_row (workspace, consumer, key)",
  `CREATE INDEX consumer_row_expires ON consumer_row (workspace, consumer, expires_at)
    WHERE expires_at IS NOT NULL`,
  "CREATE UNIQUE INDEX alert_key ON alert (workspace, id)",
  "CREATE UNIQUE INDEX alert_triggered ON alert (workspace, triggered_at)",
  "CREATE INDEX alert_of_type ON alert (workspace, rule_type, triggered_at)",
  "CREATE INDEX alert_of_event ON alert (workspace, event_id)"
]
