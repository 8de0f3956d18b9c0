/** Submissions: the transactions that carry anchors to the chain, their nonces and their state. */
import type { AnchorsShape, StoredTransaction, Submission, TransactionPlace } from "@cairn/core/anchor"
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { unavailable } from "./StorageFailure.ts"

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
const decodeTransactions = decode(TransactionRow)
const decodeSubmissions = decode(SubmissionRow)
const decodeIds = decode(Schema.Struct({ id: Schema.String }))
const decodeOwners = decode(Schema.Struct({ chain_id: Schema.Number, account: Schema.String }))
const decodeTimes = decode(Schema.Struct({ at: Schema.NullOr(Schema.Number) }))
const decodeNonce = decode(Schema.Struct({ nonce: Schema.Number }))

const toTransaction = (row: typeof TransactionRow.Type): StoredTransaction => ({
  hash: row.hash,
  raw: row.raw,
  nonce: row.nonce,
  maxFeePerGas: row.max_fee,
  maxPriorityFeePerGas: row.priority_fee,
  signedAt: row.signed_at
})

/** Rolls back and returns false. */
class Lost extends Schema.TaggedError<Lost>()("Lost", {}) {}

/** Stores a signed transaction of a submission, within the caller's transaction. */
const insertTransaction = (
  sql: SqlClient.SqlClient,
  submissionId: string,
  transaction: StoredTransaction
) => sql`
  INSERT INTO anchor_transaction (hash, submission, nonce, raw, max_fee, priority_fee, signed_at)
  VALUES (${transaction.hash}, ${submissionId}, ${transaction.nonce}, ${transaction.raw},
    ${String(transaction.maxFeePerGas)}, ${String(transaction.maxPriorityFeePerGas)}, ${transaction.signedAt})
  ON CONFLICT (hash) DO NOTHING`

/** A submission, and the account whose nonces it uses. */
type Submitted = Pick<Submission, "id" | "chainId" | "account">

/**
 * Takes a nonce for a submission; false if another has it. A second transaction waits here for the first.
 */
const takeNonce = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { id, chainId, account }: Submitted,
  nonce: number
) {
  const rows = yield* sql`
    INSERT INTO anchor_nonce (chain_id, account, nonce, submission) VALUES (${chainId}, ${account}, ${nonce}, ${id})
    ON CONFLICT (chain_id, account, nonce) DO UPDATE SET nonce = excluded.nonce
    WHERE anchor_nonce.submission = excluded.submission
    RETURNING submission AS id`
  return (yield* decodeIds(rows)).length === 1
})

/** Which nonces of an account are used. */
const nonces = (sql: SqlClient.SqlClient): Pick<AnchorsShape, "nextNonce" | "signedUpTo"> => ({
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
    )
})

/** Storing what was signed, before it is sent. */
const signing = (sql: SqlClient.SqlClient): Pick<AnchorsShape, "submit" | "addTransaction"> => ({
  submit: Effect.fnUntraced(
    function* (submission: Submitted, transaction: StoredTransaction, anchorIds: ReadonlyArray<string>) {
      if (!(yield* takeNonce(sql, submission, transaction.nonce))) return yield* new Lost()
      const { id, chainId, account } = submission
      yield* sql`
        INSERT INTO anchor_submission (id, chain_id, account, status, created_at)
        VALUES (${id}, ${chainId}, ${account}, 'open', ${transaction.signedAt})`
      yield* insertTransaction(sql, id, transaction)
      for (const anchorId of anchorIds) {
        const changed = yield* sql`
          UPDATE anchor SET submission = ${id}
          WHERE id = ${anchorId} AND status = 'pending' AND submission IS NULL RETURNING id`
        if (changed.length !== 1) return yield* new Lost()
      }
      return true
    },
    (effect) => sql.withTransaction(effect),
    Effect.catchIf(Schema.is(Lost), () => Effect.succeed(false)),
    unavailable("submit anchors")
  ),
  addTransaction: Effect.fnUntraced(
    function* (submissionId: string, transaction: StoredTransaction) {
      const rows = yield* sql`SELECT chain_id, account FROM anchor_submission WHERE id = ${submissionId}`
      const [submission] = yield* decodeOwners(rows)
      if (submission === undefined) return false
      const { chain_id, account } = submission
      if (!(yield* takeNonce(sql, { id: submissionId, chainId: chain_id, account }, transaction.nonce))) {
        return false
      }
      yield* insertTransaction(sql, submissionId, transaction)
      return true
    },
    (effect) => sql.withTransaction(effect),
    unavailable("store a transaction")
  )
})

/** What became of a submission on its chain. */
const progress = (sql: SqlClient.SqlClient): Pick<AnchorsShape, "markSent" | "confirm" | "reopen"> => ({
  markSent: (submissionId) =>
    Effect.asVoid(
      sql`UPDATE anchor SET status = 'submitted' WHERE submission = ${submissionId} AND status = 'pending'`
    ).pipe(unavailable("mark anchors as sent")),
  confirm: Effect.fnUntraced(
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
  ),
  reopen: Effect.fnUntraced(
    function* (submissionId: string) {
      yield* sql`UPDATE anchor_submission SET status = 'open' WHERE id = ${submissionId}`
      yield* sql`UPDATE anchor SET status = 'submitted' WHERE submission = ${submissionId}`
    },
    (effect) => sql.withTransaction(effect),
    unavailable("reopen a submission")
  )
})

const TRANSACTION = "t.submission, t.hash, t.raw, t.nonce, t.max_fee, t.priority_fee, t.signed_at"

/** Reading submissions and their transactions. */
const stored = (
  sql: SqlClient.SqlClient
): Pick<AnchorsShape, "unsettled" | "transactions" | "newestConfirmed"> => {
  const columns = sql.literal(TRANSACTION)
  return {
    // By `anchor_submission_unsettled`; there are only a few at any time.
    unsettled: Effect.fnUntraced(function* (chainId: number) {
      const found = yield* decodeSubmissions(
        yield* sql`
          SELECT id, account, status, confirmed_hash FROM anchor_submission
          WHERE status <> 'settled' AND chain_id = ${chainId} ORDER BY created_at, id`
      )
      const rows = yield* decodeTransactions(
        yield* sql`
          SELECT ${columns} FROM anchor_transaction t JOIN anchor_submission s ON s.id = t.submission
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
    }, unavailable("read the submissions on their way")),
    // A row for each transaction, of which there are a few a day.
    newestConfirmed: sql`
      SELECT max(created_at) AS at FROM anchor_submission WHERE status <> 'open'`.pipe(
      Effect.flatMap(decodeTimes),
      Effect.map(([row]) => Option.fromNullishOr(row?.at)),
      unavailable("read the newest anchor's time")
    ),
    transactions: (submissionId) =>
      sql`
        SELECT ${columns} FROM anchor_transaction t
        WHERE t.submission = ${submissionId} ORDER BY t.signed_at, t.max_fee`.pipe(
        Effect.flatMap(decodeTransactions),
        Effect.map((rows) => rows.map(toTransaction)),
        unavailable("read the transactions of an anchor")
      )
  }
}

/**
 * The part of the port for submissions, in `anchor_submission`, `anchor_transaction` and `anchor_nonce`.
 */
export const anchorSubmissions = (sql: SqlClient.SqlClient) => ({
  ...nonces(sql),
  ...signing(sql),
  ...progress(sql),
  ...stored(sql)
})
