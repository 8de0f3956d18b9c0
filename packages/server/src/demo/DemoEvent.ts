/** An event of the demo, and what makes one. */
import { Micros } from "@cairn/core/encoding"
import type { EventInput } from "@cairn/core/event"
import type { DemoPerson, DemoService } from "./Company.ts"
import type { SeededNumbers } from "./SeededNumbers.ts"

/** What is sent of an event, and when. */
export interface DemoEvent {
  /** When it is accepted. */
  readonly at: Micros.Micros
  readonly body: EventInput
}

/** What an event says beside its actor and its time. */
export type Deed = Omit<EventInput, "actor_id" | "actor_name" | "actor_type" | "occurred_at">

/** Who acts, and from where. */
export interface Actor {
  readonly id: string
  readonly name: string
  readonly type: string
  /** Of a network for documentation (RFC 5737), which lies in no country. */
  readonly address: string | null
  readonly session: string | null
}

/** Somebody at work. */
export const personActor = ({ id, name }: DemoPerson, address: string, session: string | null): Actor => ({
  id,
  name,
  type: "user",
  address,
  session
})

/** A program at work. */
export const serviceActor = ({ id, name, type }: DemoService): Actor => ({
  id,
  name,
  type,
  address: null,
  session: null
})

/** The network between an act and its acceptance, in microseconds. */
const UNDER_WAY = { least: 15_000, most: 400_000 }

/** An event of an actor. Each is marked: `metadata.demo` is true. */
export const demoEvent = (
  numbers: SeededNumbers,
  at: Micros.Micros,
  actor: Actor,
  { metadata, ...deed }: Deed
): DemoEvent => ({
  at,
  body: {
    actor_id: actor.id,
    actor_name: actor.name,
    actor_type: actor.type,
    ...(actor.address === null ? {} : { ip_address: actor.address }),
    ...(actor.session === null ? {} : { session_id: actor.session }),
    ...deed,
    occurred_at: Micros.format(at - numbers.between(UNDER_WAY.least, UNDER_WAY.most)),
    metadata: { demo: true, ...metadata }
  }
})
