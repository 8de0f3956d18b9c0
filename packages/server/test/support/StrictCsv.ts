/** CSV as another library reads it. */
import type { Readable } from "node:stream"
import { parse } from "csv-parse"
import { Schema } from "effect"

const decodeRecord = Schema.decodeUnknownSync(Schema.Array(Schema.String))

/**
 * The records of a file, one after the other. It is strict: RFC 4180 with CRLF, and as many cells in each
 * record.
 */
export async function* readRecords(file: Readable): AsyncGenerator<ReadonlyArray<string>> {
  const parser = parse({ record_delimiter: "\r\n" })
  file.on("error", (error) => parser.destroy(error))
  file.pipe(parser)
  for await (const record of parser) yield decodeRecord(record)
}
