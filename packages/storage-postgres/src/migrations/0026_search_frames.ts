/**
 * Frames of folded text in place of texts with an index over their trigrams: no extension is needed. What
 * older versions have indexed is built again.
 */
export default [
  "DROP TABLE search",
  "DROP TABLE search_position",
  // The folded texts of some 256 events, compressed, see SearchFrame of the core. The signature goes once the
  // parts of its group have it.
  `CREATE TABLE search_frame (
    workspace bigint NOT NULL,
    number    bigint NOT NULL,
    first     bigint NOT NULL,
    blob      bytea NOT NULL,
    signature bytea,
    PRIMARY KEY (workspace, number)
  )`,
  "ALTER TABLE search_frame ALTER blob SET STORAGE EXTERNAL",
  "CREATE INDEX search_frame_first ON search_frame (workspace, first)",
  // The signatures of 64 frames, turned on their side, see SearchGroup of the core.
  `CREATE TABLE search_part (
    workspace   bigint NOT NULL,
    frame_group bigint NOT NULL,
    part        int NOT NULL,
    cells       bytea NOT NULL,
    PRIMARY KEY (workspace, frame_group, part)
  )`,
  // How far into each log the index has come.
  `CREATE TABLE search_position (
    workspace bigint PRIMARY KEY,
    sequence  bigint NOT NULL,
    frames    bigint NOT NULL
  ) WITH (fillfactor = 25)`
]
