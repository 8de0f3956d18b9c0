/**
 * Exports' files in any S3-compatible store, signed with AWS Signature Version 4. What fits one part is one `PUT`; more is a multipart
 * upload, which is nothing to be read until it is complete. An upload that a crash leaves unfinished is found by its name and aborted when
 * that name is removed.
 */
import { createHash } from "node:crypto"
import {
  ExportFileMissing,
  ExportStore,
  ExportStoreUnavailable,
  Micros,
  withoutSlashesAtEnd
} from "@cairn/core"
import { AwsV4Signer } from "aws4fetch"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import { isExportName } from "./DiskExportStore.ts"

/** Where the bucket is, and who may write to it. */
export interface S3ExportStoreConfig {
  /** The store, such as `https://minio.example.com:9000`, which then finds the bucket in the path; AWS when null. */
  readonly endpoint: string | null
  readonly region: string
  readonly bucket: string
  /** What keys begin with; empty, or with a `/` at its end. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
}

/** Bytes of a part: S3 takes 5 MiB to 5 GiB, and 10,000 of them, which makes 80 GB. */
const PART = 8 * 1024 * 1024
/** Milliseconds for one request. */
const TIMEOUT = 60_000

interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE"
  /** Empty is the bucket itself. */
  readonly name: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** The texts of the elements of this name; of each what stands before its end tag. */
export const readElements = (xml: string, name: string): ReadonlyArray<string> => {
  const [begin, end] = [`<${name}>`, `</${name}>`]
  const found: Array<string> = []
  let start = xml.indexOf(begin)
  while (start >= 0) {
    const stop = xml.indexOf(end, start)
    if (stop < 0) break
    found.push(xml.slice(start + begin.length, stop))
    start = xml.indexOf(begin, stop)
  }
  return found
}

/** The text of the first element of this name. Answers of S3 are flat enough to need no more. */
const element = (xml: string, name: string): string | undefined =>
  readElements(xml, name)[0]?.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

const failed = (operation: string, cause: unknown) => new ExportStoreUnavailable({ operation, cause })

/** Chunks of any size as parts of {@link PART} bytes, the last one smaller. */
class PartBuffer {
  #chunks: Array<Uint8Array> = []
  #size = 0

  /** Takes a chunk in; gives the parts that are full now. */
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

/** The store. The bucket must exist. */
export const layerS3ExportStore = (config: S3ExportStoreConfig) =>
  Layer.sync(ExportStore, () => {
    const { endpoint, region, bucket, prefix, accessKeyId } = config
    const base =
      endpoint === null
        ? `https://${bucket}.s3.${region}.amazonaws.com`
        : `${withoutSlashesAtEnd(endpoint)}/${bucket}`

    const urlOf = (name: string, query: Readonly<Record<string, string>> = {}): string => {
      if (name !== "" && !isExportName(name)) throw new Error(`${JSON.stringify(name)} is no name of a file`)
      const url = new URL(name === "" ? base : `${base}/${prefix}${name}`)
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
      return url.href
    }

    const sign = (
      operation: string,
      request: S3Request & { readonly signQuery?: boolean; readonly seconds?: number }
    ) =>
      Effect.gen(function* () {
        const datetime = Micros.formatSeconds(yield* Micros.now).replace(/[-:]/g, "")
        const { method, name, headers, body } = request
        const signQuery = request.signQuery === true
        const query = { ...request.query, ...(signQuery ? { "X-Amz-Expires": String(request.seconds) } : {}) }
        return yield* Effect.tryPromise({
          try: () =>
            new AwsV4Signer({
              method,
              url: urlOf(name, query),
              headers: {
                ...headers,
                ...(signQuery
                  ? {}
                  : {
                      "x-amz-content-sha256": createHash("sha256")
                        .update(body ?? "")
                        .digest("hex")
                    })
              },
              accessKeyId,
              secretAccessKey: Redacted.value(config.secretAccessKey),
              service: "s3",
              region,
              datetime,
              signQuery
            }).sign(),
          catch: (cause) => failed(operation, cause)
        })
      })

    /** The answer to a request, its body not yet read. */
    const send = Effect.fnUntraced(function* (
      operation: string,
      request: S3Request,
      accepted: ReadonlyArray<number>
    ) {
      const { url, headers } = yield* sign(operation, request)
      const answer = yield* Effect.tryPromise({
        try: (signal) =>
          fetch(url, {
            method: request.method,
            headers,
            body: request.body === undefined ? null : Buffer.from(request.body),
            redirect: "error",
            signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
          }),
        catch: (cause) => failed(operation, cause)
      })
      if (accepted.includes(answer.status)) return answer
      const text = yield* Effect.promise(() => answer.text().catch(() => ""))
      return yield* failed(
        operation,
        new Error(`S3 answered ${answer.status} ${element(text, "Code") ?? ""}`)
      )
    })

    const textOf = (operation: string, answer: Response) =>
      Effect.tryPromise({ try: () => answer.text(), catch: (cause) => failed(operation, cause) })

    const drop = (answer: Response) => Effect.promise(async () => answer.body?.cancel())

    const begin = Effect.fnUntraced(function* (name: string, contentType: string) {
      const operation = "begin an upload"
      const headers = { "content-type": contentType }
      const answer = yield* send(operation, { method: "POST", name, query: { uploads: "" }, headers }, [200])
      const uploadId = element(yield* textOf(operation, answer), "UploadId")
      return uploadId ?? (yield* failed(operation, new Error("S3 gave no UploadId")))
    })

    const putPart = Effect.fnUntraced(function* (
      name: string,
      uploadId: string,
      number: number,
      body: Uint8Array
    ) {
      const operation = "upload a part"
      const query = { partNumber: String(number), uploadId }
      const answer = yield* send(operation, { method: "PUT", name, query, body }, [200])
      yield* drop(answer)
      const etag = answer.headers.get("etag")
      return etag ?? (yield* failed(operation, new Error("S3 gave no ETag")))
    })

    const complete = Effect.fnUntraced(function* (
      name: string,
      uploadId: string,
      etags: ReadonlyArray<string>
    ) {
      const operation = "complete an upload"
      const parts = etags.map(
        (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`
      )
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`)
      const request = { method: "POST", name, query: { uploadId }, body } as const
      const answer = yield* send(
        operation,
        { ...request, headers: { "content-type": "application/xml" } },
        [200]
      )
      // S3 may begin its answer with 200 and then find that it failed.
      const text = yield* textOf(operation, answer)
      if (element(text, "Code") !== undefined)
        return yield* failed(operation, new Error(element(text, "Code")))
    })

    const abort = (name: string, uploadId: string) =>
      Effect.flatMap(
        send("abort an upload", { method: "DELETE", name, query: { uploadId } }, [200, 204, 404]),
        drop
      )

    const putWhole = (name: string, contentType: string, body: Uint8Array) =>
      Effect.flatMap(
        send("upload a file", { method: "PUT", name, headers: { "content-type": contentType }, body }, [200]),
        drop
      )

    const write = <E, R>(name: string, contentType: string, content: Stream.Stream<Uint8Array, E, R>) =>
      Effect.gen(function* () {
        const buffer = new PartBuffer()
        const etags: Array<string> = []
        let uploadId: string | undefined
        let size = 0
        const put = Effect.fnUntraced(function* (part: Uint8Array) {
          uploadId ??= yield* begin(name, contentType)
          etags.push(yield* putPart(name, uploadId, etags.length + 1, part))
        })
        return yield* Effect.gen(function* () {
          yield* Stream.runForEach(content, (chunk) => {
            size += chunk.length
            return Effect.forEach(buffer.add(chunk), put, { discard: true })
          })
          const rest = buffer.take()
          if (uploadId === undefined) yield* putWhole(name, contentType, rest)
          else {
            if (rest.length > 0) yield* put(rest)
            yield* complete(name, uploadId, etags)
          }
          return size
        }).pipe(
          Effect.onError(() => (uploadId === undefined ? Effect.void : Effect.ignore(abort(name, uploadId))))
        )
      })

    type Content = Stream.Stream<Uint8Array, ExportFileMissing | ExportStoreUnavailable>

    const read = (name: string): Content =>
      Stream.unwrap(
        Effect.gen(function* (): Effect.gen.Return<Content, ExportStoreUnavailable> {
          const operation = "read a file"
          const answer = yield* send(operation, { method: "GET", name }, [200, 404])
          const { body } = answer
          if (answer.status === 404 || body === null) {
            yield* drop(answer)
            return Stream.fail(new ExportFileMissing({ name }))
          }
          return Stream.fromReadableStream({
            evaluate: (): ReadableStream<Uint8Array> => body,
            onError: (cause) => failed(operation, cause)
          })
        })
      )

    const address: ExportStore["Service"]["address"] = (name, { filename, contentType, seconds }) => {
      const query = {
        "response-content-disposition": `attachment; filename="${filename}"`,
        "response-content-type": contentType
      }
      return Effect.map(
        sign("sign an address", { method: "GET", name, query, signQuery: true, seconds }),
        ({ url }) => Option.some(url.href)
      )
    }

    /** Uploads of this name that were begun and neither completed nor aborted. */
    const unfinished = Effect.fnUntraced(function* (name: string) {
      const operation = "list unfinished uploads"
      const query = { uploads: "", prefix: prefix + name }
      // Not every compatible store can list them; those that cannot expire them by themselves.
      const answer = yield* send(operation, { method: "GET", name: "", query }, [200, 404, 405, 501])
      const text = yield* textOf(operation, answer)
      if (answer.status !== 200) return []
      return readElements(text, "Upload")
        .filter((upload) => element(upload, "Key") === prefix + name)
        .flatMap((upload) => element(upload, "UploadId") ?? [])
    })

    const list = Effect.fnUntraced(function* (folder: string) {
      const operation = "list files"
      const names: Array<string> = []
      for (let token: string | undefined = ""; token !== undefined; ) {
        const place: Record<string, string> = token === "" ? {} : { "continuation-token": token }
        const query = { "list-type": "2", prefix: `${prefix}${folder}/`, ...place }
        const text: string = yield* textOf(
          operation,
          yield* send(operation, { method: "GET", name: "", query }, [200])
        )
        for (const contents of readElements(text, "Contents")) {
          const key = element(contents, "Key")
          if (key?.startsWith(prefix)) names.push(key.slice(prefix.length))
        }
        token = element(text, "IsTruncated") === "true" ? element(text, "NextContinuationToken") : undefined
      }
      return names
    })

    const remove = Effect.fnUntraced(function* (name: string) {
      for (const uploadId of yield* unfinished(name)) yield* abort(name, uploadId)
      yield* Effect.flatMap(send("remove a file", { method: "DELETE", name }, [200, 204, 404]), drop)
    })

    return ExportStore.of({ write, read, address, list, remove })
  })
