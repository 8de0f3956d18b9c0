/** The formats in which log streams write events. */
import { Schema } from "effect"
import { cairn } from "./Cairn.ts"
import { cef } from "./Cef.ts"
import { cloudEvents } from "./CloudEvents.ts"
import type { EventFormat } from "./EventFormat.ts"
import { ocsf } from "./Ocsf.ts"

/** The names of the formats. */
export const EventFormatName = Schema.Literals(["cairn", "ocsf", "cloudevents", "cef"])
export type EventFormatName = typeof EventFormatName.Type

/** Every format by its name. */
export const EVENT_FORMATS: Readonly<Record<EventFormatName, EventFormat>> = {
  cairn,
  ocsf,
  cloudevents: cloudEvents,
  cef
}
