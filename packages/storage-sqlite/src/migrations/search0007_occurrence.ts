/**
 * Events are filtered by their category, country and resource's name too, and by the end of their action; and
 * the index has the order in which they occurred, see `FrameOccurrences` of the core. It has a layout that an
 * older program cannot write. What was indexed before is built again, see `SearchFile`.
 */
export default `
DROP TABLE search_frame;
DELETE FROM search_part;
DELETE FROM search_posting;
UPDATE search_position SET sequence = ${Number.MIN_SAFE_INTEGER}, frames = 0;

-- The folded texts and the values of some 256 events, compressed, see FrameTexts and FrameColumns of the core, when the
-- first and the last of them occurred, and their signature. Values and signature go once the parts and postings of the
-- group have them.
CREATE TABLE search_frame (
  workspace INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  since     INTEGER NOT NULL,
  earliest  REAL NOT NULL,
  latest    REAL NOT NULL,
  layout    INTEGER NOT NULL,
  texts     BLOB NOT NULL,
  columns   BLOB,
  signature BLOB,
  PRIMARY KEY (workspace, number)
) STRICT;
CREATE INDEX search_frame_first ON search_frame (workspace, first);

-- The events of 64 frames in the order in which they occurred, compressed; with how many they are, their lowest and
-- highest sequences, and when the first and the last of them occurred.
CREATE TABLE search_order (
  workspace   INTEGER NOT NULL,
  frame_group INTEGER NOT NULL,
  first       INTEGER NOT NULL,
  last        INTEGER NOT NULL,
  earliest    REAL NOT NULL,
  latest      REAL NOT NULL,
  events      INTEGER NOT NULL,
  blob        BLOB NOT NULL,
  PRIMARY KEY (workspace, frame_group)
) STRICT;
`
