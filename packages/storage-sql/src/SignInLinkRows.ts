/** Links that sign somebody in, over any SQL client. */
import type { Micros } from "@cairn/core/encoding"
import { type LinkLimit, SignInLink, SignInLinks } from "@cairn/core/people"
import { addressKey } from "@cairn/core/workspace"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { pruneRows } from "./PrunedRows.ts"
import { isKept } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"

const decodeLinks = Schema.decodeUnknownEffect(Schema.Array(SignInLink))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Number })]))

const COLUMNS = "secret_hash, kind, address, workspace_id, return_to, created_at, expires_at, spent_at"

/** "link" as the first key of an advisory lock; the second is the workspace, or the address without one. */
const CREATING = 0x6c696e6b

/** The links, in `sign_in_link` of the database that holds `workspace`. */
export const layer = Layer.effect(
  SignInLinks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const firstOf = (rows: ReadonlyArray<unknown>) =>
      Effect.map(decodeLinks(rows), ([link]) => Option.fromNullishOr(link))

    // There may be no row yet that could be the lock. SQLite has one writer at a time anyway.
    const lock = (key: string) =>
      sql.onDialectOrElse({
        pg: () => sql`SELECT pg_advisory_xact_lock(${CREATING}::int, hashtext(${key}))`,
        orElse: () => Effect.void
      })

    const count = (condition: Statement.Fragment, { kind }: SignInLink, since: Micros.Micros) =>
      sql`
        SELECT count(*) AS count FROM sign_in_link
        WHERE ${condition} AND kind = ${kind} AND created_at >= ${since}`.pipe(
        Effect.flatMap(decodeCount),
        Effect.map(([{ count }]) => count)
      )

    /** Whether there is no room for a link; served by sign_in_link_address and sign_in_link_workspace. */
    const isFull = Effect.fnUntraced(function* (link: SignInLink, limit: LinkLimit) {
      const { workspace_id } = link
      const sameAddress = sql`address_key = ${addressKey(link.address)}`
      if (workspace_id === null) {
        const alike = sql`${sameAddress} AND workspace_id IS NULL`
        return (yield* count(alike, link, limit.since)) >= limit.most
      }
      const inWorkspace = sql`workspace_id = ${workspace_id}`
      if ((yield* count(inWorkspace, link, limit.since)) >= limit.mostOfWorkspace) return true
      return (yield* count(sql`${sameAddress} AND ${inWorkspace}`, link, limit.since)) >= limit.most
    })

    const create = Effect.fn("SignInLinks.create")(
      function* (link: SignInLink, limit: LinkLimit) {
        const key = addressKey(link.address)
        yield* lock(link.workspace_id ?? key)
        if (yield* isFull(link, limit)) return false
        const { secret_hash, kind, address, workspace_id, return_to, created_at, expires_at, spent_at } = link
        yield* sql`
          INSERT INTO sign_in_link (address_key, ${columns})
          VALUES (${key}, ${secret_hash}, ${kind}, ${address}, ${workspace_id}, ${return_to}, ${created_at},
            ${expires_at}, ${spent_at})`
        return true
      },
      (effect) => sql.withTransaction(effect),
      unavailable("create a sign-in link")
    )

    return SignInLinks.of({
      create,
      find: (secretHash) =>
        !isKept(secretHash)
          ? Effect.succeedNone
          : sql`SELECT ${columns} FROM sign_in_link WHERE secret_hash = ${secretHash}`.pipe(
              Effect.flatMap(firstOf),
              unavailable("find a sign-in link")
            ),
      spend: (secretHash, at) =>
        !isKept(secretHash)
          ? Effect.succeedNone
          : sql`
              UPDATE sign_in_link SET spent_at = ${at}
              WHERE secret_hash = ${secretHash} AND spent_at IS NULL AND expires_at > ${at}
              RETURNING ${columns}`.pipe(Effect.flatMap(firstOf), unavailable("spend a sign-in link")),
      // They stay, so that they still count for the limit.
      revoke: (address, workspaceId, at) =>
        !isKept(address) || !isKept(workspaceId ?? "")
          ? Effect.void
          : sql`
              UPDATE sign_in_link SET spent_at = ${at}
              WHERE address_key = ${addressKey(address)} AND spent_at IS NULL
                ${workspaceId === null ? sql`` : sql`AND workspace_id = ${workspaceId}`}`.pipe(
              Effect.asVoid,
              unavailable("revoke sign-in links")
            ),
      // Served by sign_in_link_expiry.
      prune: (before) =>
        pruneRows(sql, { table: "sign_in_link", key: "secret_hash", time: "expires_at", before }).pipe(
          unavailable("remove old sign-in links")
        )
    })
  })
)
