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

/** The blobs of a database's index in whose bytes a text is, as it is or folded. */
export const framesWith = (filename: string, text: string): ReadonlyArray<string> => {
  const db = new DatabaseSync(siblingFile(filename, "search"), { readOnly: true })
  try {
    const folded = Buffer.from(fold(text))
    return db
      .prepare(BLOBS)
      .all()
      .filter(({ blob }) => {
        const bytes = zstdDecompressSync(blob as Uint8Array)
        return bytes.includes(text) || bytes.includes(folded)
      })
      .map(({ name }) => String(name))
  } finally {
    db.close()
  }
}
