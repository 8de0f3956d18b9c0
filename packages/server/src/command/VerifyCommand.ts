/** `cairn verify` */

import { UnknownAnchors } from "@cairn/core/anchor"
import {
  BREAK_MEANING,
  type ChainBreak,
  type ChainVerification,
  ChainVerifier,
  printable,
  StoreCheck,
  type StoreFindings
} from "@cairn/core/verification"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { auditLog, auditText, hasFindings } from "../audit/LogAudit.ts"
import { layerUnknownAnchors } from "../layers/Anchoring.ts"
import { layerAgainst } from "../layers/Commands.ts"
import { layerLog } from "../layers/Log.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { chainSettingsFor } from "../settings/AnchorSettings.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, findWorkspace, json, momentFlag, print, readMoment, workspaceFlag } from "./Shared.ts"

const describe = (found: ChainBreak): string =>
  `${found.type} at ${found.event_id}: ${BREAK_MEANING[found.type]}\n` +
  `  expected ${found.expected_hash}\n  actual   ${found.actual_hash}`

const counted = (count: number): string => count.toLocaleString("en")

const breaksIn = (count: number): string =>
  count === 0 ? "no break" : count === 1 ? "1 break" : `${counted(count)} breaks`

/** What was found, in a line or two; for a part of the log also how to continue. */
const summaryOf = ({ valid, complete, events_checked, total, breaks, next }: ChainVerification): string => {
  if (complete) {
    return `${valid ? "valid" : "BROKEN"}: ${counted(events_checked)} events checked, ${breaksIn(breaks.length)}`
  }
  const part = `first ${counted(events_checked)} of ${counted(total)} checked, ${breaksIn(breaks.length)} in those`
  return `${valid ? "NOT ALL" : "BROKEN"}: ${part}\ncontinue with --from ${next}`
}

/** Status of a command whose audit lists something, while the chain holds. */
const AUDIT_FOUND = 3

/** What is wrong with the store itself, in lines; none if nothing is. */
const storeLines = ({ damages, not_checked }: StoreFindings): ReadonlyArray<string> => [
  ...(damages.length === 0
    ? []
    : ["DAMAGED: the database does not find all that it holds; lists may lack events"]),
  ...damages.map(({ where, what }) => `  ${printable(where)}: ${printable(what)}`),
  ...not_checked.map((what) => `not checked: ${printable(what)}`)
]

/** Fails for what does not hold, and sets the status for an audit that lists something. */
const judge = Effect.fnUntraced(function* ({
  chain,
  store,
  against,
  audit
}: {
  readonly chain: ChainVerification
  readonly store: StoreFindings | undefined
  readonly against: { readonly readable: boolean; readonly agrees: boolean } | undefined
  readonly audit: boolean
}) {
  if (!chain.valid)
    return yield* new CommandFailed({ message: "the hash chain is broken", kind: "does_not_hold" })
  if (store?.sound === false)
    return yield* new CommandFailed({
      message: "the database is damaged, while the hash chain holds",
      kind: "does_not_hold"
    })
  if (against?.readable === false)
    return yield* new CommandFailed({ message: "the log was not compared: the file cannot be read" })
  if (against?.agrees === false)
    return yield* new CommandFailed({
      message: "the log does not agree with the file",
      kind: "does_not_hold"
    })
  if (audit) {
    yield* Effect.sync(() => {
      process.exitCode = AUDIT_FOUND
    })
  }
})

/** The offline verifier, loaded only where a log is compared with a file: the server is this program too. */
const holding = Effect.promise(() => import("./Against.ts")).pipe(
  Effect.map(({ holdAgainst }) => holdAgainst)
)

/** `cairn verify` */
export const verifyCommand = Command.make(
  "verify",
  {
    workspace: workspaceFlag,
    from: momentFlag("from", "Only events recorded at or after"),
    to: momentFlag("to", "Only events recorded at or before"),
    limit: Flag.Int("limit").pipe(Flag.withDescription("Most events to check (default: all)"), Flag.optional),
    against: Flag.String("against").pipe(
      Flag.withDescription(
        "Also compare the log with a file that someone kept: an older evidence bundle, or a checkpoint, as a note or as a log stream wrote it (exit code 2 when it is neither)"
      ),
      Flag.optional
    ),
    audit: Flag.Boolean("audit").pipe(
      Flag.withDescription(
        "Also list what earlier versions may have left: idempotency keys without events, cairn.* events that clients wrote, retention changed by API keys (exit code 3 when there is any and the chain holds)"
      ),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const chain = yield* chainSettingsFor(settings)
    const secretKeys = Option.isNone(flags.against) ? [] : yield* secretKeysFor(settings)
    yield* Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const from = yield* readMoment("from", flags.from)
      const to = yield* readMoment("to", flags.to)
      const result = yield* (yield* ChainVerifier).verify({
        workspaceId,
        limit: Option.getOrElse(flags.limit, () => Number.MAX_SAFE_INTEGER),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to })
      })
      // What goes through a log in parts would check the whole database in each of them.
      const isWhole = from === undefined && to === undefined && Option.isNone(flags.limit)
      const store = isWhole ? yield* Effect.flatMap(StoreCheck, ({ check }) => check) : undefined
      const audit = flags.audit ? yield* auditLog(workspaceId) : undefined
      const against = Option.isNone(flags.against)
        ? undefined
        : yield* (yield* holding)(workspaceId, flags.against.value).pipe(
            Effect.provide(layerAgainst(secretKeys))
          )
      const unknown = Option.getOrElse(
        yield* Effect.flatMap(UnknownAnchors, ({ count }) => count).pipe(
          Effect.catchTag("ChainUnavailable", ({ message }) =>
            Effect.as(Console.error(`The anchoring chain was not read: ${message}`), Option.none<number>())
          ),
          Effect.provide(layerUnknownAnchors({ chain }))
        ),
        () => 0
      )
      const behind =
        unknown === 0
          ? []
          : [
              `The anchoring account has sent ${unknown} transactions that are not in this database: if the account sends only anchors, this database is a copy that is behind`
            ]
      yield* print(
        flags.json,
        {
          ...result,
          ...(store === undefined ? {} : { store }),
          ...(against === undefined ? {} : { against }),
          ...(audit === undefined ? {} : { audit }),
          ...(chain === null ? {} : { unknown_transactions: unknown })
        },
        [
          summaryOf(result),
          ...result.breaks.map(describe),
          ...(store === undefined ? [] : storeLines(store)),
          ...behind,
          ...(against === undefined ? [] : [against.text]),
          ...(audit === undefined ? [] : [auditText(audit)])
        ].join("\n")
      )
      yield* judge({ chain: result, store, against, audit: audit !== undefined && hasFindings(audit) })
    }).pipe(Effect.provide(layerLog(settings)))
  })
).pipe(
  Command.withExamples([
    { command: "cairn verify -w Acme" },
    { command: "cairn verify -w Acme --against evidence.cairn" }
  ]),
  Command.withDescription(
    "Verify a workspace's hash chain, and the indexes of the database; fails when one is broken"
  )
)
