/** Beginning a session, and whether one is valid. */
import { Effect } from "effect"
import { Base64Url } from "effect/encoding"
import * as Micros from "../encoding/Micros.ts"
import { type Randomness, uuid } from "../hashing/Randomness.ts"
import type { Sha256 } from "../hashing/Sha256.ts"
import { CLOCK_SLACK, type ClockGuard } from "../log/ClockGuard.ts"
import type { Person } from "./People.ts"
import type { Session, Sessions, SignInMethod } from "./Sessions.ts"

/** How long sessions are valid. */
export interface SignInOptions {
  /** From the last use on. */
  readonly idle: Micros.Micros
  /** From the sign-in on. */
  readonly lifetime: Micros.Micros
}

/** The client that signs in, as far as it is known. */
export interface Device {
  readonly clientAddress: string | null
  readonly userAgent: string | null
}

/** A new session with its secret, which is shown this once. */
export interface OpenedSession {
  readonly secret: string
  readonly session: Session
  readonly person: Person
}

/** Why a session is not valid: `ended` by somebody, `expired` by its age, or `idle` for too long. */
export type SessionFault = "ended" | "expired" | "idle"

/** Valid sessions of a person; the oldest end beyond it. */
const MAX_SESSIONS = 50
/** How long a session that has ended is kept, so that the answer to a late request says why. */
export const KEPT: Micros.Micros = Micros.DAY
const MAX_USER_AGENT = 256
const SECRET_BYTES = 32

/** What beginning a session needs. */
export interface OpeningServices {
  readonly sessions: Sessions["Service"]
  readonly clock: ClockGuard["Service"]
  readonly random: Randomness["Service"]
  readonly sha256: Sha256["Service"]
  readonly options: SignInOptions
}

/** A secret of 256 random bits. */
export const newSecret = ({ random }: Pick<OpeningServices, "random">): string =>
  Base64Url.encode(random.bytes(SECRET_BYTES))

/** Whether a session is valid at `now`; why not otherwise. */
export const faultOf = (
  { created_at, last_used_at, expires_at, ended_at }: Session,
  { idle }: SignInOptions,
  now: Micros.Micros
): SessionFault | undefined => {
  if (ended_at !== null) return "ended"
  const used = last_used_at ?? created_at
  // One from the future was begun while a clock was wrong, which would make it last longer.
  if (expires_at <= now || created_at > now + CLOCK_SLACK) return "expired"
  return used + idle <= now || used > now + CLOCK_SLACK ? "idle" : undefined
}

/** Ends the oldest sessions of a person who has too many, so that sign-ins do not pile them up. */
const endOldest = Effect.fnUntraced(function* (
  { sessions, options }: OpeningServices,
  { id }: Person,
  now: Micros.Micros
) {
  const valid = (yield* sessions.ofPerson(id)).filter(
    (session) => faultOf(session, options, now) === undefined
  )
  for (const { id: oldest } of valid.slice(MAX_SESSIONS)) yield* sessions.end(id, oldest, now)
})

/** Begins a session of a person who is known by now. */
export const openSession = Effect.fnUntraced(function* (
  services: OpeningServices,
  person: Person,
  method: SignInMethod,
  { clientAddress, userAgent }: Device
) {
  const { sessions, clock, random, sha256, options } = services
  const now = yield* clock.reckoned
  const secret = newSecret(services)
  const session: Session = {
    id: `ses_${uuid(random)}`,
    person_id: person.id,
    secret_hash: sha256.hex(secret),
    method,
    client_address: clientAddress,
    user_agent: userAgent === null ? null : userAgent.slice(0, MAX_USER_AGENT).toWellFormed(),
    created_at: now,
    last_used_at: now,
    expires_at: now + options.lifetime,
    ended_at: null
  }
  yield* sessions.prune(now - KEPT)
  yield* sessions.open(session)
  yield* endOldest(services, person, now)
  return { secret, session, person } satisfies OpenedSession
})
