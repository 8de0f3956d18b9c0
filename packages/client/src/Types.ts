/** The types of the interface, by the names that callers use. They come from the OpenAPI document. */
import type { components } from "./Schema.ts"

type Schemas = components["schemas"]

/** The same object, with `undefined` allowed where a member may be left out. */
type Loose<A> = { readonly [K in keyof A]: undefined extends A[K] ? A[K] | undefined : A[K] }

/** A target of an event as it is sent. */
export type TargetInput = Loose<Schemas["TargetInput"]>

/** An event as it is sent: the body of `POST /api/v1/events`. */
export type EventInput = Omit<Loose<Schemas["EventInput"]>, "targets"> & {
  /** What else the action touches. */
  readonly targets?: ReadonlyArray<TargetInput> | null | undefined
}

/** An event as it is read. */
export type Event = Schemas["Event"]
