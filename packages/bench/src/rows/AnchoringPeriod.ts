/** Row 7: the events of a period become an anchor. */
import { AnchorChain, Anchoring } from "@cairn/core/anchor"
import { LogTree } from "@cairn/core/checkpoint"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { ClockGuard } from "@cairn/core/log"
import { logIdOf } from "@cairn/core/note"
import { Effect, Layer, Option } from "effect"
import type { Bench } from "../Bench.ts"
import { boundedRow, type Row } from "../Row.ts"
import { timed } from "../Timing.ts"

/** Seconds for a million events. */
const SECONDS = 2

/** Measures it. A log's events can be anchored once. */
export const anchoringPeriod = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const { database, workspaceId, events } = await logs.of(server, settings.events)
  const layer = Anchoring.layer({ logId: (id) => Effect.succeed(logIdOf(id)) }).pipe(
    Layer.provide(LogTree.layer),
    Layer.provide([database.storage, AnchorChain.layerNone, ClockGuard.layer, Sha256.layer, Randomness.layer])
  )
  const close = Effect.gen(function* () {
    const anchoring = yield* Anchoring
    return yield* Effect.promise(() => timed(() => Effect.runPromise(anchoring.close(workspaceId))))
  })
  const [closed, millis] = await Effect.runPromise(close.pipe(Effect.provide(layer)))
  const last = Option.match(closed, { onNone: () => 0, onSome: ({ lastSequence }) => lastSequence })
  const row = boundedRow({
    number: "7",
    what: `${events} events closed as a period and anchored`,
    database: server.product,
    measured: millis / 1000,
    unit: "s",
    atMost: SECONDS
  })
  return [{ ...row, met: row.met && last >= events }]
}
