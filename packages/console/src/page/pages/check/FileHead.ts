/** What an evidence file says of itself in its first line. */
import { gunzip } from "@cairn/core/encoding"
import { type EvidenceHeader, EvidenceReader } from "@cairn/core/evidence"
import { Effect, Result, Stream } from "effect"
import { filePieces } from "./FilePieces.ts"

/** What a file says of itself. */
export type FileHead = Pick<EvidenceHeader, "from" | "to" | "origin" | "created_at">

/** Reads a file's first line; null if it is no evidence file, or cannot be read. */
export const readHead = (file: Pick<File, "name" | "size" | "stream">): Promise<FileHead | null> => {
  const found: Array<FileHead> = []
  const reader = new EvidenceReader((line) => {
    if (line.type === "header") found.push(line)
  })
  return Effect.runPromise(
    gunzip(filePieces(file)).pipe(
      Stream.runForEachWhile((bytes) =>
        Effect.sync(() => Result.isSuccess(reader.feed(bytes)) && found.length === 0)
      ),
      Effect.ignore,
      Effect.map(() => found[0] ?? null)
    )
  )
}
