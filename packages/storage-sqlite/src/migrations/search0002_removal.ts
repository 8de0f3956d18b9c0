/** What is removed from the index leaves its pages, rather than being marked as gone. */
export default `
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
`
