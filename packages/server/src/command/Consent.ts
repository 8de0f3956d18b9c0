/**
 * The question before what cannot be undone. On a terminal the plan is shown and somebody has to agree; where
 * nobody can be asked, `--yes` has to say so beforehand.
 */
import { createInterface } from "node:readline"
import { isatty } from "node:tty"
import { printableJson, printableLines } from "@cairn/core/verification"
import { Console, Effect } from "effect"
import { Flag } from "effect/cli"
import { CommandFailed } from "./Failure.ts"
import { print } from "./Shared.ts"

/** The flags of a command that asks. */
export const consentFlags = {
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Show what would be done, and change nothing"),
    Flag.withDefault(false)
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDescription("Do not ask; needed where there is no terminal to ask on"),
    Flag.withDefault(false)
  )
}

/** What those flags say, with `--json`. */
export interface ConsentFlags {
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
}

/** What a command is about to do, as JSON and in words. */
export interface Plan {
  readonly value: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Standard input and standard error: who answers there also reads the question. */
const canAsk = (): boolean => isatty(0) && isatty(2)

/** Fails before anything is opened if the command can neither ask nor go on without. */
export const checkCanAsk = (command: string, { dryRun, yes }: ConsentFlags) =>
  dryRun || yes || canAsk()
    ? Effect.void
    : Effect.fail(
        new CommandFailed({
          message: `${command} asks before it changes anything, and there is no terminal to ask on: add --yes, or --dry-run to see what it would do`
        })
      )

/** Puts a question, and reads one line; no line is no. */
const ask = (question: string) =>
  Effect.callback<boolean>((resume) => {
    // The terminal edits the line itself, so that an interrupt is a signal, as ever.
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
    lines.on("close", () => resume(Effect.succeed(false)))
    lines.question(question, (answer) => {
      resume(Effect.succeed(/^\s*y(es)?\s*$/i.test(answer)))
      lines.close()
    })
    return Effect.sync(() => lines.close())
  })

/**
 * Whether to go on. A dry run ends with the plan as the command's result. Otherwise the plan is shown on
 * standard error, but not with `--yes` and `--json`: there the result says enough. Who does not agree gets an
 * error.
 */
export const consent = Effect.fnUntraced(function* (flags: ConsentFlags, { value, text }: Plan) {
  if (flags.dryRun) {
    yield* print(flags.json, { dry_run: true, ...value }, `${text}\nNothing was changed.`)
    return false
  }
  if (flags.yes && flags.json) return true
  yield* Console.error(flags.json ? printableJson({ dry_run: false, ...value }) : printableLines(text))
  if (flags.yes || (yield* ask("Go on? [y/N] "))) return true
  return yield* new CommandFailed({ message: "Nothing was changed, since you did not agree" })
})
