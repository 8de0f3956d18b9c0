/**
 * Events are filtered by their category, country and resource's name too, and by the end of their action. The
 * index has these values, and a layout that an older program cannot write. What was indexed before is built
 * again, see `SearchFile`.
 */
export default `
DROP TABLE search_frame;
DELETE FROM search_part;
DELETE FROM search_posting;
UPDATE search_position SET sequence = ${Number.MIN_SAFE_INTEGER}, frames = 0;

-- The folded texts and the values of some 256 events, compressed, see FrameTexts and FrameColumns of the core, and
-- their signature. Values and signature go once the parts and postings of the group have them.
CREATE TABLE search_frame (
  workspace INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  since     INTEGER NOT NULL,
  layout    INTEGER NOT NULL,
  texts     BLOB NOT NULL,
  columns   BLOB,
  signature BLOB,
  PRIMARY KEY (workspace, number)
) STRICT;
CREATE INDEX search_frame_first ON search_frame (workspace, first);
`
