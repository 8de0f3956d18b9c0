/**
 * Frames of folded text in place of trigrams. What older versions have indexed is built again, see
 * `SearchFile`.
 */
export default `
DROP TABLE search;
DROP TABLE position;

-- The folded texts of some 256 events, compressed, see SearchFrame of the core. The signature goes once the parts of its
-- group have it.
CREATE TABLE search_frame (
  workspace INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  blob      BLOB NOT NULL,
  signature BLOB,
  PRIMARY KEY (workspace, number)
) STRICT;
CREATE INDEX search_frame_first ON search_frame (workspace, first);

-- The signatures of 64 frames, turned on their side, see SearchGroup of the core.
CREATE TABLE search_part (
  workspace   INTEGER NOT NULL,
  frame_group INTEGER NOT NULL,
  part        INTEGER NOT NULL,
  cells       BLOB NOT NULL,
  PRIMARY KEY (workspace, frame_group, part)
) STRICT;

-- How far into each log the index has come; and the newest event that the log had, with its hash, which is further.
CREATE TABLE search_position (
  workspace INTEGER PRIMARY KEY,
  sequence  INTEGER NOT NULL,
  frames    INTEGER NOT NULL,
  seen      INTEGER,
  mark      TEXT
) STRICT;
`
