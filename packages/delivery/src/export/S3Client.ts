/** Requests to an S3-compatible store, signed with AWS Signature Version 4. */
import { createHash } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { ExportStoreUnavailable } from "@cairn/core/export"
import { withoutSlashesAtEnd } from "@cairn/core/outbound"
import { AwsV4Signer } from "aws4fetch"
import { Context, Effect, Redacted, Schedule, Schema } from "effect"
import { exportName } from "./ExportName.ts"

/** Where the bucket is, and who may write to it. */
export interface S3ExportStoreConfig {
  /**
   * The store, such as `https://minio.example.com:9000`; the bucket is then part of the path. Null is AWS.
   */
  readonly endpoint: string | null
  readonly region: string
  readonly bucket: string
  /** The prefix of all keys; empty, or ending with `/`. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
}

/** Milliseconds for one request. */
export const S3Patience = Context.Reference<number>("@cairn/delivery/S3Patience", {
  defaultValue: () => 60_000
})

/** How often a request is sent again that the store may take a moment later, and after which rest. */
const AGAIN = { times: 3, schedule: Schedule.exponential("200 millis") }
/** What a store answers that has too much to do, or is being restarted. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/** A request for an object, or for the bucket. */
interface S3Request {
  /** The operation, for error messages. */
  readonly operation: string
  readonly method: "GET" | "PUT" | "POST" | "DELETE"
  /** Empty is the bucket itself. */
  readonly name: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** An operation of the store failed. */
export const s3Failed = (operation: string, cause: unknown) =>
  new ExportStoreUnavailable({ operation, cause })

/** The contents of all elements of this name, each up to its end tag. */
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

/** The text of the first element of this name. S3's responses are flat, so no XML parser is needed. */
export const element = (xml: string, name: string): string | undefined =>
  readElements(xml, name)[0]?.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

const urlOf = (
  { endpoint, bucket, region, prefix }: S3ExportStoreConfig,
  name: string,
  query: Readonly<Record<string, string>>
): string => {
  const base =
    endpoint === null
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${withoutSlashesAtEnd(endpoint)}/${bucket}`
  const url = new URL(name === "" ? base : `${base}/${prefix}${exportName(name)}`)
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  return url.href
}

const contentHash = (body: Uint8Array | undefined): string =>
  createHash("sha256")
    .update(body ?? "")
    .digest("hex")

/** Signs a request in its headers or, for `seconds`, in its address. */
const sign = Effect.fnUntraced(function* (
  config: S3ExportStoreConfig,
  { operation, method, name, query, headers, body }: S3Request,
  seconds?: number
) {
  const datetime = Micros.formatSeconds(yield* Micros.now).replace(/[-:]/g, "")
  const signQuery = seconds !== undefined
  const expires = signQuery ? { "X-Amz-Expires": String(seconds) } : {}
  const hash = signQuery ? {} : { "x-amz-content-sha256": contentHash(body) }
  return yield* Effect.tryPromise({
    try: () =>
      new AwsV4Signer({
        method,
        url: urlOf(config, name, { ...query, ...expires }),
        headers: { ...headers, ...hash },
        accessKeyId: config.accessKeyId,
        secretAccessKey: Redacted.value(config.secretAccessKey),
        service: "s3",
        region: config.region,
        datetime,
        signQuery
      }).sign(),
    catch: (cause) => s3Failed(operation, cause)
  })
})

/** A signed URL: anybody who has it may send this request within the given number of seconds. */
export const signedAddress = (config: S3ExportStoreConfig, request: S3Request, seconds: number) =>
  Effect.map(sign(config, request, seconds), ({ url }) => url.href)

/** The store did not take a request, and may take it a moment later. */
class Passing extends Schema.TaggedError<Passing>()("Passing", { cause: Schema.Defect() }) {}

const isTimeout = (cause: unknown): boolean => cause instanceof Error && cause.name === "TimeoutError"

const sendOnce = Effect.fnUntraced(function* (
  config: S3ExportStoreConfig,
  request: S3Request,
  accepted: ReadonlyArray<number>
) {
  const { operation, method, body } = request
  const { url, headers } = yield* sign(config, request)
  const patience = yield* S3Patience
  const answer = yield* Effect.tryPromise({
    try: (signal) =>
      fetch(url, {
        method,
        headers,
        body: body === undefined ? null : Buffer.from(body),
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)])
      }),
    catch: (cause) => (isTimeout(cause) ? s3Failed(operation, cause) : new Passing({ cause }))
  })
  if (accepted.includes(answer.status)) return answer
  const text = yield* Effect.promise(() => answer.text().catch(() => ""))
  const cause = new Error(`S3 returned ${answer.status} ${element(text, "Code") ?? ""}`)
  return yield* PASSING.has(answer.status) ? new Passing({ cause }) : s3Failed(operation, cause)
})

/**
 * Sends a request and returns the response, its body unread. Fails if the status is not one of `accepted`. A
 * store that has too much to do, or is not there, is asked again, unless the request would be done twice; one
 * that does not answer in time is not.
 */
export const sendToS3 = (
  config: S3ExportStoreConfig,
  request: S3Request,
  accepted: ReadonlyArray<number>
): Effect.Effect<Response, ExportStoreUnavailable> => {
  const { operation, method } = request
  const once = sendOnce(config, request, accepted)
  const sent =
    method === "POST" ? once : Effect.retry(once, { ...AGAIN, while: ({ _tag }) => _tag === "Passing" })
  return Effect.catchTag(sent, "Passing", ({ cause }) => Effect.fail(s3Failed(operation, cause)))
}

/** The text of a response. */
export const textOf = (operation: string, answer: Response) =>
  Effect.tryPromise({ try: () => answer.text(), catch: (cause) => s3Failed(operation, cause) })

/** Discards the body of a response. */
export const discardBody = (answer: Response) => Effect.promise(async () => answer.body?.cancel())

/** Sends a request, checks the status of the response and discards its body. */
export const sendOnly = (config: S3ExportStoreConfig, request: S3Request, accepted: ReadonlyArray<number>) =>
  Effect.flatMap(sendToS3(config, request, accepted), discardBody)
