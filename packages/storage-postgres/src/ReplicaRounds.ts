/** Looks at the primary and at its replicas, again and again, and tells the operator what is used. */
import { LOG_METRICS, type MeterSet } from "@cairn/core/log"
import { Effect } from "effect"
import { lackOf, lose, type Replica, regain } from "./Replica.ts"
import { lagBytes, lagSeconds, withWritten } from "./ReplicaLag.ts"
import { type ReplicaSet, raiseBase } from "./ReplicaSet.ts"

/** Tells the operator once when a replica is not used, and once when it is. */
const makeTell = () => {
  /** What was logged last of each replica. */
  const told = new Map<Replica, string | undefined>()
  return (replica: Replica, lack: string | undefined) =>
    Effect.suspend(() => {
      const isFirst = !told.has(replica)
      const before = told.get(replica)
      told.set(replica, lack)
      const annotated = Effect.annotateLogs({
        replica: replica.name,
        ...(lack === undefined ? {} : { reason: `it ${lack}` })
      })
      if (lack !== undefined) {
        return isFirst || before === undefined
          ? annotated(Effect.logWarning("A read replica is not used"))
          : Effect.void
      }
      if (isFirst) return annotated(Effect.logInfo("A read replica is used"))
      return before === undefined ? Effect.void : annotated(Effect.logInfo("A read replica is used again"))
    })
}

/** Judges a replica by what every read needs. */
const look = ({ primary }: ReplicaSet, replica: Replica) =>
  Effect.match(replica.look, {
    onSuccess: () => {
      const needed = primary.base ?? primary.latest
      const lack = needed === undefined ? "is not looked at yet" : lackOf(replica, needed.position)
      if (lack === undefined) regain(replica)
      else if (lack === "is behind") replica.fit = false
      else lose(replica)
      return lack
    },
    onFailure: () => {
      lose(replica)
      return "does not answer"
    }
  })

/**
 * Makes a round. What every read needs from then on is where the primary was in the round before: a replica
 * that is less than a round behind makes nobody wait.
 */
export const makeRound = (set: ReplicaSet, isTold: boolean) => {
  const tell = makeTell()
  return Effect.gen(function* () {
    const { primary, replicas, now } = set
    const at = now()
    const position = yield* primary.ask
    if (primary.latest !== undefined) raiseBase(set, primary.latest)
    primary.latest = { position, at }
    primary.history = withWritten(primary.history, primary.latest)
    yield* Effect.forEach(
      replicas,
      (replica) => Effect.flatMap(look(set, replica), (lack) => (isTold ? tell(replica, lack) : Effect.void)),
      { concurrency: "unbounded", discard: true }
    )
  })
}

/** Says how far behind each replica is, and whether it is used. */
export const meterReplicas = ({ replicas, primary, now }: ReplicaSet, meters: MeterSet) => {
  for (const replica of replicas) {
    const labels = { replica: String(replica.number) }
    meters.observed(LOG_METRICS.replicaUsed, () => Number(replica.fit), labels)
    meters.observed(LOG_METRICS.replicaLagBytes, () => lagBytes(primary.history, replica.state), labels)
    meters.observed(
      LOG_METRICS.replicaLagSeconds,
      () => lagSeconds(primary.history, replica.state, now()),
      labels
    )
  }
}
