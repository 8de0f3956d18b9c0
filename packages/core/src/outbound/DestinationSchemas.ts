/**
 * The settings of each kind of destination of log streams: their members and limits. `packages/delivery`
 * reads rows and bodies by these, and the contract shows them.
 */
import { Effect, Schema } from "effect"
import { integer } from "../alert/ParameterSchemas.ts"
import { textFault } from "../event/TextFault.ts"
import { MAX_URL } from "./WebhookInput.ts"

/** Text on one line, of 1 to `limit` characters. */
const line = (limit: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => {
        const fault = textFault(text, { least: 1, most: limit })
        if (fault !== undefined) return fault
        return /\p{Cc}/u.test(text) ? "must be on one line, without control characters" : undefined
      },
      {
        toJsonSchema: () => ({
          minLength: 1,
          maxLength: limit,
          pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
        })
      }
    )
  )

const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Text that is sent in a header: printable ASCII, which is not trimmed on its way. */
const headerText = (limit: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        text.length >= 1 && text.length <= limit
          ? HEADER_TEXT.test(text)
            ? undefined
            : "must be printable ASCII, without a space at either end, to stand in a header"
          : `must have 1 to ${limit} characters`,
      { toJsonSchema: () => ({ maxLength: limit, pattern: HEADER_TEXT.source }) }
    )
  )

const PRINTABLE = /^[\x21-\x7e]+$/

/** A name in the header of syslog. */
const syslogName = (limit: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        text.length <= limit && PRINTABLE.test(text)
          ? undefined
          : `must be 1 to ${limit} printable ASCII characters`,
      { toJsonSchema: () => ({ maxLength: limit, pattern: PRINTABLE.source }) }
    )
  )

/** `https`: batches as the body of a POST. */
export const HttpsDestination = Schema.Struct({
  type: Schema.Literal("https").annotate({
    description: "Batches as the body of a POST; any 2xx acknowledges"
  }),
  url: line(MAX_URL).annotate({ description: "Where they go, `https://…`", format: "uri" }),
  body: Schema.Literals(["ndjson", "array"])
    .annotate({ description: "One record a line, as unless given, or one JSON array" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("ndjson"))),
  authorization: Schema.NullOr(headerText(4_096))
    .annotate({
      description:
        "The value of the header `Authorization`, such as `Bearer …`; shown as `***`, and null for none"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}).annotate({ identifier: "HttpsDestination", description: "An HTTPS endpoint" })

/** `syslog`: RFC 5424 over TLS or plain TCP. */
export const SyslogDestination = Schema.Struct({
  type: Schema.Literal("syslog").annotate({
    description: "RFC 5424 over TLS (RFC 5425) or plain TCP (RFC 6587)"
  }),
  host: line(255).annotate({ description: "The receiver's name or address" }),
  port: integer(1, 65_535)
    .annotate({ description: "The receiver's port; 6514 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(6514))),
  tls: Schema.Boolean.annotate({
    description: "Whether over TLS, as unless given; plain TCP is readable by anyone on the network path"
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  facility: integer(0, 23)
    .annotate({ description: "The facility of RFC 5424; 13, log audit, unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(13))),
  hostname: syslogName(255)
    .annotate({ description: "HOSTNAME of the messages; `cairn` unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("cairn"))),
  app_name: syslogName(48)
    .annotate({ description: "APP-NAME of the messages; `cairn` unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("cairn")))
}).annotate({ identifier: "SyslogDestination", description: "A syslog receiver" })

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const KEY_PREFIX = /^[A-Za-z0-9!_.*()/=-]*$/
const MAX_KEY_PREFIX = 512

/** `s3`: gzip objects of one record a line, in any S3-compatible store. */
export const S3Destination = Schema.Struct({
  type: Schema.Literal("s3").annotate({
    description: "Gzip objects of one record a line; `200` acknowledges"
  }),
  endpoint: Schema.NullOr(line(MAX_URL).annotate({ format: "uri" }))
    .annotate({
      description:
        "The store, such as `https://minio.example.com:9000`; the bucket is then part of the path. Null is AWS"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  region: headerText(64)
    .annotate({ description: "The store's region; `us-east-1` unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("us-east-1"))),
  bucket: Schema.String.check(
    Schema.makeFilter((name: string) => (BUCKET.test(name) ? undefined : "must be the name of a bucket"), {
      toJsonSchema: () => ({ pattern: BUCKET.source })
    })
  ).annotate({ description: "The bucket that objects are put into" }),
  prefix: Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        text.length <= MAX_KEY_PREFIX && KEY_PREFIX.test(text) && !text.split("/").includes("..")
          ? undefined
          : `must be at most ${MAX_KEY_PREFIX} letters, digits and characters of !_.*()/=-`,
      { toJsonSchema: () => ({ maxLength: MAX_KEY_PREFIX, pattern: KEY_PREFIX.source }) }
    )
  )
    .annotate({ description: "What keys begin with, without parts that are `..`; nothing unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
  access_key_id: headerText(256).annotate({ description: "The id of the access key" }),
  secret_access_key: line(512).annotate({ description: "The access key's secret; shown as `***`" })
}).annotate({ identifier: "S3Destination", description: "A bucket of an S3-compatible store" })

/** `splunk_hec`: Splunk's HTTP Event Collector. */
export const SplunkHecDestination = Schema.Struct({
  type: Schema.Literal("splunk_hec").annotate({ description: "`200` with code 0 acknowledges" }),
  url: line(MAX_URL).annotate({
    description: "The collector, such as `https://splunk.example.com:8088`",
    format: "uri"
  }),
  token: headerText(256).annotate({ description: "The collector's token; shown as `***`" }),
  index: Schema.NullOr(line(80))
    .annotate({ description: "The index to write to; null for the token's own" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  source: line(256)
    .annotate({ description: "`source` of the events; `cairn` unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("cairn"))),
  sourcetype: line(256)
    .annotate({ description: "`sourcetype` of the events; `cairn:audit` unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("cairn:audit")))
}).annotate({ identifier: "SplunkHecDestination", description: "Splunk's HTTP Event Collector" })

const PATH = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/
const MAX_PATH = 255

/** `file`: lines appended to a file below the operator's folder. */
export const FileDestination = Schema.Struct({
  type: Schema.Literal("file").annotate({
    description: "Lines appended to a file, where the operator allows it"
  }),
  path: Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        text.length <= MAX_PATH && PATH.test(text)
          ? undefined
          : "must be a relative path of letters, digits and _ - . without hidden parts",
      { toJsonSchema: () => ({ maxLength: MAX_PATH, pattern: PATH.source }) }
    )
  ).annotate({ description: "The file, below the workspace's own folder" })
}).annotate({ identifier: "FileDestination", description: "A file on the server" })
