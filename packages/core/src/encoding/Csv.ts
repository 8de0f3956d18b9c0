/**
 * CSV as RFC 4180 defines it (section 2: CRLF after each record, quotes doubled), with cells that no
 * spreadsheet runs as a formula.
 *
 * A cell that begins like a formula, or with an apostrophe, is written with an apostrophe before it. A
 * program that reads the file removes one leading apostrophe, if there is one, and has the original.
 *
 * Which columns an export has: `export/CsvColumns.ts`.
 */

/**
 * What a spreadsheet may run (OWASP, "CSV Injection"): `= + - @`, their full-width and small forms, and
 * characters that it drops before it looks; also behind white space and what is not seen, such as a byte
 * order mark or a zero-width space. The apostrophe is included so that the original can be recovered.
 */
const FORMULA = /^'|^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\n\0＝＋－＠﹦﹢﹣﹫]/u

/**
 * Characters that must be quoted: those that RFC 4180 section 2 rule 6 names, and those that some programs
 * strip or take for the end of a cell.
 */
const QUOTED = /[",;|\t\r\n\0]|^\s|\s$/

/** The cell with an apostrophe before it, if a spreadsheet might run it. */
export const neutraliseCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** Undoes `neutraliseCell`. */
export const recoverCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell)

/**
 * A cell that needs neither an apostrophe nor quotes, and begins with a character of ASCII. Most cells are
 * like this, and one match finds them.
 */
const PLAIN = /^[!#-&(*./0-:<>?A-{}~](?:[^",;|\t\r\n\0]*[^",;|\0\s])?$/

/** All quotes. Replacing them by a pattern is faster than by a string. */
const QUOTES = /"/g

/**
 * A cell as it is written to the file. Null is an empty cell and empty text is `""`, for readers that tell
 * them apart.
 */
const writeCell = (text: string | null): string => {
  if (text === null) return ""
  if (PLAIN.test(text)) return text
  const cell = neutraliseCell(text)
  return cell === "" || QUOTED.test(cell) ? `"${cell.replace(QUOTES, '""')}"` : cell
}

/** One record with its CRLF, every cell neutralised. */
export const csvRecord = (cells: ReadonlyArray<string | null>): string => {
  let record = ""
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) record += ","
    record += writeCell(cells[index] ?? null)
  }
  return `${record}\r\n`
}
