/** `cairn serve` and `cairn migrate`. */
import { Workspaces } from "@cairn/core"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Composition from "../Composition.ts"
import { describeVariables } from "../Configuration.ts"
import { announceDemo } from "../Demo.ts"
import { logging } from "../Logging.ts"
import { serve } from "../Serve.ts"
import { configuration } from "./Shared.ts"

const demo = Flag.Boolean("demo").pipe(
  Flag.withDescription("On the first start, make a workspace and an API key, and print both"),
  Flag.withDefault(false)
)

/** `cairn serve` */
export const serveCommand = Command.make(
  "serve",
  { demo },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const ready = (baseUrl: string) =>
      flags.demo ? announceDemo(baseUrl, settings.filename) : Console.log(`Cairn listens on ${baseUrl}`)
    return yield* serve(settings, ready).pipe(
      // SIGTERM is how a server ends: it has shut down by now, so that is a success.
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          process.exitCode = 0
        })
      ),
      Effect.provide(logging(settings.logLevel))
    )
  })
).pipe(
  Command.withDescription(`Run the server. Settings come from the environment:\n\n${describeVariables()}`)
)

/** `cairn migrate` */
export const migrateCommand = Command.make(
  "migrate",
  {},
  Effect.fn(function* () {
    const settings = yield* configuration
    // Opening the database brings it up to date.
    yield* Workspaces.pipe(Effect.provide(Composition.acceptSide(settings)))
    yield* Console.log(`${settings.filename} is up to date`)
  })
).pipe(Command.withDescription("Bring the database up to date; `serve` does so by itself"))
