/** The names of a database's files. */

/** `data/cairn.db` and `inbox` give `data/cairn-inbox.db`. */
export const siblingFile = (filename: string, name: string): string =>
  filename.endsWith(".db") ? `${filename.slice(0, -3)}-${name}.db` : `${filename}-${name}`
