#!/usr/bin/env node
/** The `cairn-verify` command. */
import { readFileSync } from "node:fs"
import { printableLines } from "@cairn/core/verification"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Option, Schema } from "effect"
import { CliError, Command } from "effect/cli"
import { makeVerifyCommand } from "./command/VerifyCommand.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const { version } = Schema.decodeUnknownSync(Manifest)(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

/** The bundle could not be verified: there is no verdict. */
const NO_ANSWER = 2

const command = makeVerifyCommand(version, (status) => {
  process.exitCode = status
})

/** One line for the user in place of a stack. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  const help = CliError.isCliError(error) && error._tag === "ShowHelp"
  process.exitCode = help && error.errors.length === 0 ? 0 : NO_ANSWER
  if (help) return Effect.void
  const message = error instanceof Error ? error.message : Cause.pretty(cause)
  // It may have a name or a text that the sender of the file has chosen.
  return Console.error(`cairn-verify: ${printableLines(message)}`)
}

Command.run(command, { version }).pipe(
  Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : explain(cause))),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
