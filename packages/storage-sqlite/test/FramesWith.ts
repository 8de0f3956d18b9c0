import { DatabaseSync } from "node:sqlite"
import { searchTerm } from "@cairn/core/log"
import { readFrame } from "@cairn/storage-sql"
import { siblingFile } from "@cairn/storage-sqlite"

/** The frames of a database's search index that hold a text, as a search finds it. */
export const framesWith = (filename: string, text: string): ReadonlyArray<string> => {
  const db = new DatabaseSync(siblingFile(filename, "search"), { readOnly: true })
  try {
    const wanted = Buffer.from(searchTerm(text).bytes)
    return db
      .prepare("SELECT workspace, number, first, blob FROM search_frame")
      .all()
      .filter(({ number, first, blob }) =>
        readFrame({ number: Number(number), first: Number(first), blob: blob as Uint8Array })?.some((entry) =>
          Buffer.from(entry.text).includes(wanted)
        )
      )
      .map(({ workspace, number }) => `frame ${number} of ${workspace}`)
  } finally {
    db.close()
  }
}
