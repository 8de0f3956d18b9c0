/** The `cairn` command. */
import { printableLines } from "@cairn/core/verification"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Option, Runtime } from "effect"
import { Command } from "effect/cli"
import { alertRuleCommand } from "./command/AlertRuleCommand.ts"
import { backupCommand } from "./command/BackupCommand.ts"
import { checkpointKeyCommand } from "./command/CheckpointKeyCommand.ts"
import { consumerCommand } from "./command/ConsumerCommand.ts"
import { copyCommand } from "./command/CopyCommand.ts"
import { eraseCommand } from "./command/EraseCommand.ts"
import { errorText } from "./command/ErrorText.ts"
import { evidenceCommand } from "./command/EvidenceCommand.ts"
import { importCommand } from "./command/ImportCommand.ts"
import { keyCommand } from "./command/KeyCommand.ts"
import { recoverCommand } from "./command/RecoverCommand.ts"
import { secretCommand } from "./command/SecretCommand.ts"
import { migrateCommand, serveCommand } from "./command/ServeCommand.ts"
import { verifyCommand } from "./command/VerifyCommand.ts"
import { viewerKeyCommand } from "./command/ViewerKeyCommand.ts"
import { workspaceCommand } from "./command/WorkspaceCommand.ts"
import { layerLogging } from "./layers/Logging.ts"
import { version } from "./Version.ts"

const cairn = Command.make("cairn").pipe(
  Command.withDescription("An audit log that a third party can check"),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    workspaceCommand,
    keyCommand,
    importCommand,
    verifyCommand,
    backupCommand,
    copyCommand,
    checkpointKeyCommand,
    evidenceCommand,
    alertRuleCommand,
    consumerCommand,
    secretCommand,
    viewerKeyCommand,
    eraseCommand,
    recoverCommand
  ])
)

/** sysexits.h: the configuration is wrong. */
const EX_CONFIG = 78

/** The exit code of `cairn-verify`, and of `cairn verify --against`, for a file that cannot be read. */
const FILE_UNREADABLE = 2

/** One line for the user in place of a stack; the exit code is for scripts. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return Effect.failCause(cause)
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : ""
  const isConfiguration = tag === "InvalidConfiguration" || tag === "SecretKeyNeeded"
  process.exitCode = isConfiguration ? EX_CONFIG : tag === "UnreadableFile" ? FILE_UNREADABLE : 1
  return tag === "ShowHelp" ? Effect.void : Console.error(printableLines(`cairn: ${errorText(error)}`))
}

/** The exit code that Node's runner has for a process that was interrupted: 128 + SIGINT. */
const INTERRUPTED = 130

/**
 * A server that was stopped has done its job, and has set `process.exitCode`; any other command that is
 * interrupted has not.
 */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Runtime.defaultTeardown(exit, (code) => onExit(code === INTERRUPTED && process.exitCode === 0 ? 0 : code))

Command.run(cairn, { version }).pipe(
  Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : explain(cause))),
  // Standard output is for the results of commands; `serve` has its own level.
  Effect.provide(layerLogging("warning")),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: false, teardown })
)
