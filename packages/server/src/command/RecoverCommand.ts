/** `cairn recover` */
import { acceptSignedLoss, findSignedLoss, isLostEnd, type SignedSize } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { Continuity, describeLoss, EventLog, type Loss } from "@cairn/core/log"
import { COMMAND_LINE, LOSS_ACCEPTED, ManagementEvents, recordAcceptedLosses } from "@cairn/core/management"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerRecovery } from "../layers/Commands.ts"
import { byKind } from "../settings/Database.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, json, print } from "./Shared.ts"

/** What the logs have lost: events that processes saw, and events that checkpoints were signed for. */
interface Found {
  readonly losses: ReadonlyArray<Loss>
  readonly signed: ReadonlyArray<{ readonly workspaceId: string; readonly signed: SignedSize }>
}

const find = Effect.gen(function* () {
  const continuity = yield* Effect.serviceOption(Continuity)
  const losses = Option.isSome(continuity) ? yield* continuity.value.losses : []
  const signed: Array<Found["signed"][number]> = []
  for (const { id } of yield* (yield* ManagedWorkspaces).list) {
    const lost = yield* findSignedLoss(id)
    if (Option.isSome(lost)) signed.push({ workspaceId: id, signed: lost.value })
  }
  return { losses, signed } satisfies Found
})

const linesOf = ({ losses, signed }: Found): ReadonlyArray<string> => [
  ...losses.map(describeLoss),
  ...signed.map(({ workspaceId, signed: one }) =>
    isLostEnd(one)
      ? `the log of ${workspaceId} no longer has the ${one.size} events that it once had`
      : `the log of ${workspaceId} does not begin with the ${one.size} events that a checkpoint was signed for`
  )
]

const EXPLANATION = `Either this is not the database to go on with: connect the servers to the right one, and nothing need be accepted. Or what is missing is
lost for good: then cairn recover --accept-loss makes what is here the log. Events that were answered 202 and are not here are lost, and
nothing notifies their senders. The acceptance is recorded in each log, a later checkpoint or bundle that somebody kept can show what is
missing, and no checkpoint is signed up to a size that one was signed for before.`

/**
 * What the log records of a loss: a lost end as what was seen and what is found, else how much was signed
 * for.
 */
const metadataOf = Effect.fnUntraced(function* (workspaceId: string, lost: SignedSize) {
  if (!isLostEnd(lost)) return { losses: [], signed_size: lost.size }
  const { sequence, eventHash } = yield* (yield* EventLog).head(workspaceId)
  const seen = { timeline: null, sequence: lost.size, event_hash: lost.event_hash }
  return { losses: [{ seen, found: { timeline: null, sequence, event_hash: eventHash } }], signed_size: null }
})

/** Accepts what is in the database as the log, and records that in each log. */
const accept = Effect.gen(function* () {
  const { record } = yield* ManagementEvents
  const continuity = yield* Effect.serviceOption(Continuity)
  const losses = Option.isSome(continuity) ? yield* continuity.value.accept(yield* Micros.now) : []
  yield* recordAcceptedLosses
  const signed: Array<Found["signed"][number]> = []
  for (const { id, name } of yield* (yield* ManagedWorkspaces).list) {
    const lost = yield* findSignedLoss(id)
    if (Option.isNone(lost)) continue
    // The record comes first: a command that is killed in between finds the loss again, and records it once
    // more.
    yield* record(COMMAND_LINE, {
      workspaceId: id,
      action: LOSS_ACCEPTED,
      resource: { type: "workspace", id, name },
      metadata: yield* metadataOf(id, lost.value)
    })
    const accepted = yield* acceptSignedLoss(id)
    if (Option.isSome(accepted)) signed.push({ workspaceId: id, signed: accepted.value })
  }
  return { losses, signed } satisfies Found
})

/** `cairn recover` */
export const recoverCommand = Command.make(
  "recover",
  {
    acceptLoss: Flag.Boolean("accept-loss").pipe(
      Flag.withDescription("Accept the loss: what the database holds becomes the log"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    yield* Effect.gen(function* () {
      const found = yield* flags.acceptLoss ? accept : find
      const lines = linesOf(found)
      const nothing = byKind(settings.database, {
        sqlite: () =>
          "No known losses. At each start the files of a SQLite database are reconciled, see docs/Operations.md",
        postgres: () => "No known losses"
      })
      const text = [
        ...(lines.length === 0 ? [nothing] : lines),
        ...(lines.length === 0 || flags.acceptLoss ? [] : [EXPLANATION]),
        ...(lines.length > 0 && flags.acceptLoss ? ["Accepted: what is here is the log"] : [])
      ].join("\n")
      yield* print(flags.json, { ...found, accepted: flags.acceptLoss }, text)
      if (lines.length > 0 && !flags.acceptLoss)
        return yield* new CommandFailed({
          message: "the database lacks events that it once had",
          kind: "does_not_hold"
        })
    }).pipe(Effect.provide(layerRecovery(settings)))
  })
).pipe(
  Command.withExamples([{ command: "cairn recover" }]),
  Command.withDescription(
    "After a failover or a restore, list the events that a database once held and has lost, and accept the loss; the server may be running"
  )
)
