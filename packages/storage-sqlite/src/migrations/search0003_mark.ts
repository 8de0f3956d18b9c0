/**
 * The id of this index, and the hash of the last event of each log in it: a position is not valid in another
 * log.
 */
export default `
ALTER TABLE position ADD COLUMN mark TEXT;
CREATE TABLE search_file (identity TEXT NOT NULL) STRICT;
INSERT INTO search_file VALUES (lower(hex(randomblob(16))));
`
