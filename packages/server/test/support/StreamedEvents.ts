/** The events that a log stream of type https sent as NDJSON. */

import { Event } from "@cairn/core/event"
import { Schema } from "effect"
import type { Received } from "../../../delivery/test/peers/WebServer.ts"

const decodeLine = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Union([Event, Schema.Struct({ type: Schema.Literal("checkpoint") })]))
)

/**
 * The events of these requests, each once, in the order in which they first came. A checkpoint, which comes
 * among them whenever one is signed, is left out.
 */
export const streamedEvents = (requests: ReadonlyArray<Received>): ReadonlyArray<Event> => [
  ...new Map(
    requests
      .flatMap(({ body }) => body.toString().trim().split("\n"))
      .map((line) => decodeLine(line))
      .flatMap((line): ReadonlyArray<[string, Event]> => ("id" in line ? [[line.id, line]] : []))
  ).values()
]
