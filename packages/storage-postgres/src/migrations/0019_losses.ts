/**
 * For a loss: the largest size that the noticing process may have signed; the acceptance that it was part of,
 * whose name never repeats, unlike a number when a copy is restored; and when its event was written to the
 * logs.
 */
export default [
  "ALTER TABLE log_loss ADD COLUMN furthest bigint, ADD COLUMN acceptance text, ADD COLUMN recorded_at bigint",
  `UPDATE log_loss SET furthest = seen_sequence, recorded_at = accepted_at,
     acceptance = CASE WHEN accepted_at IS NULL THEN NULL ELSE gen_random_uuid()::text END`,
  "CREATE INDEX log_loss_open ON log_loss (number) WHERE accepted_at IS NULL",
  "CREATE INDEX log_loss_furthest ON log_loss (workspace_id, furthest) WHERE accepted_at IS NOT NULL"
]
