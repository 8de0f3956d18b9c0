/**
 * How many removals of contents the index has seen: an older index still has contents that were removed
 * since.
 */
export default `
ALTER TABLE search_file ADD COLUMN removals INTEGER NOT NULL DEFAULT 0;
`
