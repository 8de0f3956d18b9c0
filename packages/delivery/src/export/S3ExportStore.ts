/**
 * Export files in any S3-compatible store. Removing a name also aborts the uploads that a crash left
 * unfinished under it.
 */
import {
  ExportFileMissing,
  ExportStore,
  type ExportStoreUnavailable,
  type FileRange
} from "@cairn/core/export"
import { Effect, Layer, Option, Stream } from "effect"
import {
  discardBody,
  element,
  readElements,
  type S3ExportStoreConfig,
  s3Failed,
  sendOnly,
  sendToS3,
  signedAddress,
  textOf
} from "./S3Client.ts"
import { abortUpload, unfinishedUploads, upload } from "./S3Upload.ts"

type Content = Stream.Stream<Uint8Array, ExportFileMissing | ExportStoreUnavailable>

const read = Effect.fnUntraced(function* (
  config: S3ExportStoreConfig,
  name: string,
  range: FileRange | undefined
): Effect.fn.Return<Content, ExportStoreUnavailable> {
  const operation = "read a file"
  const headers: Record<string, string> =
    range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` }
  const found = range === undefined ? 200 : 206
  const answer = yield* sendToS3(config, { operation, method: "GET", name, headers }, [found, 404])
  const { body } = answer
  if (answer.status === 404 || body === null) {
    yield* discardBody(answer)
    return Stream.fail(new ExportFileMissing({ name }))
  }
  return Stream.fromReadableStream({
    evaluate: (): ReadableStream<Uint8Array> => body,
    onError: (cause) => s3Failed(operation, cause)
  })
})

type Address = ExportStore["Service"]["address"]

const address = (
  config: S3ExportStoreConfig,
  name: string,
  { filename, contentType, seconds }: Parameters<Address>[1]
) => {
  const query = {
    "response-content-disposition": `attachment; filename="${filename}"`,
    "response-content-type": contentType
  }
  const request = { operation: "sign an address", method: "GET", name, query } as const
  return Effect.map(signedAddress(config, request, seconds), Option.some)
}

/** One page of the names within a folder, and the token of the next. */
const listPage = Effect.fnUntraced(function* (
  config: S3ExportStoreConfig,
  folder: string,
  token: string | undefined
) {
  const operation = "list files"
  const place: Record<string, string> = token === undefined ? {} : { "continuation-token": token }
  const query = { "list-type": "2", prefix: `${config.prefix}${folder}/`, ...place }
  const answer = yield* sendToS3(config, { operation, method: "GET", name: "", query }, [200])
  const text = yield* textOf(operation, answer)
  const names = readElements(text, "Contents").flatMap((contents) => {
    const key = element(contents, "Key")
    return key?.startsWith(config.prefix) ? [key.slice(config.prefix.length)] : []
  })
  const next = element(text, "IsTruncated") === "true" ? element(text, "NextContinuationToken") : undefined
  return { names, next }
})

const list = Effect.fnUntraced(function* (config: S3ExportStoreConfig, folder: string) {
  const first = yield* listPage(config, folder, undefined)
  const pages = [first.names]
  for (let { next } = first; next !== undefined; ) {
    const page = yield* listPage(config, folder, next)
    pages.push(page.names)
    next = page.next
  }
  return pages.flat()
})

const remove = Effect.fnUntraced(function* (config: S3ExportStoreConfig, name: string) {
  for (const uploadId of yield* unfinishedUploads(config, name)) yield* abortUpload(config, name, uploadId)
  yield* sendOnly(config, { operation: "remove a file", method: "DELETE", name }, [200, 204, 404])
})

/** The store. The bucket must exist. */
export const layerS3ExportStore = (config: S3ExportStoreConfig) =>
  Layer.succeed(ExportStore, {
    write: (name, contentType, content) => upload(config, name, contentType, content),
    read: (name, range) => Stream.unwrap(read(config, name, range)),
    address: (name, options) => address(config, name, options),
    list: (folder) => list(config, folder),
    remove: (name) => remove(config, name)
  })
