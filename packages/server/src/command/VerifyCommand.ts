/** `cairn verify` */
import { type ChainBreak, ChainVerifier, InvalidInput, Micros } from "@cairn/core"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Composition from "../Composition.ts"
import { CommandFailed, configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

const momentFlag = (name: string, help: string) =>
  Flag.String(name).pipe(Flag.withDescription(help), Flag.optional)

const readMoment = (name: string, text: Option.Option<string>) => {
  if (Option.isNone(text)) return Effect.undefined
  const micros = Micros.parse(text.value)
  return micros === undefined
    ? Effect.fail(new InvalidInput({ path: `--${name}`, reason: "must be an ISO 8601 date or date-time" }))
    : Effect.succeed(micros)
}

const describe = (found: ChainBreak): string =>
  `${found.type} at ${found.event_id}\n  expected ${found.expected_hash}\n  actual   ${found.actual_hash}`

/** `cairn verify` */
export const verifyCommand = Command.make(
  "verify",
  {
    workspace: workspaceFlag,
    from: momentFlag("from", "Only events recorded at or after"),
    to: momentFlag("to", "Only events recorded at or before"),
    limit: Flag.Int("limit").pipe(Flag.withDescription("Most events to check (default: all)"), Flag.optional),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
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
      const summary = `${result.valid ? "valid" : "BROKEN"}: ${result.events_checked} events checked, ${result.breaks.length} breaks`
      yield* print(flags.json, result, [summary, ...result.breaks.map(describe)].join("\n"))
      if (!result.valid) return yield* new CommandFailed({ message: "the chain does not hold" })
    }).pipe(Effect.provide(Composition.logSide(settings)))
  })
).pipe(Command.withDescription("Verify a workspace's hash chain; fails when it does not hold"))
