/** Anchors over any SQL client whose numbers come as numbers. */
import { Anchors } from "@cairn/core/anchor"
import { Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { readAnchors } from "./AnchorColumns.ts"
import { anchorPeriods } from "./AnchorPeriods.ts"
import { anchorSubmissions } from "./AnchorSubmissions.ts"
import { isStorable } from "./StorableText.ts"
import { WorkspaceKeys } from "./WorkspaceKeys.ts"

/** The anchors, in `anchor`, `anchor_submission`, `anchor_transaction` and `anchor_nonce`. */
export const layer = Layer.effect(
  Anchors,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* WorkspaceKeys
    const read = (operation: string, clauses: Statement.Fragment) => readAnchors(sql, operation, clauses)
    /** Those of a workspace, which the clauses select by its number. */
    const readOf = (
      operation: string,
      workspaceId: string,
      clauses: (number: Statement.Fragment) => Statement.Fragment
    ) => Effect.flatMap(keys.number(sql, workspaceId), (number) => read(operation, clauses(number)))

    return Anchors.of({
      ...anchorPeriods({ sql, keys }),
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
              readOf(
                "read an anchor",
                workspaceId,
                (number) =>
                  sql`WHERE a.workspace = ${number} AND a.id = ${anchorId} AND a.status <> 'waiting'`
              ),
              ([found]) => Option.fromNullishOr(found)
            ),
      at: (workspaceId, ordinal) =>
        Effect.map(
          readOf(
            "read an anchor",
            workspaceId,
            (number) =>
              sql`WHERE a.workspace = ${number} AND a.ordinal = ${ordinal} AND a.status <> 'waiting'`
          ),
          ([found]) => Option.fromNullishOr(found)
        ),
      list: (workspaceId, limit) =>
        readOf(
          "list anchors",
          workspaceId,
          (number) =>
            sql`WHERE a.workspace = ${number} AND a.status <> 'waiting' ORDER BY a.ordinal DESC LIMIT ${limit}`
        ),
      over: (workspaceId, from, to) =>
        readOf(
          "read the anchors over events",
          workspaceId,
          (number) =>
            sql`WHERE a.workspace = ${number} AND a.status <> 'waiting'
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
