/** `cairn consumer list|pause|resume|replay` */
import { COMMAND_LINE, ConsumerManagement } from "@cairn/core/management"
import { streamConsumer } from "@cairn/core/outbound"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerConsumers } from "../layers/Commands.ts"
import { consumerLine, consumerView } from "./ConsumerText.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, layerConsumers(settings)))

const consumerArgument = Argument.String("consumer").pipe(
  Argument.withDescription(
    "Name of the consumer, as the list shows it, such as alerts; for a log stream also its id, str_…"
  )
)

const nameOf = (text: string): string => (text.startsWith("str_") ? streamConsumer(text) : text)

const list = Command.make(
  "list",
  { workspace: workspaceFlag, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const all = yield* (yield* ConsumerManagement).list(id)
      const text = all.length === 0 ? "No consumer has begun" : all.map(consumerLine).join("\n")
      yield* print(flags.json, all.map(consumerView), text)
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn consumer list -w Acme" }]),
  Command.withDescription("List a workspace's consumers, how far each is behind the log, and why one fails")
)

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
        yield* print(flags.json, consumerView(standing), consumerLine(standing))
      }).pipe(withDatabase)
    })
  ).pipe(
    Command.withExamples([{ command: `cairn consumer ${name} -w Acme alerts` }]),
    Command.withDescription(description)
  )

const replay = Command.make(
  "replay",
  {
    workspace: workspaceFlag,
    consumer: consumerArgument,
    from: Flag.Int("from").pipe(
      Flag.withDescription("Sequence of the first event to process again (default: the first of the log)"),
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
      yield* print(flags.json, consumerView(standing), consumerLine(standing))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn consumer replay -w Acme str_… --from 1" }]),
  Command.withDescription(
    "Process the log again. A log stream sends everything from that event on once more; alerts that were raised stay as they are, and no notification is sent twice"
  )
)

/** `cairn consumer` */
export const consumerCommand = Command.make("consumer").pipe(
  Command.withExamples([{ command: "cairn consumer list -w Acme" }]),
  Command.withDescription("Consumers of a log: alerts, log streams and the service's own verification"),
  Command.withSubcommands([
    list,
    halting("pause", "Stop a consumer at its position"),
    halting("resume", "Let a consumer continue from its position"),
    replay
  ])
)
