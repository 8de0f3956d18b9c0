/**
 * Events are filtered by their category, country and resource's name too, and by the end of their action; and
 * the index has the order in which they occurred, see `FrameOccurrences` of the core. It has a layout that an
 * older program cannot write. What was indexed before is built again.
 */
export default [
  "TRUNCATE search_frame, search_part, search_posting",
  `UPDATE search_position SET sequence = ${Number.MIN_SAFE_INTEGER}, frames = 0`,
  // `earliest`, `latest`: when the first and the last of a frame's events occurred.
  `ALTER TABLE search_frame
    ADD COLUMN earliest double precision NOT NULL, ADD COLUMN latest double precision NOT NULL,
    ADD COLUMN layout int NOT NULL`,
  // The events of 64 frames in the order in which they occurred, compressed; with how many they are, their
  // lowest and highest sequences, and when the first and the last of them occurred.
  `CREATE TABLE search_order (
    workspace   bigint NOT NULL,
    frame_group bigint NOT NULL,
    first       bigint NOT NULL,
    last        bigint NOT NULL,
    earliest    double precision NOT NULL,
    latest      double precision NOT NULL,
    events      bigint NOT NULL,
    blob        bytea NOT NULL,
    PRIMARY KEY (workspace, frame_group)
  )`,
  "ALTER TABLE search_order ALTER blob SET STORAGE EXTERNAL"
]
