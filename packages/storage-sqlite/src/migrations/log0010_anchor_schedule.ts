/**
 * When the periods of a workspace's anchors end, as a JSON object with its other settings; NULL for the
 * service's default.
 */
export default `
ALTER TABLE workspace ADD COLUMN anchor_schedule TEXT;
UPDATE workspace SET anchor_schedule = (
  SELECT json_object('every_seconds', s.every_seconds, 'offset_seconds', s.offset_seconds)
  FROM anchor_schedule s WHERE s.workspace = workspace.number
);
DROP TABLE anchor_schedule;
`
