/**
 * Sequencing: from the inbox to the chain.
 *
 * Any number of processes may run it. The log's lock on the head decides which process appends; the others
 * find nothing to do. A crash leaves every event either waiting or appended, and recovery is the next
 * ordinary run.
 */
import { Context, Effect, Layer, Option } from "effect"
import { makePace, type Pace } from "../encoding/Pace.ts"
import { contentText } from "../event/ContentWriter.ts"
import type { FilterColumns } from "../event/FilterColumns.ts"
import { GeoIp, nowhere } from "../event/GeoIp.ts"
import { Randomness } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { type Appended, type AppendRequest, ENOUGH_TO_APPEND, EventLog, MOST_WORKSPACES } from "./EventLog.ts"
import { columnsOfContent, extendChain } from "./HashChain.ts"
import type { InboxRow, PendingEvent } from "./Inbox.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Most events of one append, so that no lock is held for long. */
export const MAX_APPEND = 1_000

/**
 * Most characters of contents that are parsed while the log is locked. A larger row is parsed before locking.
 */
const MOST_PARSED = 2 * ENOUGH_TO_APPEND

/** What an append of nothing did. */
const NOTHING: Appended = { count: 0, more: false }

/** What one round did. */
export interface Round extends Appended {
  /** Workspaces whose log has grown. */
  readonly grown: ReadonlyArray<string>
}

/** The use case *sequence*. */
interface SequencerShape {
  /** Appends one chunk of a workspace's waiting events. */
  readonly advance: (workspaceId: string) => Effect.Effect<Appended, StorageUnavailable>
  /**
   * Appends one chunk of each workspace that has waiting events, of as many together as the store commits at
   * once, so that a busy one does not starve the others. Workspaces whose rows are so large that they are
   * parsed before locking take turns: one of them a round, after all others. A loop around this should pause
   * after a round that left nothing, so that events that arrive in the meantime share one transaction.
   */
  readonly round: Effect.Effect<Round, StorageUnavailable>
  /**
   * Appends everything that waits, round by round, and returns how many events that were. Events that another
   * process is appending are left to it.
   */
  readonly drain: Effect.Effect<number, StorageUnavailable>
}

/** The columns of a content; undefined if it cannot be read, which is reported when it is appended. */
interface KnownColumns {
  readonly head: string
  readonly tail: string
  readonly columns: FilterColumns | undefined
}

const pendingSize = ({ content: { head, tail } }: PendingEvent): number => head.length + tail.length

const sizeOf = (rows: ReadonlyArray<InboxRow>): number =>
  rows.reduce((sum, { events }) => events.reduce((size, event) => size + pendingSize(event), sum), 0)

const readColumns = Option.liftThrowable(({ id, content }: PendingEvent) =>
  columnsOfContent(id, contentText(content, nowhere))
)

/** What sequencing needs. */
interface SequencerContext {
  readonly log: EventLog["Service"]
  readonly sha256: Sha256["Service"]
  readonly random: Randomness["Service"]
  readonly geo: GeoIp["Service"]
  readonly pace: Pace
  /** The workspace whose large rows were appended last. The next one that has large rows follows. */
  readonly state: { lastLarge: string }
}

/** The columns of large rows, parsed in turns of the event loop while no lock is held. */
const read = Effect.fnUntraced(function* ({ pace }: SequencerContext, rows: ReadonlyArray<InboxRow>) {
  const events = rows.flatMap((row) => row.events)
  const columns = yield* pace.map(events, pendingSize, readColumns)
  return new Map(
    events.map(({ id, content: { head, tail } }, index) => [
      id,
      { head, tail, columns: Option.getOrUndefined(columns[index] ?? Option.none()) }
    ])
  )
})

/** What one append did for a workspace; or nothing, and the rows that must be parsed first. */
interface Attempt {
  readonly workspaceId: string
  readonly appended: Appended
  readonly large: ReadonlyArray<InboxRow>
}

/** One append, to the first of these workspaces. */
const attempt = Effect.fnUntraced(function* (
  { log, sha256, random, geo }: SequencerContext,
  workspaceIds: ReadonlyArray<string>,
  known: ReadonlyMap<string, KnownColumns>
) {
  /** The columns that were read from exactly this content. */
  const columnsOf = ({ id, content }: Pick<PendingEvent, "id" | "content">) => {
    const found = known.get(id)
    return found?.head === content.head && found.tail === content.tail ? found.columns : undefined
  }
  const large = new Map<string, ReadonlyArray<InboxRow>>()
  const requests = workspaceIds.map(
    (workspaceId): AppendRequest => ({
      workspaceId,
      chain: (head, rows, now) => {
        const unknown = rows.filter(({ events }) => events.some(({ id }) => !known.has(id)))
        large.delete(workspaceId)
        if (sizeOf(unknown) <= MOST_PARSED)
          return extendChain({ workspaceId, sha256, random, lookup: geo.lookup, now, columnsOf }, head, rows)
        large.set(workspaceId, unknown)
        return undefined
      }
    })
  )
  const appended = yield* log.append(requests, MAX_APPEND)
  return appended.map((each, index): Attempt => {
    const workspaceId = workspaceIds[index] ?? ""
    return { workspaceId, appended: each, large: large.get(workspaceId) ?? [] }
  })
})

/** Appends to one workspace, having parsed its large rows. */
const finish = Effect.fnUntraced(function* (
  context: SequencerContext,
  workspaceId: string,
  first: ReadonlyArray<InboxRow>
) {
  let large = first
  for (;;) {
    const [tried] = yield* attempt(context, [workspaceId], yield* read(context, large))
    if (tried === undefined) return NOTHING
    if (tried.large.length === 0) return tried.appended
    large = tried.large
  }
})

const advance = (context: SequencerContext, workspaceId: string) => finish(context, workspaceId, [])

// Read again each round, so that a workspace that is new has its turn before a busy one has its next.
const round = (context: SequencerContext) =>
  Effect.flatMap(
    context.log.waiting,
    Effect.fnUntraced(function* (workspaces) {
      let count = 0
      let more = false
      const grown: Array<string> = []
      const large: Array<readonly [string, ReadonlyArray<InboxRow>]> = []
      const add = (workspaceId: string, appended: Appended) => {
        count += appended.count
        if (appended.count > 0) grown.push(workspaceId)
        more ||= appended.more
      }
      for (let at = 0; at < workspaces.length; ) {
        // Each append is a separate piece of work, so that this thread serves requests in between.
        if (at > 0) yield* Effect.yieldNow
        const tried = yield* attempt(context, workspaces.slice(at, at + MOST_WORKSPACES), new Map())
        for (const each of tried) {
          if (each.large.length > 0) large.push([each.workspaceId, each.large])
          else add(each.workspaceId, each.appended)
        }
        at += Math.max(1, tried.length)
      }
      // Large rows are parsed after all other rows were appended, those of one workspace a round.
      more ||= large.length > 1
      const next = large.find(([workspaceId]) => workspaceId > context.state.lastLarge) ?? large[0]
      if (next !== undefined) {
        const [workspaceId, rows] = next
        context.state.lastLarge = workspaceId
        add(workspaceId, yield* finish(context, workspaceId, rows))
      }
      return { count, more, grown }
    })
  )

const drain = (context: SequencerContext) =>
  Effect.gen(function* () {
    let total = 0
    for (;;) {
      const { count, more } = yield* round(context)
      total += count
      // Rows that another process is appending are left to it: waiting for them here would be a busy loop.
      if (count === 0 && !more) return total
    }
  })

/** Sequencing over a log. */
export class Sequencer extends Context.Service<Sequencer, SequencerShape>()("@cairn/core/Sequencer") {
  static readonly layer = Layer.effect(
    Sequencer,
    Effect.gen(function* () {
      const context: SequencerContext = {
        log: yield* EventLog,
        sha256: yield* Sha256,
        random: yield* Randomness,
        geo: yield* GeoIp,
        pace: makePace(),
        state: { lastLarge: "" }
      }
      return Sequencer.of({
        advance: (workspaceId) => advance(context, workspaceId),
        round: round(context),
        drain: drain(context)
      })
    })
  )
}
