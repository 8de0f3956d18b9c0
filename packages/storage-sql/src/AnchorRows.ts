/** Anchors over any SQL client whose numbers come as numbers. */
import { Anchors } from "@cairn/core/anchor"
import { Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { numberOf, readAnchors } from "./AnchorColumns.ts"
import { anchorPeriods } from "./AnchorPeriods.ts"
import { anchorSubmissions } from "./AnchorSubmissions.ts"
import { isStorable } from "./StorableText.ts"

/** The anchors, in `anchor`, `anchor_submission`, `anchor_transaction` and `anchor_nonce`. */
export const layer = Layer.effect(
  Anchors,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = (operation: string, clauses: Statement.Fragment) => readAnchors(sql, operation, clauses)

    return Anchors.of({
      ...anchorPeriods(sql),
      ...anchorSubmissions(sql),
      unsubmitted: (chainId, endedBy, limit) =>
        read(
          "find anchors to send",
          sql`WHERE a.status = 'pending' AND a.submission IS NULL AND a.chain_id = ${chainId}
              AND a.period_end <= ${endedBy}
            ORDER BY a.created_at, a.workspace LIMIT ${limit}`
        ),
      get: (workspaceId, anchorId) =>
        !isStorable(anchorId)
          ? Effect.succeedNone
          : Effect.map(
              read(
                "read an anchor",
                sql`WHERE a.id = ${anchorId} AND w.id = ${workspaceId} AND a.status <> 'waiting'`
              ),
              ([found]) => Option.fromNullishOr(found)
            ),
      at: (workspaceId, ordinal) =>
        Effect.map(
          read(
            "read an anchor",
            sql`WHERE a.workspace = ${numberOf(sql, workspaceId)} AND a.ordinal = ${ordinal} AND a.status <> 'waiting'`
          ),
          ([found]) => Option.fromNullishOr(found)
        ),
      list: (workspaceId, limit) =>
        read(
          "list anchors",
          sql`WHERE a.workspace = ${numberOf(sql, workspaceId)} AND a.status <> 'waiting'
            ORDER BY a.ordinal DESC LIMIT ${limit}`
        ),
      over: (workspaceId, from, to) =>
        read(
          "read the anchors over events",
          sql`WHERE a.workspace = ${numberOf(sql, workspaceId)} AND a.status <> 'waiting'
            AND a.first_sequence <= ${to} AND a.last_sequence >= ${from} ORDER BY a.ordinal`
        ),
      carriedBy: (submissionId) =>
        read(
          "read the anchors of a submission",
          sql`WHERE a.submission = ${submissionId} ORDER BY a.created_at, a.workspace`
        )
    })
  })
)
