/**
 * `splunk_hec`: Splunk's HTTP Event Collector, events concatenated in one POST to
 * `/services/collector/event`. `200` with code 0 acknowledges.
 */
import { Micros } from "@cairn/core/encoding"
import { SplunkHecDestination, type StreamRecord, type StreamTest } from "@cairn/core/outbound"
import { Effect, Option, Schema } from "effect"
import { type OutboundAnswer, openOutboundHttp } from "../outbound/OutboundHttp.ts"
import { deliver, tryOut } from "./HttpSink.ts"
import { checkUrlAt, placeAt, sinkKind } from "./SinkKind.ts"

const Answer = Schema.fromJsonString(Schema.Struct({ code: Schema.Number }))
const decodeAnswer = Schema.decodeUnknownOption(Answer)

/** A proxy may respond 200 with a page of its own; Splunk's response has a code. */
const accepted = ({ status, body }: OutboundAnswer): boolean =>
  status === 200 &&
  Option.match(decodeAnswer(new TextDecoder().decode(body)), {
    onNone: () => false,
    onSome: ({ code }) => code === 0
  })

/** Seconds with six digits; printing a double could round them. */
const time = (at: Micros.Micros): string =>
  `${Math.floor(at / Micros.SECOND)}.${String(at % Micros.SECOND).padStart(6, "0")}`

export const splunkHec = sinkKind({
  type: "splunk_hec",
  config: SplunkHecDestination,
  secrets: ["token"],
  // Splunk's own default for the largest request is about 800 KB.
  batch: { events: 500, size: 700_000, seconds: 5 },
  check: ({ url }, environment) => checkUrlAt("url", url, environment),
  place: ({ url }) => placeAt(url),
  open: ({ url, token, index, source, sourcetype }, { guard, json, workspaceId, timeout }) =>
    Effect.gen(function* () {
      const http = yield* openOutboundHttp(guard)
      const collector = URL.canParse(url) ? new URL("/services/collector/event", url).href : url
      const common = JSON.stringify({
        host: workspaceId,
        source,
        sourcetype,
        ...(index === null ? {} : { index })
      }).slice(1, -1)
      const envelope = (at: Micros.Micros, text: string): string =>
        `{"time":${time(at)},${common},"event":${json ? text : JSON.stringify(text)}}`
      const requestOf = (envelopes: ReadonlyArray<string>) =>
        ({
          method: "POST",
          url: collector,
          headers: { authorization: `Splunk ${token}`, "content-type": "application/json" },
          body: envelopes.join("\n"),
          timeout
        }) as const
      const acknowledgement = { accepted, secrets: [token] }
      const send = Effect.fn("SplunkHecSink.send")((records: ReadonlyArray<StreamRecord>) =>
        deliver(
          http,
          requestOf(records.map(({ createdAt, text }) => envelope(createdAt, text))),
          acknowledgement
        )
      )
      const sendTest = Effect.fn("SplunkHecSink.sendTest")(({ at, text }: StreamTest) =>
        tryOut(http, requestOf([envelope(at, text)]), acknowledgement)
      )
      return { send, sendTest }
    })
})
