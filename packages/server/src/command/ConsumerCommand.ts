/** `cairn consumer list|pause|resume|replay` */
import type { ConsumerLag } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { COMMAND_LINE, ConsumerManagement } from "@cairn/core/management"
import { streamConsumer } from "@cairn/core/outbound"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerConsumers } from "../layers/Commands.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, layerConsumers(settings)))

const view = ({ position, lag }: ConsumerLag) => ({
  consumer: position.consumer,
  sequence: position.sequence,
  lag,
  paused: position.paused,
  updated_at: Micros.format(position.updatedAt)
})

const line = (standing: ConsumerLag): string => {
  const { consumer, sequence, lag, paused, updated_at } = view(standing)
  return `${consumer}  at ${Math.max(sequence, 0)}, ${lag} behind  ${paused ? "paused" : "running"}  ${updated_at}`
}

const consumerArgument = Argument.String("consumer").pipe(
  Argument.withDescription("Its name in the list, such as alerts; a log stream also by its id, str_…")
)

const nameOf = (text: string): string => (text.startsWith("str_") ? streamConsumer(text) : text)

const list = Command.make(
  "list",
  { workspace: workspaceFlag, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const all = yield* (yield* ConsumerManagement).list(id)
      const text = all.length === 0 ? "No consumer has begun" : all.map(line).join("\n")
      yield* print(flags.json, all.map(view), text)
    }).pipe(withDatabase)
  })
).pipe(Command.withDescription("List what follows a workspace's log, and how far behind it is"))

/** A command on one consumer. */
const halting = (name: "pause" | "resume", description: string) =>
  Command.make(
    name,
    { workspace: workspaceFlag, consumer: consumerArgument, json },
    Effect.fn(function* (flags) {
      yield* Effect.gen(function* () {
        const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
        const management = yield* ConsumerManagement
        const standing = yield* management[name](COMMAND_LINE, id, nameOf(flags.consumer))
        yield* print(flags.json, view(standing), line(standing))
      }).pipe(withDatabase)
    })
  ).pipe(Command.withDescription(description))

const replay = Command.make(
  "replay",
  {
    workspace: workspaceFlag,
    consumer: consumerArgument,
    from: Flag.Int("from").pipe(
      Flag.withDescription("Sequence of the event to begin with (default: the first event)"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const from = Option.getOrNull(flags.from)
      const management = yield* ConsumerManagement
      const standing = yield* management.replay(COMMAND_LINE, id, nameOf(flags.consumer), from)
      yield* print(flags.json, view(standing), line(standing))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withDescription(
    "Begin again. A log stream sends everything from there once more; alerts that were raised stay as they are, and nobody is told again"
  )
)

/** `cairn consumer` */
export const consumerCommand = Command.make("consumer").pipe(
  Command.withDescription("What follows a log: alerts, log streams and the service's own verification"),
  Command.withSubcommands([
    list,
    halting("pause", "Stop a consumer where it stands"),
    halting("resume", "Let a consumer go on where it stopped"),
    replay
  ])
)
