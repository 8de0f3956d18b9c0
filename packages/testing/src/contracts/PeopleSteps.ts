/** What the contract suites of `People`, `Sessions` and `SignInLinks` share. */
import { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import {
  People,
  type Person,
  type Session,
  type SessionEntry,
  Sessions,
  type SignInLink,
  type SignInLinks
} from "@cairn/core/people"
import type { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { NOON } from "./StorageSteps.ts"

/** The ports, and what else a person leaves. */
export type PeopleServices = People | Sessions | SignInLinks | Members | ManagedWorkspaces

/** Makes the layer of an empty storage. It is called once for each test, and its layer is built once. */
export type PeopleLayer = () => Layer.Layer<PeopleServices, unknown>

/** Registers a test that runs over a storage of its own. */
export const peopleTest =
  (storage: PeopleLayer) =>
  <A, E>(name: string, test: Effect.Effect<A, E, PeopleServices>): void =>
    it.live(name, () => Effect.suspend(() => Effect.provide(test, storage())))

/** Text that is only text. */
export const HOSTILE = "Çelik & Söhne '); DROP TABLE session; -- \u{1F600}\n"

/** Addresses that are others than `kit@example.com`, whatever Unicode's case mapping says. */
export const LOOKALIKES = [
  "\u212Ait@example.com",
  "k\u0130t@example.com",
  "k\u0131t@example.com",
  "kit@\u212Aexample.com",
  "kit@example.com ",
  "kit@example.com\0",
  "kit@example.com\uD800",
  "%",
  "kit@example_com",
  ""
]

export const person = (name: string, fields: Partial<Person> = {}): Person => ({
  id: `per_${name}`,
  address: `${name}@example.com`,
  created_at: NOON,
  ...fields
})

/** A session of Ada's that lasts until the next day, unless a test gives something else. */
export const session = (name: string, fields: Partial<Session> = {}): Session => ({
  id: `ses_${name}`,
  person_id: "per_ada",
  secret_hash: `hash of ${name}`,
  method: "mail",
  client_address: null,
  user_agent: null,
  created_at: NOON,
  last_used_at: null,
  expires_at: NOON + Micros.DAY,
  ended_at: null,
  ...fields
})

/** A use for `wsp_1` by the member that Ada is there. */
export const entered = (name: string, fields: Partial<SessionEntry> = {}): SessionEntry => ({
  session_id: `ses_${name}`,
  workspace_id: "wsp_1",
  member_id: "mem_ada",
  entered_at: NOON,
  ended_at: null,
  ...fields
})

export const link = (name: string, fields: Partial<SignInLink> = {}): SignInLink => ({
  secret_hash: `hash of ${name}`,
  kind: "mail",
  address: "ada@example.com",
  workspace_id: null,
  return_to: null,
  created_at: NOON,
  expires_at: NOON + Micros.MINUTE,
  spent_at: null,
  ...fields
})

/** The sessions, of which some are Ada's and some are Eve's. */
export const withPeople: Effect.Effect<typeof Sessions.Service, StorageUnavailable, People | Sessions> =
  Effect.gen(function* () {
    const { ensure } = yield* People
    yield* ensure(person("ada"))
    yield* ensure(person("eve"))
    return yield* Sessions
  })

/** Eight times the same, by the process that comes first. */
export const atOnce = <A, E, R>(make: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(
    Array.from({ length: 8 }, (_, index) => index),
    make,
    { concurrency: "unbounded" }
  )
