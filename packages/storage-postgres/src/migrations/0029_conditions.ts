/**
 * Events are filtered by their category, country and resource's name too, and by the end of their action. The
 * index has these values, and a layout that an older program cannot write. What was indexed before is built
 * again.
 */
export default [
  "TRUNCATE search_frame, search_part, search_posting",
  `UPDATE search_position SET sequence = ${Number.MIN_SAFE_INTEGER}, frames = 0`,
  "ALTER TABLE search_frame ADD COLUMN layout int NOT NULL"
]
