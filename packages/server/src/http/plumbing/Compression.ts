/**
 * Compressed answers (RFC 9110 section 8.4), for clients that ask for them.
 *
 * Only what is marked is compressed: never an answer that carries a secret, a token or a signed link, since
 * the length of a compressed text reveals what is in it to anybody who can choose another part of it
 * (BREACH).
 *
 * zlib works on threads of its own. This thread hands it pieces of a bounded size and takes turns with other
 * requests in between, so that no answer keeps it for a millisecond.
 */
import { Readable, type Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Stream } from "effect"
import { type Answer, CODINGS, type Coding, piecesOf } from "./Answer.ts"

/** A smaller answer fits into one packet in any case. */
const SMALLEST = 1_400

/** How well to compress: what costs about as much as gzip, which costs some 20 ms for 1 MB. */
const MAKERS: Readonly<Record<Coding, () => Transform>> = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 6 })
}

/**
 * The coding that an `Accept-Encoding` prefers among those on offer; of those it likes equally, the first.
 * Undefined if it names none.
 */
export const readCoding = (
  header: string | undefined,
  offered: ReadonlyArray<Coding>
): Coding | undefined => {
  if (header === undefined) return undefined
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith("q="))
    weights.set(name === "x-gzip" ? "gzip" : name, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0
  const [best] = offered.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  return best
}

/** Compresses a body that is there, on another thread. */
export const compressed = (coding: Coding, body: string | Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(async (signal) => {
    const pieces: Array<Uint8Array> = []
    const collect = async (output: AsyncIterable<Uint8Array>) => {
      for await (const piece of output) pieces.push(piece)
    }
    await pipeline(Readable.from(piecesOf(body)), MAKERS[coding](), collect, { signal })
    return Buffer.concat(pieces)
  })

/** The answer in a coding: its length is another or not known, and it is not the same bytes. */
const inCoding = (answer: Answer, coding: Coding, body: Answer["body"]): Answer => {
  const { "content-length": _, "accept-ranges": __, etag, ...headers } = answer.headers ?? {}
  return {
    ...answer,
    body,
    headers: {
      ...headers,
      "content-encoding": coding,
      ...(etag === undefined ? {} : { etag: etag.replace(/"$/, `-${coding}"`) })
    }
  }
}

/**
 * The answer as the client likes it best. `answer` must be marked as compressible. One that is encoded
 * already is given as it is; a stream stays one.
 */
export const encodeAnswer = (answer: Answer, accepted: string | undefined): Effect.Effect<Answer> => {
  const { body, encoded } = answer
  if (encoded !== undefined) {
    const coding = readCoding(
      accepted,
      CODINGS.filter((each) => encoded[each] !== undefined)
    )
    const bytes = coding === undefined ? undefined : encoded[coding]
    return Effect.succeed(
      coding === undefined || bytes === undefined ? answer : inCoding(answer, coding, bytes)
    )
  }
  const coding = readCoding(accepted, CODINGS)
  if (coding === undefined) return Effect.succeed(answer)
  if (Stream.isStream(body)) {
    const content = NodeStream.pipeThroughDuplex(body, { evaluate: MAKERS[coding] })
    return Effect.succeed(inCoding(answer, coding, content))
  }
  if (body.length < SMALLEST) return Effect.succeed(answer)
  return Effect.map(compressed(coding, body), (bytes) => inCoding(answer, coding, bytes))
}
