/**
 * Writes to the logs that sign-ins were refused and sessions ended. Neither waits for a store that takes no
 * writes: a session ends in any case, and its record is written as soon as it can be.
 */
import { OwedEvents } from "@cairn/core/access"
import type { Micros } from "@cairn/core/encoding"
import {
  bodyOfChange,
  type EndedSessions,
  endedRecords,
  type ManagementChange,
  type Manager,
  memberManager,
  type RefusedSignIn,
  refusedRecords,
  SIGN_IN
} from "@cairn/core/management"
import { type Sessions, SignIn } from "@cairn/core/people"
import type { Members } from "@cairn/core/workspace"
import { Effect } from "effect"

/** Writing such records. */
export interface SessionRecords {
  /** Records sessions of a person that end next, as that person's doing. Before they are ended. */
  readonly ended: (ended: EndedSessions, clientAddress: string | null) => Effect.Effect<void>
  /** Records a sign-in that was refused, if the address is a member's. */
  readonly refused: (refused: RefusedSignIn, clientAddress: string | null) => Effect.Effect<void>
  /** The same for a link, if there is such a link. */
  readonly linkRefused: (
    secret: string,
    reason: string,
    at: Micros.Micros,
    clientAddress: string | null
  ) => Effect.Effect<void>
}

/** Makes them, over the ports. */
export const makeSessionRecords = Effect.gen(function* () {
  const owed = yield* OwedEvents
  const signIn = yield* SignIn
  const ports = yield* Effect.context<Members | Sessions>()

  const write = Effect.fnUntraced(function* (by: Manager, { workspaceId, ...change }: ManagementChange) {
    const event = bodyOfChange(by, change)
    const body = by.address === null ? event : { ...event, ip_address: by.address }
    const written = yield* Effect.fromResult(owed.write({ workspaceId, body, isCounted: false }))
    yield* owed.settled(written)
  })

  /** What cannot be recorded must not keep a session from ending. */
  const orLogged = <E extends { readonly message: string }>(effect: Effect.Effect<void, E>) =>
    Effect.catch(effect, ({ message }) =>
      Effect.logWarning("What became of a session is not in the logs").pipe(
        Effect.annotateLogs({ reason: message })
      )
    )

  const refused = (sent: RefusedSignIn, clientAddress: string | null) =>
    refusedRecords(sent).pipe(
      Effect.provide(ports),
      Effect.flatMap((records) =>
        Effect.forEach(records, ({ change }) => write({ ...SIGN_IN, address: clientAddress }, change), {
          discard: true
        })
      ),
      orLogged
    )

  const records: SessionRecords = {
    ended: (ended, clientAddress) =>
      endedRecords(ended).pipe(
        Effect.provide(ports),
        Effect.flatMap((found) =>
          Effect.forEach(found, ({ member, change }) => write(memberManager(member, clientAddress), change), {
            discard: true
          })
        ),
        orLogged
      ),
    refused,
    linkRefused: (secret, reason, at, clientAddress) =>
      Effect.flatMap(signIn.whoseLink(secret), (whose) =>
        whose === undefined ? Effect.void : refused({ ...whose, reason, at }, clientAddress)
      ).pipe(orLogged)
  }
  return records
})
