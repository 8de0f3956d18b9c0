/** Text that is removed from the index is removed from its pages, instead of only being marked. */
export default `
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
`
