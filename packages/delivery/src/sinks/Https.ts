/**
 * `https`: batches as the body of a POST, any 2xx acknowledges. A checkpoint, or
 * a test, is a request of its own.
 */
import {
  HttpsDestination,
  type StreamCheckpoint,
  type StreamRecord,
  type StreamTest
} from "@cairn/core/outbound"
import { Effect } from "effect"
import { openOutboundHttp } from "../outbound/OutboundHttp.ts"
import { deliver, isSuccess, tryOut } from "./HttpSink.ts"
import { checkUrlAt, placeAt, sinkKind } from "./SinkKind.ts"

/** Records in a format that is not JSON are lines of text, or strings in the array. */
const bodyOf = (texts: ReadonlyArray<string>, body: "ndjson" | "array", json: boolean) => {
  if (body === "array") {
    const items = json ? texts : texts.map((text) => JSON.stringify(text))
    return { type: "application/json", text: `[${items.join(",")}]` }
  }
  return { type: json ? "application/x-ndjson" : "text/plain; charset=utf-8", text: `${texts.join("\n")}\n` }
}

export const https = sinkKind({
  type: "https",
  config: HttpsDestination,
  secrets: ["authorization"],
  batch: { events: 500, size: 1_000_000, seconds: 5 },
  check: ({ url }, environment) => checkUrlAt("url", url, environment),
  place: ({ url }) => placeAt(url),
  open: ({ url, body, authorization }, { guard, json, timeout }) =>
    Effect.gen(function* () {
      const http = yield* openOutboundHttp(guard)
      const acknowledgement = { accepted: isSuccess, secrets: [authorization] }
      const requestOf = (texts: ReadonlyArray<string>, place: Readonly<Record<string, string>>) => {
        const { type, text } = bodyOf(texts, body, json)
        const headers = {
          "content-type": type,
          "user-agent": "Cairn-Streams/1",
          ...place,
          ...(authorization === null ? {} : { authorization })
        }
        return { method: "POST", url, headers, body: text, timeout } as const
      }
      const post = (texts: ReadonlyArray<string>, place: Readonly<Record<string, string>>) =>
        deliver(http, requestOf(texts, place), acknowledgement)
      const send = Effect.fn("HttpsSink.send")((records: ReadonlyArray<StreamRecord>) =>
        post(
          records.map(({ text }) => text),
          {
            // Receivers recognise repeated events by these.
            "x-cairn-first-sequence": String(records[0]?.sequence ?? ""),
            "x-cairn-last-sequence": String(records.at(-1)?.sequence ?? "")
          }
        )
      )
      const sendCheckpoint = Effect.fn("HttpsSink.sendCheckpoint")(({ text, size }: StreamCheckpoint) =>
        post([text], { "x-cairn-checkpoint-size": String(size) })
      )
      const sendTest = Effect.fn("HttpsSink.sendTest")(({ id, text }: StreamTest) =>
        tryOut(http, requestOf([text], { "x-cairn-test": id }), acknowledgement)
      )
      return { send, sendCheckpoint, sendTest }
    })
})
