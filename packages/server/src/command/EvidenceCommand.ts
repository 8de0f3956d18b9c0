/** `cairn evidence` */
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerEvidenceOfLog } from "../layers/Commands.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { chainSettingsFor } from "../settings/AnchorSettings.ts"
import { evidenceFile } from "./EvidenceFile.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, findWorkspace, momentFlag, readMoment, workspaceFlag } from "./Shared.ts"

/** `cairn evidence` */
export const evidenceCommand = Command.make(
  "evidence",
  {
    workspace: workspaceFlag,
    from: momentFlag("from", "Events recorded at or after; an ISO 8601 date or date-time"),
    to: momentFlag("to", "Events recorded at or before"),
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("File to write, which must not exist yet (default: standard output)"),
      Flag.optional
    )
  },
  Effect.fn(function* (flags) {
    if (Option.isNone(flags.output) && process.stdout.isTTY) {
      return yield* new CommandFailed({
        message: "the file is binary, and standard output is a terminal: name a file with --output FILE"
      })
    }
    const settings = yield* configuration
    const from = yield* readMoment("from", flags.from)
    const to = yield* readMoment("to", flags.to)
    const config = {
      secretKeys: yield* secretKeysFor(settings),
      chain: yield* chainSettingsFor(settings)
    }
    const write = Effect.gen(function* () {
      const { id: workspaceId } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const packed = yield* evidenceFile({
        workspaceId,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to })
      })
      const file = Option.getOrUndefined(flags.output)
      const target = file === undefined ? process.stdout : createWriteStream(file, { flags: "wx" })
      yield* Effect.tryPromise({
        try: () => pipeline(packed, target, { end: file !== undefined }),
        catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
      })
      if (file !== undefined) yield* Console.error(`${file} is written; check it with cairn-verify ${file}`)
    })
    return yield* Effect.provide(write, layerEvidenceOfLog(settings, config))
  })
).pipe(
  Command.withExamples([
    { command: "cairn evidence -w Acme --from 2026-01-01 --to 2026-06-30 -o evidence.cairn" }
  ]),
  Command.withDescription(
    "Write the evidence of a range of the log as one file, which an auditor checks offline with cairn-verify"
  )
)
