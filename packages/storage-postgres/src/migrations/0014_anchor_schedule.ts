/**
 * When the periods of a workspace's anchors end, as a JSON object with its other settings; NULL for the
 * service's default.
 */
export default [
  "ALTER TABLE workspace ADD COLUMN anchor_schedule text",
  `UPDATE workspace w SET anchor_schedule = json_build_object('every_seconds', s.every_seconds, 'offset_seconds', s.offset_seconds)::text
   FROM anchor_schedule s WHERE s.workspace = w.number`,
  "DROP TABLE anchor_schedule"
]
