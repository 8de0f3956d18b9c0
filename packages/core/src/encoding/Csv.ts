/**
 * CSV as RFC 4180 has it (section 2: CRLF after each record, quotes doubled), with cells that no spreadsheet
 * takes for a formula.
 *
 * A cell that begins like a formula, or with an apostrophe, is written with an apostrophe before it. So
 * whoever reads the file takes one leading apostrophe off, where there is one, and has the original.
 */

/**
 * What a spreadsheet may run (OWASP, "CSV Injection"): `= + - @`, their full-width forms, and characters that
 * it drops before it looks. The apostrophe is among them so that the original can be told.
 */
const FORMULA = /^['=+\-@\t\r\n\0＝＋－＠]/

/**
 * Beside what RFC 4180 section 2 rule 6 quotes, what programs of other habits take for the end of a cell, or
 * strip.
 */
const QUOTED = /[",;|\t\r\n\0]|^\s|\s$/

/** The cell with an apostrophe before it, if a spreadsheet might run it. */
export const neutraliseCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** What {@link neutraliseCell} was given. */
export const recoverCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell)

/** What needs none of that: the most, found by one look. */
const PLAIN = /^[^'=+\-@\s"\0,;|＝＋－＠](?:[^",;|\t\r\n\0]*[^",;|\0\s])?$/

/** All of them: by a pattern they are replaced in less time than by their text. */
const QUOTES = /"/g

/**
 * A cell as it stands in the file. Nothing is an empty cell; empty text is a quoted one, for readers that
 * look.
 */
const writeCell = (text: string | null): string => {
  if (text === null) return ""
  if (PLAIN.test(text)) return text
  const cell = neutraliseCell(text)
  return cell === "" || QUOTED.test(cell) ? `"${cell.replace(QUOTES, '""')}"` : cell
}

/** One record with its CRLF; every cell neutralised. */
export const csvRecord = (cells: ReadonlyArray<string | null>): string => {
  let record = ""
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) record += ","
    record += writeCell(cells[index] ?? null)
  }
  return `${record}\r\n`
}
