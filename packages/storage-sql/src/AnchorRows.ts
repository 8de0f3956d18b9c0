/** Anchors over any SQL client whose numbers come as numbers. */
import {
  type AnchorCreation,
  AnchorSchedule,
  Anchors,
  type ClosedPeriod,
  type StoredAnchor,
  type StoredTransaction,
  type Submission,
  type TransactionPlace,
  type Unanchored
} from "@cairn/core"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isStorable } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"

const period = {
  id: Schema.String,
  workspace_id: Schema.String,
  ordinal: Schema.Number,
  first_sequence: Schema.Number,
  last_sequence: Schema.Number,
  first_event_hash: Schema.String,
  last_event_hash: Schema.String,
  merkle_root: Schema.String,
  period_start: Schema.Number,
  period_end: Schema.Number
}

/** A row of `anchor` that is one, with the place of its transaction if that was confirmed. */
const AnchorRow = Schema.Struct({
  ...period,
  status: Schema.Literals(["pending", "submitted", "confirmed"]),
  previous_anchor_hash: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  chain_id: Schema.NullOr(Schema.Number),
  submission: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  block_number: Schema.NullOr(Schema.Number),
  block_hash: Schema.NullOr(Schema.String)
})

/** A closed period, and what matters of the anchor before it. */
const RipeRow = Schema.Struct({
  ...period,
  previous_root: Schema.NullOr(Schema.String),
  previous_tx_hash: Schema.NullOr(Schema.String)
})

const UnanchoredRow = Schema.Struct({
  workspace_id: Schema.String,
  last_ordinal: Schema.Number,
  last_sequence: Schema.Number,
  previous_end: Schema.NullOr(Schema.Number),
  first_created_at: Schema.Number,
  last_created_at: Schema.Number,
  every_seconds: Schema.NullOr(AnchorSchedule.fields.every_seconds),
  offset_seconds: Schema.NullOr(AnchorSchedule.fields.offset_seconds)
})

const TransactionRow = Schema.Struct({
  submission: Schema.String,
  hash: Schema.String,
  raw: Schema.String,
  nonce: Schema.Number,
  max_fee: Schema.BigIntFromString,
  priority_fee: Schema.BigIntFromString,
  signed_at: Schema.Number
})

const SubmissionRow = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  status: Schema.Literals(["open", "confirmed"]),
  confirmed_hash: Schema.NullOr(Schema.String)
})

const decode = <S extends Schema.Constraint>(row: S) => Schema.decodeUnknownEffect(Schema.Array(row))
const decodeAnchors = decode(AnchorRow)
const decodeRipe = decode(RipeRow)
const decodeUnanchored = decode(UnanchoredRow)
const decodeTransactions = decode(TransactionRow)
const decodeSubmissions = decode(SubmissionRow)
const decodeIds = decode(Schema.Struct({ id: Schema.String }))
const decodeHashes = decode(Schema.Struct({ hashes: Schema.NullOr(Schema.String) }))
const decodeOwners = decode(Schema.Struct({ chain_id: Schema.Number, account: Schema.String }))
const decodeNonce = decode(Schema.Struct({ nonce: Schema.Number }))

const toPeriod = (row: Omit<typeof RipeRow.Type, "previous_root" | "previous_tx_hash">): ClosedPeriod => ({
  id: row.id,
  workspaceId: row.workspace_id,
  ordinal: row.ordinal,
  start: row.period_start,
  end: row.period_end,
  firstSequence: row.first_sequence,
  lastSequence: row.last_sequence,
  firstEventHash: row.first_event_hash,
  lastEventHash: row.last_event_hash,
  merkleRoot: row.merkle_root
})

const toPlace = ({ tx_hash, block_number, block_hash }: typeof AnchorRow.Type): TransactionPlace | null =>
  tx_hash === null || block_number === null || block_hash === null
    ? null
    : { hash: tx_hash, blockNumber: block_number, blockHash: block_hash }

const toAnchor = (row: typeof AnchorRow.Type): StoredAnchor => ({
  ...toPeriod(row),
  status: row.status,
  previousAnchorHash: row.previous_anchor_hash,
  createdAt: row.created_at,
  chainId: row.chain_id,
  submissionId: row.submission,
  place: toPlace(row)
})

const toUnanchored = (row: typeof UnanchoredRow.Type): Unanchored => ({
  workspaceId: row.workspace_id,
  ordinal: row.last_ordinal + 1,
  firstSequence: row.last_sequence + 1,
  firstCreatedAt: row.first_created_at,
  lastCreatedAt: row.last_created_at,
  previousEnd: row.previous_end,
  schedule:
    row.every_seconds === null || row.offset_seconds === null
      ? null
      : { every_seconds: row.every_seconds, offset_seconds: row.offset_seconds }
})

const toTransaction = (row: typeof TransactionRow.Type): StoredTransaction => ({
  hash: row.hash,
  raw: row.raw,
  nonce: row.nonce,
  maxFeePerGas: row.max_fee,
  maxPriorityFeePerGas: row.priority_fee,
  signedAt: row.signed_at
})

const PERIOD_COLUMNS =
  "a.id, w.id AS workspace_id, a.ordinal, a.first_sequence, a.last_sequence, a.first_event_hash, a.last_event_hash, " +
  "a.merkle_root, a.period_start, a.period_end"

const ANCHOR_COLUMNS =
  `${PERIOD_COLUMNS}, a.status, a.previous_anchor_hash, a.created_at, a.chain_id, a.submission, a.tx_hash, ` +
  "a.block_number, a.block_hash"

/** The anchors, in `anchor`, `anchor_submission`, `anchor_transaction`, `anchor_nonce` and `anchor_schedule`. */
export const layer = Layer.effect(
  Anchors,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const periodColumns = sql.literal(PERIOD_COLUMNS)
    const anchorColumns = sql.literal(ANCHOR_COLUMNS)
    const numberOf = (workspaceId: string) => sql`(SELECT number FROM workspace WHERE id = ${workspaceId})`

    /** The last period of each workspace by `anchor`'s primary key, the first event after it by `event`'s. */
    const unanchored = (only: string | null) => sql`
      SELECT w.id AS workspace_id, coalesce(a.ordinal, 0) AS last_ordinal, coalesce(a.last_sequence, 0) AS last_sequence,
        a.period_end AS previous_end, h.created_at AS last_created_at, s.every_seconds, s.offset_seconds,
        (SELECT e.created_at FROM event e
          WHERE e.workspace = h.workspace AND e.sequence > coalesce(a.last_sequence, 0)
          ORDER BY e.sequence LIMIT 1) AS first_created_at
      FROM head h
      JOIN workspace w ON w.number = h.workspace
      LEFT JOIN anchor a ON a.workspace = h.workspace
        AND a.ordinal = (SELECT max(l.ordinal) FROM anchor l WHERE l.workspace = h.workspace)
      LEFT JOIN anchor_schedule s ON s.workspace = h.workspace
      WHERE h.sequence > coalesce(a.last_sequence, 0) ${only === null ? sql`` : sql`AND w.id = ${only}`}
      ORDER BY h.workspace`

    const readUnanchored = (only: string | null) =>
      unanchored(only).pipe(
        // An event that is missing where one should be is for verification to find: it has no time to go by.
        Effect.map((rows) => rows.filter((row) => row.first_created_at !== null)),
        Effect.flatMap(decodeUnanchored),
        Effect.map((rows) => rows.map(toUnanchored)),
        unavailable("find events without an anchor")
      )

    const raiseFloor = Effect.fnUntraced(
      function* (floors: ReadonlyArray<{ readonly workspaceId: string; readonly floor: number }>) {
        // In one order, so that two who raise several do not wait for each other in a circle.
        for (const { workspaceId, floor } of floors.toSorted((a, b) =>
          a.workspaceId < b.workspaceId ? -1 : 1
        )) {
          yield* sql`
            UPDATE head SET created_at = ${floor - 1}
            WHERE workspace = ${numberOf(workspaceId)} AND created_at < ${floor - 1}`
        }
      },
      (effect) => sql.withTransaction(effect),
      unavailable("raise a log's floor")
    )

    const close = Effect.fnUntraced(
      function* (periods: ReadonlyArray<ClosedPeriod>) {
        let count = 0
        for (const one of periods) {
          const stored = yield* sql`
            INSERT INTO anchor (workspace, ordinal, id, first_sequence, last_sequence, first_event_hash, last_event_hash,
              merkle_root, period_start, period_end, status)
            VALUES (${numberOf(one.workspaceId)}, ${one.ordinal}, ${one.id}, ${one.firstSequence}, ${one.lastSequence},
              ${one.firstEventHash}, ${one.lastEventHash}, ${one.merkleRoot}, ${one.start}, ${one.end}, 'waiting')
            ON CONFLICT (workspace, ordinal) DO NOTHING RETURNING id`
          count += stored.length
        }
        return count
      },
      (effect) => sql.withTransaction(effect),
      unavailable("close periods")
    )

    /** By `anchor_waiting`, and the primary key for the one before. */
    const ripe = (limit: number) =>
      sql`
        SELECT ${periodColumns}, p.merkle_root AS previous_root, p.tx_hash AS previous_tx_hash
        FROM anchor a
        JOIN workspace w ON w.number = a.workspace
        LEFT JOIN anchor p ON p.workspace = a.workspace AND p.ordinal = a.ordinal - 1
        WHERE a.status = 'waiting'
          AND (a.ordinal = 1 OR p.status = 'confirmed' OR (p.status = 'pending' AND p.chain_id IS NULL))
        ORDER BY a.workspace, a.ordinal LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeRipe),
        Effect.map((rows) =>
          rows.map((row) => ({
            period: toPeriod(row),
            previous:
              row.previous_root === null
                ? null
                : { merkleRoot: row.previous_root, txHash: row.previous_tx_hash }
          }))
        ),
        unavailable("find the periods whose turn it is")
      )

    const create = Effect.fnUntraced(
      function* (created: ReadonlyArray<AnchorCreation>) {
        let count = 0
        for (const one of created) {
          const changed = yield* sql`
            UPDATE anchor SET status = 'pending', previous_anchor_hash = ${one.previousAnchorHash},
              chain_id = ${one.chainId}, created_at = ${one.createdAt}
            WHERE workspace = ${numberOf(one.workspaceId)} AND ordinal = ${one.ordinal} AND status = 'waiting'
            RETURNING id`
          count += changed.length
        }
        return count
      },
      (effect) => sql.withTransaction(effect),
      unavailable("create anchors")
    )

    const readAnchors = (operation: string, clauses: ReturnType<typeof numberOf>) =>
      sql`SELECT ${anchorColumns} FROM anchor a JOIN workspace w ON w.number = a.workspace ${clauses}`.pipe(
        Effect.flatMap(decodeAnchors),
        Effect.map((rows) => rows.map(toAnchor)),
        unavailable(operation)
      )

    const insertTransaction = (submissionId: string, transaction: StoredTransaction) => sql`
      INSERT INTO anchor_transaction (hash, submission, nonce, raw, max_fee, priority_fee, signed_at)
      VALUES (${transaction.hash}, ${submissionId}, ${transaction.nonce}, ${transaction.raw},
        ${String(transaction.maxFeePerGas)}, ${String(transaction.maxPriorityFeePerGas)}, ${transaction.signedAt})
      ON CONFLICT (hash) DO NOTHING`

    /** Takes a nonce for a submission; false if another has it. Whoever comes second waits here for the first. */
    const takeNonce = Effect.fnUntraced(function* (
      { id, chainId, account }: Pick<Submission, "id" | "chainId" | "account">,
      nonce: number
    ) {
      const rows = yield* sql`
        INSERT INTO anchor_nonce (chain_id, account, nonce, submission) VALUES (${chainId}, ${account}, ${nonce}, ${id})
        ON CONFLICT (chain_id, account, nonce) DO UPDATE SET nonce = excluded.nonce
        WHERE anchor_nonce.submission = excluded.submission
        RETURNING submission AS id`
      return (yield* decodeIds(rows)).length === 1
    })

    /** Rolls back and answers false. */
    class Lost extends Schema.TaggedError<Lost>()("Lost", {}) {}

    const submit = (
      submission: Pick<Submission, "id" | "chainId" | "account">,
      transaction: StoredTransaction,
      anchorIds: ReadonlyArray<string>
    ) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            if (!(yield* takeNonce(submission, transaction.nonce))) return yield* new Lost()
            const { id, chainId, account } = submission
            yield* sql`
              INSERT INTO anchor_submission (id, chain_id, account, status, created_at)
              VALUES (${id}, ${chainId}, ${account}, 'open', ${transaction.signedAt})`
            yield* insertTransaction(id, transaction)
            for (const anchorId of anchorIds) {
              const changed = yield* sql`
                UPDATE anchor SET submission = ${id}
                WHERE id = ${anchorId} AND status = 'pending' AND submission IS NULL RETURNING id`
              if (changed.length !== 1) return yield* new Lost()
            }
            return true
          })
        )
        .pipe(
          Effect.catchIf(Schema.is(Lost), () => Effect.succeed(false)),
          unavailable("submit anchors")
        )

    const addTransaction = Effect.fnUntraced(
      function* (submissionId: string, transaction: StoredTransaction) {
        const rows = yield* sql`SELECT chain_id, account FROM anchor_submission WHERE id = ${submissionId}`
        const [submission] = yield* decodeOwners(rows)
        if (submission === undefined) return false
        const { chain_id, account } = submission
        if (!(yield* takeNonce({ id: submissionId, chainId: chain_id, account }, transaction.nonce))) {
          return false
        }
        yield* insertTransaction(submissionId, transaction)
        return true
      },
      (effect) => sql.withTransaction(effect),
      unavailable("store a transaction")
    )

    const transactionColumns = sql.literal(
      "t.submission, t.hash, t.raw, t.nonce, t.max_fee, t.priority_fee, t.signed_at"
    )

    /** By `anchor_submission_unsettled`; there are a few at a time. */
    const unsettled = Effect.fnUntraced(function* (chainId: number) {
      const found = yield* decodeSubmissions(
        yield* sql`
          SELECT id, account, status, confirmed_hash FROM anchor_submission
          WHERE status <> 'settled' AND chain_id = ${chainId} ORDER BY created_at, id`
      )
      const rows = yield* decodeTransactions(
        yield* sql`
          SELECT ${transactionColumns} FROM anchor_transaction t JOIN anchor_submission s ON s.id = t.submission
          WHERE s.status <> 'settled' AND s.chain_id = ${chainId} ORDER BY t.signed_at, t.max_fee`
      )
      return found.map(
        ({ id, account, status, confirmed_hash }): Submission => ({
          id,
          chainId,
          account,
          confirmed: status === "confirmed",
          confirmedHash: confirmed_hash,
          transactions: rows.filter(({ submission }) => submission === id).map(toTransaction)
        })
      )
    }, unavailable("read the submissions on their way"))

    const confirm = Effect.fnUntraced(
      function* (submissionId: string, place: TransactionPlace, settled: boolean) {
        const { hash, blockNumber, blockHash } = place
        yield* sql`
          UPDATE anchor_submission SET status = ${settled ? "settled" : "confirmed"}, confirmed_hash = ${hash}
          WHERE id = ${submissionId}`
        yield* sql`
          UPDATE anchor SET status = 'confirmed', tx_hash = ${hash}, block_number = ${blockNumber},
            block_hash = ${blockHash}
          WHERE submission = ${submissionId}`
      },
      (effect) => sql.withTransaction(effect),
      unavailable("confirm anchors")
    )

    const reopen = Effect.fnUntraced(
      function* (submissionId: string) {
        yield* sql`UPDATE anchor_submission SET status = 'open' WHERE id = ${submissionId}`
        yield* sql`UPDATE anchor SET status = 'submitted' WHERE submission = ${submissionId}`
      },
      (effect) => sql.withTransaction(effect),
      unavailable("reopen a submission")
    )

    return Anchors.of({
      unanchored: readUnanchored(null),
      unanchoredOf: (workspaceId) =>
        Effect.map(readUnanchored(workspaceId), ([found]) => Option.fromNullishOr(found)),
      raiseFloor,
      eventHashes: (workspaceId, from, to) =>
        // One text for all: a row for each takes three times as long, and a period may have a million.
        sql`
          SELECT string_agg(coalesce(event_hash, ''), ',' ORDER BY sequence) AS hashes FROM event
          WHERE workspace = ${numberOf(workspaceId)} AND sequence BETWEEN ${from} AND ${to}`.pipe(
          Effect.flatMap(decodeHashes),
          Effect.map(([row]) => row?.hashes?.split(",") ?? []),
          unavailable("read the hashes of events")
        ),
      close,
      ripe,
      create,
      unsubmitted: (chainId, endedBy, limit) =>
        readAnchors(
          "find anchors to send",
          sql`WHERE a.status = 'pending' AND a.submission IS NULL AND a.chain_id = ${chainId}
              AND a.period_end <= ${endedBy}
            ORDER BY a.created_at, a.workspace LIMIT ${limit}`
        ),
      nextNonce: (chainId, account) =>
        sql`
          SELECT coalesce(max(n.nonce) + 1, 0) AS nonce FROM anchor_nonce n
          JOIN anchor_submission s ON s.id = n.submission
          WHERE n.chain_id = ${chainId} AND n.account = ${account} AND s.status <> 'settled'`.pipe(
          Effect.flatMap(decodeNonce),
          Effect.map(([row]) => row?.nonce ?? 0),
          unavailable("read the next nonce")
        ),
      signedUpTo: (chainId, account) =>
        sql`
          SELECT coalesce(max(nonce) + 1, 0) AS nonce FROM anchor_nonce
          WHERE chain_id = ${chainId} AND account = ${account}`.pipe(
          Effect.flatMap(decodeNonce),
          Effect.map(([row]) => row?.nonce ?? 0),
          unavailable("read the nonces")
        ),
      submit,
      addTransaction,
      unsettled,
      markSent: (submissionId) =>
        Effect.asVoid(
          sql`UPDATE anchor SET status = 'submitted' WHERE submission = ${submissionId} AND status = 'pending'`
        ).pipe(unavailable("mark anchors as sent")),
      confirm,
      reopen,
      get: (workspaceId, anchorId) =>
        !isStorable(anchorId)
          ? Effect.succeedNone
          : Effect.map(
              readAnchors(
                "read an anchor",
                sql`WHERE a.id = ${anchorId} AND w.id = ${workspaceId} AND a.status <> 'waiting'`
              ),
              ([found]) => Option.fromNullishOr(found)
            ),
      at: (workspaceId, ordinal) =>
        Effect.map(
          readAnchors(
            "read an anchor",
            sql`WHERE a.workspace = ${numberOf(workspaceId)} AND a.ordinal = ${ordinal} AND a.status <> 'waiting'`
          ),
          ([found]) => Option.fromNullishOr(found)
        ),
      list: (workspaceId, limit) =>
        readAnchors(
          "list anchors",
          sql`WHERE a.workspace = ${numberOf(workspaceId)} AND a.status <> 'waiting'
            ORDER BY a.ordinal DESC LIMIT ${limit}`
        ),
      over: (workspaceId, from, to) =>
        readAnchors(
          "read the anchors over events",
          sql`WHERE a.workspace = ${numberOf(workspaceId)} AND a.status <> 'waiting'
            AND a.first_sequence <= ${to} AND a.last_sequence >= ${from} ORDER BY a.ordinal`
        ),
      carriedBy: (submissionId) =>
        readAnchors(
          "read the anchors of a submission",
          sql`WHERE a.submission = ${submissionId} ORDER BY a.created_at, a.workspace`
        ),
      transactions: (submissionId) =>
        sql`
          SELECT ${transactionColumns} FROM anchor_transaction t
          WHERE t.submission = ${submissionId} ORDER BY t.signed_at, t.max_fee`.pipe(
          Effect.flatMap(decodeTransactions),
          Effect.map((rows) => rows.map(toTransaction)),
          unavailable("read the transactions of an anchor")
        ),
      setSchedule: (workspaceId, schedule) =>
        Effect.asVoid(
          schedule === null
            ? sql`DELETE FROM anchor_schedule WHERE workspace = ${numberOf(workspaceId)}`
            : sql`
                INSERT INTO anchor_schedule (workspace, every_seconds, offset_seconds)
                VALUES (${numberOf(workspaceId)}, ${schedule.every_seconds}, ${schedule.offset_seconds})
                ON CONFLICT (workspace) DO UPDATE
                SET every_seconds = excluded.every_seconds, offset_seconds = excluded.offset_seconds`
        ).pipe(unavailable("set the schedule of anchors"))
    })
  })
)
