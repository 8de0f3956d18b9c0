/**
 * A reader of RFC 4180 that forgives two things, which foreign samples have: a line feed alone at the end of
 * a record, and a quote in the middle of a cell that is not quoted.
 */

/** The records of a text. Throws where the grammar of section 2 does not hold. */
export const readCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const records: Array<ReadonlyArray<string>> = []
  let record: Array<string> = []
  let at = 0
  const quoted = (): string => {
    let cell = ""
    for (;;) {
      const end = text.indexOf('"', at)
      if (end < 0) throw new Error(`the quote before ${at} is never closed`)
      cell += text.slice(at, end)
      at = end + 1
      if (text[at] !== '"') return cell
      cell += '"'
      at++
    }
  }
  const plain = (): string => {
    const begin = at
    while (at < text.length && !",\r\n".includes(text.charAt(at))) at++
    return text.slice(begin, at)
  }
  while (at < text.length) {
    if (text[at] === '"') {
      at++
      record.push(quoted())
    } else record.push(plain())
    if (text[at] === ",") {
      at++
      // A comma at the very end is followed by an empty cell.
      if (at === text.length) record.push("")
      continue
    }
    if (text.startsWith("\r\n", at)) at += 2
    else if (text[at] === "\n") at++
    else if (at < text.length) throw new Error(`${JSON.stringify(text[at])} at ${at} ends no cell`)
    records.push(record)
    record = []
  }
  if (record.length > 0) records.push(record)
  return records
}
