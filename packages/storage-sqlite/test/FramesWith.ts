import { DatabaseSync } from "node:sqlite"
import { zstdDecompressSync } from "node:zlib"
import { fold } from "@cairn/core/event"
import { siblingFile } from "@cairn/storage-sqlite"

/** Every blob of the index that is compressed. */
const BLOBS = `
  SELECT 'the texts of frame ' || number AS name, texts AS blob FROM search_frame
  UNION ALL SELECT 'the columns of frame ' || number, columns FROM search_frame WHERE columns IS NOT NULL
  UNION ALL SELECT 'postings ' || number || ' of group ' || frame_group, blob FROM search_posting
  UNION ALL SELECT 'the order of group ' || frame_group, blob FROM search_order`

/** What finds the blobs of a database's index, as it is now, in whose bytes a text is: as it is or folded. */
export const framesNow = (filename: string): ((text: string) => ReadonlyArray<string>) => {
  const db = new DatabaseSync(siblingFile(filename, "search"), { readOnly: true })
  try {
    const blobs = db
      .prepare(BLOBS)
      .all()
      .map(({ name, blob }) => ({ name: String(name), bytes: zstdDecompressSync(blob as Uint8Array) }))
    return (text) => {
      const folded = Buffer.from(fold(text))
      return blobs
        .filter(({ bytes }) => bytes.includes(text) || bytes.includes(folded))
        .map(({ name }) => name)
    }
  } finally {
    db.close()
  }
}

/** The blobs of a database's index in whose bytes a text is, as it is or folded. */
export const framesWith = (filename: string, text: string): ReadonlyArray<string> => framesNow(filename)(text)
