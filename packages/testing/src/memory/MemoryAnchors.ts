/** Anchors in memory, over the tables of the memory storage. */
import {
  Anchors,
  type ClosedPeriod,
  type RipePeriod,
  type StoredAnchor,
  type StoredTransaction,
  type Submission,
  type Unanchored
} from "@cairn/core/anchor"
import { Context, Effect, Layer, Option } from "effect"
import { MemoryTables } from "./MemoryTables.ts"

/** A period, and the anchor that it has become. */
export interface MemoryPeriod {
  period: ClosedPeriod
  anchor: StoredAnchor | null
}

interface MemorySubmission extends Omit<Submission, "transactions"> {
  readonly transactions: Array<StoredTransaction>
  readonly anchorIds: ReadonlyArray<string>
  settled: boolean
}

/** The tables themselves, for a test to look into and to tamper with. */
export class MemoryAnchorTables extends Context.Service<
  MemoryAnchorTables,
  {
    /** Of each workspace, in order. */
    readonly periods: Map<string, Array<MemoryPeriod>>
    readonly submissions: Map<string, MemorySubmission>
  }
>()("@cairn/testing/MemoryAnchorTables") {
  static readonly layer = Layer.sync(MemoryAnchorTables, () => ({
    periods: new Map<string, Array<MemoryPeriod>>(),
    submissions: new Map<string, MemorySubmission>()
  }))
}

/** The tables, and what every part asks of them. */
const makeTables = Effect.gen(function* () {
  const { workspaces, log } = yield* MemoryTables
  const { periods, submissions } = yield* MemoryAnchorTables
  const periodsOf = (workspaceId: string) => {
    const found = periods.get(workspaceId) ?? []
    periods.set(workspaceId, found)
    return found
  }
  const all = () => Array.from(periods.values()).flat()
  const anchorsOf = (workspaceId: string) => periodsOf(workspaceId).flatMap(({ anchor }) => anchor ?? [])
  /** Changes the anchors of a submission. */
  const change = (submissionId: string, f: (anchor: StoredAnchor) => Partial<StoredAnchor>) => {
    for (const entry of all()) {
      if (entry.anchor?.submissionId === submissionId) entry.anchor = { ...entry.anchor, ...f(entry.anchor) }
    }
  }
  return { workspaces, log, periods, submissions, periodsOf, all, anchorsOf, change }
})

type Tables = Effect.Success<typeof makeTables>
type Service = Anchors["Service"]

/** Periods, from events without one to an anchor that is pending. */
const closing = ({
  workspaces,
  log,
  periods,
  periodsOf
}: Tables): Pick<Service, "unanchored" | "unanchoredOf" | "raiseFloor" | "close" | "ripe" | "create"> => {
  const unanchoredOf = (workspaceId: string): Option.Option<Unanchored> => {
    const { events, head } = log(workspaceId)
    const last = periodsOf(workspaceId).at(-1)?.period
    const first = events.find(({ sequence }) => sequence > Math.max(0, last?.lastSequence ?? 0))
    if (first === undefined) return Option.none()
    return Option.some({
      workspaceId,
      ordinal: (last?.ordinal ?? 0) + 1,
      firstSequence: (last?.lastSequence ?? 0) + 1,
      firstCreatedAt: first.createdAt,
      lastCreatedAt: head.createdAt,
      previousEnd: last?.end ?? null,
      schedule: workspaces.get(workspaceId)?.anchor_schedule ?? null
    })
  }

  const close = (closed: ReadonlyArray<ClosedPeriod>) =>
    closed.filter((period) => {
      const own = periodsOf(period.workspaceId)
      if (own.length !== period.ordinal - 1) return false
      own.push({ period, anchor: null })
      return true
    }).length

  const ripe = (): ReadonlyArray<RipePeriod> =>
    Array.from(periods.values()).flatMap((own): ReadonlyArray<RipePeriod> => {
      const next = own.findIndex(({ anchor }) => anchor === null)
      const [period, before] = [own[next]?.period, own[next - 1]?.anchor]
      if (period === undefined) return []
      if (before === undefined || before === null) return [{ period, previous: null }]
      if (before.status !== "confirmed" && before.chainId !== null) return []
      return [{ period, previous: { merkleRoot: before.merkleRoot, txHash: before.place?.hash ?? null } }]
    })

  return {
    unanchored: Effect.sync(() =>
      Array.from(workspaces.keys()).flatMap((id) => Option.toArray(unanchoredOf(id)))
    ),
    unanchoredOf: (workspaceId) => Effect.sync(() => unanchoredOf(workspaceId)),
    raiseFloor: (floors) =>
      Effect.sync(() => {
        for (const { workspaceId, floor } of floors) {
          const table = log(workspaceId)
          table.head = { ...table.head, createdAt: Math.max(table.head.createdAt, floor - 1) }
        }
      }),
    close: (closed) => Effect.sync(() => close(closed)),
    ripe: (limit) => Effect.sync(() => ripe().slice(0, limit)),
    create: (created) =>
      Effect.sync(
        () =>
          created.filter(({ workspaceId, ordinal, ...fields }) => {
            const entry = periodsOf(workspaceId)[ordinal - 1]
            if (entry === undefined || entry.anchor !== null) return false
            entry.anchor = {
              ...entry.period,
              ...fields,
              status: "pending",
              submissionId: null,
              place: null
            }
            return true
          }).length
      )
  }
}

/** Who holds a nonce, of submissions settled or not. */
const holderOf = (submissions: Tables["submissions"], chainId: number, account: string, nonce: number) =>
  Array.from(submissions.values()).find(
    (one) =>
      one.chainId === chainId &&
      one.account === account &&
      one.transactions.some((transaction) => transaction.nonce === nonce)
  )

/** Submissions and their transactions, before anything is sent. */
const signing = ({
  submissions,
  all
}: Tables): Pick<
  Service,
  "unsubmitted" | "nextNonce" | "signedUpTo" | "submit" | "addTransaction" | "transactions"
> => {
  const nextNonce = (of: (submission: MemorySubmission) => boolean) =>
    Array.from(submissions.values())
      .filter(of)
      .flatMap(({ transactions }) => transactions)
      .reduce((next, { nonce }) => Math.max(next, nonce + 1), 0)

  return {
    unsubmitted: (chainId, endedBy, limit) =>
      Effect.sync(() =>
        all()
          .flatMap(({ anchor }) =>
            anchor?.status === "pending" &&
            anchor.submissionId === null &&
            anchor.chainId === chainId &&
            anchor.end <= endedBy
              ? [anchor]
              : []
          )
          .sort((a, b) => a.createdAt - b.createdAt)
          .slice(0, limit)
      ),
    nextNonce: (chainId, account) =>
      Effect.sync(() =>
        nextNonce((one) => !one.settled && one.chainId === chainId && one.account === account)
      ),
    signedUpTo: (chainId, account) =>
      Effect.sync(() => nextNonce((one) => one.chainId === chainId && one.account === account)),
    submit: ({ id, chainId, account }, transaction, anchorIds) =>
      Effect.sync(() => {
        const ids = new Set(anchorIds)
        const taken = all().some(
          ({ anchor }) => anchor !== null && ids.has(anchor.id) && anchor.submissionId !== null
        )
        if (taken || holderOf(submissions, chainId, account, transaction.nonce) !== undefined) return false
        submissions.set(id, {
          id,
          chainId,
          account,
          confirmed: false,
          confirmedHash: null,
          transactions: [transaction],
          anchorIds,
          settled: false
        })
        for (const entry of all()) {
          if (entry.anchor !== null && ids.has(entry.anchor.id)) {
            entry.anchor = { ...entry.anchor, submissionId: id }
          }
        }
        return true
      }),
    addTransaction: (submissionId, transaction) =>
      Effect.sync(() => {
        const submission = submissions.get(submissionId)
        if (submission === undefined) return false
        const owner = holderOf(submissions, submission.chainId, submission.account, transaction.nonce)
        if (owner !== undefined && owner.id !== submissionId) return false
        if (submission.transactions.every(({ hash }) => hash !== transaction.hash)) {
          submission.transactions.push(transaction)
        }
        return true
      }),
    transactions: (submissionId) => Effect.sync(() => submissions.get(submissionId)?.transactions ?? [])
  }
}

/** What becomes of a submission on the chain. */
const settling = ({
  submissions,
  change,
  all
}: Tables): Pick<
  Service,
  "unsettled" | "markSent" | "confirm" | "reopen" | "newestConfirmed" | "carriedBy"
> => ({
  newestConfirmed: Effect.sync(() => {
    const times = [...submissions.values()].flatMap(({ confirmed, transactions: [first] }) =>
      confirmed && first !== undefined ? [first.signedAt] : []
    )
    return times.length === 0 ? Option.none() : Option.some(Math.max(...times))
  }),
  unsettled: (chainId) =>
    Effect.sync(() =>
      Array.from(submissions.values())
        .filter((one) => !one.settled && one.chainId === chainId)
        .map(({ id, account, confirmed, confirmedHash, transactions }) => ({
          id,
          chainId,
          account,
          confirmed,
          confirmedHash,
          transactions: [...transactions]
        }))
    ),
  markSent: (submissionId) =>
    Effect.sync(() =>
      change(submissionId, ({ status }) => ({ status: status === "pending" ? "submitted" : status }))
    ),
  confirm: (submissionId, { hash, blockNumber, blockHash }, settled) =>
    Effect.sync(() => {
      const submission = submissions.get(submissionId)
      if (submission === undefined) return
      submissions.set(submissionId, { ...submission, confirmed: true, confirmedHash: hash, settled })
      change(submissionId, () => ({ status: "confirmed", place: { hash, blockNumber, blockHash } }))
    }),
  reopen: (submissionId) =>
    Effect.sync(() => {
      const submission = submissions.get(submissionId)
      if (submission === undefined) return
      submissions.set(submissionId, { ...submission, confirmed: false })
      change(submissionId, () => ({ status: "submitted" }))
    }),
  carriedBy: (submissionId) =>
    Effect.sync(() => all().flatMap(({ anchor }) => (anchor?.submissionId === submissionId ? [anchor] : [])))
})

const reading = ({ anchorsOf }: Tables): Pick<Service, "get" | "at" | "list" | "over"> => ({
  get: (workspaceId, anchorId) =>
    Effect.sync(() => Option.fromNullishOr(anchorsOf(workspaceId).find(({ id }) => id === anchorId))),
  at: (workspaceId, ordinal) =>
    Effect.sync(() =>
      Option.fromNullishOr(anchorsOf(workspaceId).find((anchor) => anchor.ordinal === ordinal))
    ),
  list: (workspaceId, limit) => Effect.sync(() => anchorsOf(workspaceId).toReversed().slice(0, limit)),
  over: (workspaceId, from, to) =>
    Effect.sync(() =>
      anchorsOf(workspaceId).filter(
        ({ firstSequence, lastSequence }) => firstSequence <= to && lastSequence >= from
      )
    )
})

const make = Effect.map(makeTables, (tables) =>
  Anchors.of({ ...closing(tables), ...signing(tables), ...settling(tables), ...reading(tables) })
)

/** The port, and the tables beneath it. */
export const layer = Layer.effect(Anchors, make).pipe(Layer.provideMerge(MemoryAnchorTables.layer))
