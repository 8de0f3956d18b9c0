/**
 * The index has the values that events are filtered by, beside their texts. What was indexed before is built
 * again, see `SearchFile`.
 */
export default `
DROP TABLE search_frame;
DROP TABLE search_part;
UPDATE search_position SET sequence = ${Number.MIN_SAFE_INTEGER}, frames = 0;

-- The folded texts and the values of some 256 events, compressed, see FrameTexts and FrameColumns of the core, and
-- their signature. Values and signature go once the parts and postings of the group have them.
CREATE TABLE search_frame (
  workspace INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  since     INTEGER NOT NULL,
  texts     BLOB NOT NULL,
  columns   BLOB,
  signature BLOB,
  PRIMARY KEY (workspace, number)
) STRICT;
CREATE INDEX search_frame_first ON search_frame (workspace, first);

-- The signatures of 64 frames, turned on their side, see GramParts of the core.
CREATE TABLE search_part (
  workspace   INTEGER NOT NULL,
  frame_group INTEGER NOT NULL,
  part        INTEGER NOT NULL,
  cells       BLOB NOT NULL,
  PRIMARY KEY (workspace, frame_group, part)
) STRICT;

-- The values of 64 frames, each with its events, compressed, see Postings of the core.
CREATE TABLE search_posting (
  workspace   INTEGER NOT NULL,
  number      INTEGER NOT NULL,
  frame_group INTEGER NOT NULL,
  blob        BLOB NOT NULL,
  PRIMARY KEY (workspace, number, frame_group)
) STRICT;
`
