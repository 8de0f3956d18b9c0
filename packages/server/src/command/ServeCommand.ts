/** `cairn serve` and `cairn migrate`. */

import { readClocks } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"
import { layerAccepting } from "../layers/Accepting.ts"
import { CannotListen, listenReason } from "../layers/CannotListen.ts"
import { layerLogging } from "../layers/Logging.ts"
import { serve } from "../Serve.ts"
import { secretKeysFor } from "../secret/UsableKeys.ts"
import { chainSettingsFor } from "../settings/AnchorSettings.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { byKind, type Database, nameOf } from "../settings/Database.ts"
import { levelName } from "../settings/LogLevel.ts"
import { settingsHelp } from "../settings/SettingsText.ts"
import { unknownVariables } from "../settings/UnknownVariables.ts"
import { announceDemo } from "./Demo.ts"
import { warnOfDemo } from "./DemoLeft.ts"
import { CommandFailed } from "./Failure.ts"
import { announceSetup } from "./SetupLink.ts"
import { configuration } from "./Shared.ts"

const demo = Flag.Boolean("demo").pipe(
  Flag.withDescription(
    "On the first start, make a workspace with a generated week of events and an API key, and print both; print links to its console and its viewer at each start. A database that has a workspace is left as it is. Webhooks and log streams may call programs on this machine, by http too"
  ),
  Flag.withDefault(false)
)

const role = Flag.Literals("role", ["all", "api", "worker"]).pipe(
  Flag.withDescription(
    "all; api: take requests and leave sequencing to others; worker: sequence, and answer only /healthz and /readyz"
  ),
  Flag.withDefault("all")
)

/** The machine itself, in both families. */
const LOOPBACK = "127.0.0.0/8,::1"

/**
 * The settings of a server that somebody tries out: no balancer looks whether it is ready, and webhooks and
 * log streams may call programs on the same machine, by plain http too.
 */
const triedOut = (settings: Configuration): Configuration => {
  const { allow } = settings.outbound
  const outbound = {
    ...settings.outbound,
    http: true,
    allow: allow === "" ? LOOPBACK : `${allow},${LOOPBACK}`
  }
  return { ...settings, drainSeconds: 0, outbound }
}

/** A line of the log at every level: who starts a server waits for the first, and looks for the last. */
const announce = (line: string) => Effect.logInfo(line).pipe(Effect.provide(layerLogging("info")))

/** `cairn serve` */
export const serveCommand = Command.make(
  "serve",
  { demo, role },
  Effect.fn(function* (flags) {
    const configured = yield* configuration
    // The flag is that of every command, and says more than a variable.
    const logLevel = Option.match(yield* GlobalFlag.LogLevel, {
      onNone: () => configured.logLevel,
      onSome: levelName
    })
    const settings = { ...(flags.demo ? triedOut(configured) : configured), logLevel }
    const secretKeys = yield* secretKeysFor({ ...settings, waitSeconds: settings.databaseWaitSeconds })
    const chain = yield* chainSettingsFor(settings)
    const ready = Effect.fnUntraced(function* (baseUrl: string) {
      yield* announce(`Cairn listens on ${baseUrl}`)
      if (flags.demo) yield* announceDemo(baseUrl, nameOf(settings.database), { ...settings, secretKeys })
      else if (flags.role !== "worker") yield* Effect.andThen(warnOfDemo, announceSetup(baseUrl))
    })
    yield* Effect.forEach(unknownVariables(process.env), (line) => Effect.logWarning(line)).pipe(
      Effect.provide(layerLogging(settings.logLevel))
    )
    return yield* serve(settings, { secretKeys, chain, clock: yield* readClocks }, flags.role, ready).pipe(
      Effect.catchTag("ServeError", ({ cause }) => {
        const { host, port } = settings
        return Effect.fail(new CannotListen({ host, port, reason: listenReason(cause) }))
      }),
      // SIGTERM is how a server ends: it has shut down by now, so that is a success.
      Effect.onInterrupt(() =>
        Effect.andThen(
          announce("Cairn has stopped"),
          Effect.sync(() => {
            process.exitCode = 0
          })
        )
      ),
      Effect.provide(layerLogging(settings.logLevel))
    )
  })
).pipe(
  Command.withShortDescription("Run the server; `cairn serve --help` lists its settings"),
  Command.withExamples([{ command: "CAIRN_PORT=8080 cairn serve" }]),
  Command.withDescription(`Run the server. Settings come from the environment:\n\n${settingsHelp()}`)
)

const distribute = Flag.Boolean("distribute").pipe(
  Flag.withDescription(
    "Also spread the log over the machines of a PostgreSQL cluster with Citus, by workspace; stop all servers first"
  ),
  Flag.withDefault(false)
)

/** Spreads the log over machines, and returns how many tables were not spread yet. */
const spread = Effect.fnUntraced(function* (database: Database) {
  const url = byKind<string | undefined>(database, { sqlite: () => undefined, postgres: ({ url }) => url })
  if (url === undefined) {
    return yield* new CommandFailed({ message: "--distribute needs a PostgreSQL database with Citus" })
  }
  const { distributeDatabase } = yield* Effect.promise(() => import("@cairn/storage-postgres"))
  return yield* distributeDatabase(Redacted.make(url))
})

/** `cairn migrate` */
export const migrateCommand = Command.make(
  "migrate",
  { distribute },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const name = nameOf(settings.database)
    // Opening the database brings it up to date.
    yield* ManagedWorkspaces.pipe(Effect.provide(layerAccepting(settings)))
    yield* Console.log(`${name} is up to date`)
    if (!flags.distribute) return
    const tables = yield* spread(settings.database)
    yield* Console.log(`${name} is spread over its machines: ${tables} tables were not yet`)
  })
).pipe(
  Command.withExamples([{ command: "cairn migrate" }, { command: "cairn migrate --distribute" }]),
  Command.withDescription("Bring the database up to date; `serve` also does that when it starts")
)
