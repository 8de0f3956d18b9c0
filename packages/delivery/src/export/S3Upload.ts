/**
 * Writes an object of any size. Content that fits in one part is one `PUT`; more is a multipart upload, which
 * cannot be read until it is complete.
 */
import { Effect, Stream } from "effect"
import {
  discardBody,
  element,
  readElements,
  type S3ExportStoreConfig,
  s3Failed,
  sendOnly,
  sendToS3,
  textOf
} from "./S3Client.ts"

/** Bytes of a part: S3 takes 5 MiB to 5 GiB, and 10,000 of them, which makes 80 GB. */
const PART = 8 * 1024 * 1024

/** Chunks of any size as parts of {@link PART} bytes, the last one smaller. */
class PartBuffer {
  #chunks: Array<Uint8Array> = []
  #size = 0

  /** Adds a chunk; returns the parts that are now full. */
  add(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    const full: Array<Uint8Array> = []
    let rest = chunk
    while (this.#size + rest.length >= PART) {
      const room = PART - this.#size
      this.#chunks.push(rest.subarray(0, room))
      this.#size = PART
      full.push(this.take())
      rest = rest.subarray(room)
    }
    this.#chunks.push(rest)
    this.#size += rest.length
    return full
  }

  /** What is left. */
  take(): Uint8Array {
    const part = Buffer.concat(this.#chunks, this.#size)
    this.#chunks = []
    this.#size = 0
    return part
  }
}

const begin = Effect.fnUntraced(function* (config: S3ExportStoreConfig, name: string, contentType: string) {
  const operation = "begin an upload"
  const headers = { "content-type": contentType }
  const request = { operation, method: "POST", name, query: { uploads: "" }, headers } as const
  const answer = yield* sendToS3(config, request, [200])
  const uploadId = element(yield* textOf(operation, answer), "UploadId")
  return uploadId ?? (yield* s3Failed(operation, new Error("S3 returned no UploadId")))
})

/** One part of an upload; its ETag. */
const putPart = Effect.fnUntraced(function* (
  config: S3ExportStoreConfig,
  { name, uploadId, number }: { readonly name: string; readonly uploadId: string; readonly number: number },
  body: Uint8Array
) {
  const operation = "upload a part"
  const query = { partNumber: String(number), uploadId }
  const answer = yield* sendToS3(config, { operation, method: "PUT", name, query, body }, [200])
  yield* discardBody(answer)
  const etag = answer.headers.get("etag")
  return etag ?? (yield* s3Failed(operation, new Error("S3 returned no ETag")))
})

const complete = Effect.fnUntraced(function* (
  config: S3ExportStoreConfig,
  name: string,
  uploadId: string,
  etags: ReadonlyArray<string>
) {
  const operation = "complete an upload"
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`
  )
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`)
  const headers = { "content-type": "application/xml" }
  const request = { operation, method: "POST", name, query: { uploadId }, headers, body } as const
  const answer = yield* sendToS3(config, request, [200])
  // S3 may send status 200 and then an error in the body.
  const code = element(yield* textOf(operation, answer), "Code")
  if (code !== undefined) return yield* s3Failed(operation, new Error(code))
})

/** Aborts an upload that is not complete; the store removes its parts. */
export const abortUpload = (config: S3ExportStoreConfig, name: string, uploadId: string) =>
  sendOnly(
    config,
    { operation: "abort an upload", method: "DELETE", name, query: { uploadId } },
    [200, 204, 404]
  )

const putWhole = (config: S3ExportStoreConfig, name: string, contentType: string, body: Uint8Array) => {
  const headers = { "content-type": contentType }
  return sendOnly(config, { operation: "upload a file", method: "PUT", name, headers, body }, [200])
}

/** Writes an object; returns its size in bytes. One that fails leaves no upload behind. */
export const upload = <E, R>(
  config: S3ExportStoreConfig,
  name: string,
  contentType: string,
  content: Stream.Stream<Uint8Array, E, R>
) =>
  Effect.suspend(() => {
    const buffer = new PartBuffer()
    const etags: Array<string> = []
    let uploadId: string | undefined
    let size = 0
    const put = Effect.fnUntraced(function* (part: Uint8Array) {
      uploadId ??= yield* begin(config, name, contentType)
      etags.push(yield* putPart(config, { name, uploadId, number: etags.length + 1 }, part))
    })
    return Effect.gen(function* () {
      yield* Stream.runForEach(content, (chunk) => {
        size += chunk.length
        return Effect.forEach(buffer.add(chunk), put, { discard: true })
      })
      const rest = buffer.take()
      if (uploadId === undefined) yield* putWhole(config, name, contentType, rest)
      else {
        if (rest.length > 0) yield* put(rest)
        yield* complete(config, name, uploadId, etags)
      }
      return size
    }).pipe(
      Effect.onError(() =>
        uploadId === undefined ? Effect.void : Effect.ignore(abortUpload(config, name, uploadId))
      )
    )
  })

/** Uploads of this name that were begun and neither completed nor aborted. */
export const unfinishedUploads = Effect.fnUntraced(function* (config: S3ExportStoreConfig, name: string) {
  const operation = "list unfinished uploads"
  const key = config.prefix + name
  const request = { operation, method: "GET", name: "", query: { uploads: "", prefix: key } } as const
  // Not every compatible store can list uploads; those that cannot let them expire.
  const answer = yield* sendToS3(config, request, [200, 404, 405, 501])
  const text = yield* textOf(operation, answer)
  if (answer.status !== 200) return []
  return readElements(text, "Upload")
    .filter((found) => element(found, "Key") === key)
    .flatMap((found) => element(found, "UploadId") ?? [])
})
