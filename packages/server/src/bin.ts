/** The `cairn` command. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Option, Runtime } from "effect"
import { CliOutput, Command } from "effect/cli"
import { alertRuleCommand } from "./command/AlertRuleCommand.ts"
import { backupCommand } from "./command/BackupCommand.ts"
import { checkpointKeyCommand } from "./command/CheckpointKeyCommand.ts"
import { configCommand } from "./command/ConfigCommand.ts"
import { consumerCommand } from "./command/ConsumerCommand.ts"
import { copyCommand } from "./command/CopyCommand.ts"
import { doctorCommand } from "./command/DoctorCommand.ts"
import { eraseCommand } from "./command/EraseCommand.ts"
import { evidenceCommand } from "./command/EvidenceCommand.ts"
import { CommandFailed, EXIT_CODES, failureText, kindOf } from "./command/Failure.ts"
import { importCommand } from "./command/ImportCommand.ts"
import { keyCommand } from "./command/KeyCommand.ts"
import { memberCommand } from "./command/MemberCommand.ts"
import { recoverCommand } from "./command/RecoverCommand.ts"
import { restoreCommand } from "./command/RestoreCommand.ts"
import { secretCommand } from "./command/SecretCommand.ts"
import { migrateCommand, serveCommand } from "./command/ServeCommand.ts"
import { supportBundleCommand } from "./command/SupportBundleCommand.ts"
import { verifyCommand } from "./command/VerifyCommand.ts"
import { viewerKeyCommand } from "./command/ViewerKeyCommand.ts"
import { workspaceCommand } from "./command/WorkspaceCommand.ts"
import { layerLogging } from "./layers/Logging.ts"
import { version } from "./Version.ts"

const cairn = Command.make("cairn").pipe(
  Command.withExamples([{ command: "cairn serve" }, { command: "cairn workspace create Acme" }]),
  Command.withDescription("An audit log that a third party can check"),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    configCommand,
    workspaceCommand,
    keyCommand,
    memberCommand,
    importCommand,
    verifyCommand,
    doctorCommand,
    supportBundleCommand,
    backupCommand,
    restoreCommand,
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

/** Whether errors are JSON, as results are: also where the arguments are what is wrong. */
const asJson = process.argv.includes("--json")

/** One line for the user in place of a stack; the exit code is for scripts. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return Effect.failCause(cause)
  process.exitCode = EXIT_CODES[kindOf(error)]
  return Console.error(failureText(error, asJson))
}

/** Help is for who asks for it; of wrong arguments {@link explain} says what is wrong. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation" || (event._tag === "Help" && event.reason === "Implicit")
      ? Effect.void
      : CliOutput.defaultPresenter.present(event)
}

/** The code that Node's runner has for a defect; here it says that something does not hold. */
const DEFECT = 1

/** What is said of a command that a signal has stopped. */
const stopped = new CommandFailed({ message: "stopped by a signal before it was done", kind: "interrupted" })

/**
 * A server that was stopped has done its job, and has set `process.exitCode`; any other command that is
 * interrupted has not.
 */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Runtime.defaultTeardown(exit, (code) => {
    if (code === EXIT_CODES.interrupted) {
      if (process.exitCode === 0) return onExit(0)
      process.stderr.write(`${failureText(stopped, asJson)}\n`)
    }
    onExit(code === DEFECT ? EXIT_CODES.failed : code)
  })

/** Nobody else may read what a command or the server writes: databases, backups, and their folders. */
const NOBODY_ELSE = 0o077

process.umask(NOBODY_ELSE)

Command.run(cairn, { version }).pipe(
  Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : explain(cause))),
  // Standard output is for the results of commands; `serve` has its own level.
  Effect.provide(layerLogging("warning")),
  Effect.provide(NodeServices.layer),
  Effect.provide(CliOutput.layerPresenter(presenter)),
  NodeRuntime.runMain({ disableErrorReporting: false, teardown })
)
