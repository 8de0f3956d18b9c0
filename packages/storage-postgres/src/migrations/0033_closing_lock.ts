/**
 * Whoever accepts events of a workspace holds its slot's lock together with the others, and whoever closes
 * the log holds it alone, each until the transaction ends. So closing waits for the commits of those
 * workspaces alone, wherever their rows lie, and the look at what was closed comes after that.
 */

/** "clos", the first key of these advisory locks; the second is the slot. */
export const CLOSING = 0x636c6f73

/** The workspace's slot, by its number: few locks however many workspaces are in a commit. */
export const slotOf = (number: string): string => `(${number} % 16)::int`

export default [
  `CREATE OR REPLACE FUNCTION cairn_not_closed(workspaces bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${CLOSING}, slot)
      FROM (SELECT DISTINCT ${slotOf("number")} AS slot FROM unnest(workspaces) AS w (number) ORDER BY slot) s;
      IF EXISTS (SELECT FROM workspace WHERE closed_at IS NOT NULL AND number = ANY (workspaces)) THEN
        RAISE EXCEPTION 'the log of a workspace was closed' USING ERRCODE = 'CN002';
      END IF;
      RETURN true;
    END
  $$`
]
