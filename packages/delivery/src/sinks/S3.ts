/**
 * `s3`: gzip objects of one record a line, one for each hour of a batch, in any S3-compatible store:
 * `prefix/2024/05/01/12/first-last.ndjson.gz` by the UTC hour in which the events were recorded, and their
 * first and last sequence. A checkpoint is an object too, the signed note as it is:
 * `prefix/checkpoints/2024/05/01/12/size.txt` by the hour in which it was signed. A test is
 * `prefix/tests/2024/05/01/12/id.txt`.
 *
 * Signed with AWS Signature Version 4, the payload's hash included. `200` acknowledges. A batch that is sent
 * again with other bounds makes an overlapping object; sequences identify the duplicates.
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Micros } from "@cairn/core/encoding"
import {
  S3Destination,
  type StreamCheckpoint,
  type StreamRecord,
  type StreamTest,
  withoutSlashesAtEnd
} from "@cairn/core/outbound"
import { AwsV4Signer } from "aws4fetch"
import { Effect } from "effect"
import { element } from "../export/S3Client.ts"
import { type OutboundAnswer, openOutboundHttp } from "../outbound/OutboundHttp.ts"
import { deliver, tryOut } from "./HttpSink.ts"
import { sinkFailed } from "./SinkFailure.ts"
import { checkUrlAt, placeAt, sinkKind } from "./SinkKind.ts"

type Config = typeof S3Destination.Type

const compress = promisify(gzip)

const baseOf = ({ endpoint, region, bucket }: Config): string =>
  endpoint === null
    ? `https://${bucket}.s3.${region}.amazonaws.com`
    : `${withoutSlashesAtEnd(endpoint)}/${bucket}`

/** The hour of a time, as in the key: `2024/05/01/12`. */
const hourOf = (at: Micros.Micros): string => Micros.format(at).slice(0, 13).replace(/[-T]/g, "/")

const byHour = (
  records: ReadonlyArray<StreamRecord>
): ReadonlyArray<readonly [string, ReadonlyArray<StreamRecord>]> => [
  ...Map.groupBy(records, ({ createdAt }) => hourOf(createdAt))
]

/** Padded to sixteen digits, so that sequences sort as text; legacy events, below 1, have a minus sign. */
const padded = (sequence: number): string =>
  sequence < 0 ? `-${String(-sequence).padStart(16, "0")}` : String(sequence).padStart(16, "0")

/** `+` is the only character that the signer and servers treat differently in a path; no key contains it. */
const pathOf = (key: string): string => key.split("/").map(encodeURIComponent).join("/")

const TEXT = { "content-type": "text/plain; charset=utf-8" }

/** The code of an S3 error: the rest of it repeats the request. */
const codeOf = (xml: string): string => /^[\w.-]{1,64}$/.exec(element(xml, "Code") ?? "")?.[0] ?? ""

export const s3 = sinkKind({
  type: "s3",
  config: S3Destination,
  secrets: ["secret_access_key"],
  // Many small objects are slow to read and cost a request each.
  batch: { events: 10_000, size: 32_000_000, seconds: 300 },
  check: (config, environment) => checkUrlAt("endpoint", baseOf(config), environment),
  place: (config) => placeAt(baseOf(config)),
  open: (config, { guard, json, timeout }) =>
    Effect.gen(function* () {
      const http = yield* openOutboundHttp(guard)
      const prefix = config.prefix === "" || config.prefix.endsWith("/") ? config.prefix : `${config.prefix}/`
      const extension = json ? "ndjson" : "log"

      const acknowledgement = {
        accepted: ({ status }: OutboundAnswer) => status === 200,
        secrets: [config.secret_access_key]
      }
      const requestOf = Effect.fnUntraced(function* (
        key: string,
        headers: Record<string, string>,
        body: Buffer
      ) {
        const url = `${baseOf(config)}/${pathOf(`${prefix}${key}`)}`
        if (!URL.canParse(url)) return yield* sinkFailed(`${url} is not a URL`)
        const signer = new AwsV4Signer({
          method: "PUT",
          url,
          headers: {
            ...headers,
            "x-amz-content-sha256": createHash("sha256").update(body).digest("hex")
          },
          accessKeyId: config.access_key_id,
          secretAccessKey: config.secret_access_key,
          service: "s3",
          region: config.region,
          datetime: Micros.formatSeconds(yield* Micros.now).replace(/[-:]/g, "")
        })
        const signed = yield* Effect.promise(() => signer.sign())
        const sent = Object.fromEntries(signed.headers)
        return { method: "PUT", url: signed.url.href, headers: sent, body, timeout } as const
      })
      const put = (key: string, headers: Record<string, string>, body: Buffer) =>
        Effect.flatMap(requestOf(key, headers, body), (request) => deliver(http, request, acknowledgement))

      const putHour = Effect.fnUntraced(function* (hour: string, records: ReadonlyArray<StreamRecord>) {
        const bounds = `${padded(records[0]?.sequence ?? 0)}-${padded(records.at(-1)?.sequence ?? 0)}`
        const body = yield* Effect.promise(() => compress(`${records.map(({ text }) => text).join("\n")}\n`))
        const headers = {
          "content-type": json ? "application/x-ndjson" : "text/plain; charset=utf-8",
          "content-encoding": "gzip"
        }
        yield* put(`${hour}/${bounds}.${extension}.gz`, headers, body)
      })

      const sendCheckpoint = Effect.fn("S3Sink.sendCheckpoint")(
        ({ size, signedAt, note }: StreamCheckpoint) =>
          put(`checkpoints/${hourOf(signedAt)}/${padded(size)}.txt`, TEXT, Buffer.from(note))
      )

      const sendTest = Effect.fn("S3Sink.sendTest")(function* ({ id, at, text }: StreamTest) {
        const request = yield* requestOf(`tests/${hourOf(at)}/${id}.txt`, TEXT, Buffer.from(`${text}\n`))
        const answer = yield* tryOut(http, request, acknowledgement)
        return { ...answer, text: codeOf(answer.text) }
      })

      const send = Effect.fn("S3Sink.send")((records: ReadonlyArray<StreamRecord>) =>
        Effect.forEach(byHour(records), ([hour, ofHour]) => putHour(hour, ofHour), { discard: true })
      )
      return { send, sendCheckpoint, sendTest }
    })
})
