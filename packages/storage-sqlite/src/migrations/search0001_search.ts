/** The search index's file: derived from the log, and rebuilt by the consumer that fills it. */
export default `
-- Folded text in trigrams. The rowid holds workspace and sequence (see SearchIndex), so that one workspace is a range of
-- every posting list. The index only finds candidates: no text, no positions and no sizes are kept.
CREATE VIRTUAL TABLE search USING fts5(text, content = '', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1');

-- How far into each log the index has come.
CREATE TABLE position (
  workspace INTEGER PRIMARY KEY,
  sequence  INTEGER NOT NULL
) STRICT;
`
