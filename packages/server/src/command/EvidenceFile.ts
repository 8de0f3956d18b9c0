/** An evidence bundle as the bytes of its file. */
import { Readable } from "node:stream"
import { createGzip } from "node:zlib"
import { EvidenceExport, type EvidenceRequest } from "@cairn/core/evidence"
import { Effect, Stream } from "effect"

/** The bundle, compressed as it is read. A failure on the way fails the reading. */
export const evidenceFile = (request: EvidenceRequest) =>
  Effect.gen(function* () {
    const { text } = yield* EvidenceExport
    const pieces = yield* Stream.toAsyncIterableEffect(text(request))
    const plain = Readable.from(pieces)
    const packed = createGzip()
    plain.on("error", (error) => packed.destroy(error))
    return plain.pipe(packed)
  })
