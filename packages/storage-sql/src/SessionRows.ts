/** Sessions, and the workspaces that each has been used for, over any SQL client. */
import type { Micros } from "@cairn/core/encoding"
import { type EnteredSession, Session, SessionEntry, Sessions } from "@cairn/core/people"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { pruneRows } from "./PrunedRows.ts"
import { readableRows } from "./ReadableRows.ts"
import { isKept } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"

const decodeSession = Schema.decodeUnknownEffect(Session)
const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Session))
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(SessionEntry))

/** A session with the columns of its entry. Nothing that is listed was ended for its workspace. */
const decodeEntered = Schema.decodeUnknownEffect(
  Schema.Struct({
    ...Session.fields,
    workspace_id: Schema.String,
    member_id: Schema.String,
    entered_at: Schema.Number
  })
)

const readEntered = (row: unknown) =>
  Effect.map(
    decodeEntered(row),
    ({ workspace_id, member_id, entered_at, ...session }): EnteredSession => ({
      session,
      entry: { session_id: session.id, workspace_id, member_id, entered_at, ended_at: null }
    })
  )

const SESSION = [
  "id",
  "person_id",
  "secret_hash",
  "method",
  "client_address",
  "user_agent",
  "created_at",
  "last_used_at",
  "expires_at",
  "ended_at"
]
const ENTRY = "session_id, workspace_id, member_id, entered_at, ended_at"

type Store = Sessions["Service"]

/** Opening sessions, and finding them. */
const personSessions = (sql: SqlClient.SqlClient): Pick<Store, "open" | "find" | "ofPerson" | "touch"> => {
  const columns = sql.literal(SESSION.join(", "))
  const readSessions = readableRows("session", decodeSession)
  return {
    open: ({ id, person_id, secret_hash, method, client_address, user_agent, ...times }) =>
      sql`
        INSERT INTO session (${columns})
        VALUES (${id}, ${person_id}, ${secret_hash}, ${method}, ${client_address}, ${user_agent},
          ${times.created_at}, ${times.last_used_at}, ${times.expires_at}, ${times.ended_at})`.pipe(
        Effect.asVoid,
        unavailable("open a session")
      ),
    find: (secretHash) =>
      !isKept(secretHash)
        ? Effect.succeedNone
        : sql`SELECT ${columns} FROM session WHERE secret_hash = ${secretHash}`.pipe(
            Effect.flatMap(decodeSessions),
            Effect.map(([session]) => Option.fromNullishOr(session)),
            unavailable("find a session")
          ),
    ofPerson: (personId) =>
      !isKept(personId)
        ? Effect.succeed([])
        : sql`
            SELECT ${columns} FROM session WHERE person_id = ${personId} AND ended_at IS NULL
            ORDER BY created_at DESC, id DESC`.pipe(
            Effect.flatMap(readSessions),
            unavailable("list sessions")
          ),
    // Each by itself: a transaction would hold the rows of some while it waits for another's, which may be
    // ended at that moment.
    touch: (used) =>
      Effect.forEach(
        used,
        ([id, at]) => sql`
          UPDATE session SET last_used_at = ${at}
          WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${at})`,
        { discard: true }
      ).pipe(unavailable("note the use of sessions"))
  }
}

/** Ends the sessions of a condition that have not ended; returns how many. */
const end = (sql: SqlClient.SqlClient, condition: Statement.Fragment, at: Micros.Micros) =>
  sql`UPDATE session SET ended_at = ${at} WHERE ${condition} AND ended_at IS NULL RETURNING id`.pipe(
    Effect.map(({ length }) => length),
    unavailable("end sessions")
  )

/** Ending sessions for all workspaces, and removing those that have ended. */
const endings = (sql: SqlClient.SqlClient): Pick<Store, "end" | "endAll" | "prune"> => ({
  end: (personId, id, at) =>
    isKept(personId) && isKept(id)
      ? Effect.map(end(sql, sql`id = ${id} AND person_id = ${personId}`, at), (ended) => ended > 0)
      : Effect.succeed(false),
  endAll: (personId, at, except) =>
    isKept(personId)
      ? end(
          sql,
          except === null || !isKept(except)
            ? sql`person_id = ${personId}`
            : sql`person_id = ${personId} AND id <> ${except}`,
          at
        )
      : Effect.succeed(0),
  prune: Effect.fn("Sessions.prune")(function* (before: Micros.Micros) {
    const sessions = {
      table: "session",
      key: "id",
      before,
      first: (ids: ReadonlyArray<string>) => sql`DELETE FROM session_entry WHERE ${sql.in("session_id", ids)}`
    }
    // Served by session_expiry and session_end.
    const expired = yield* pruneRows(sql, { ...sessions, time: "expires_at" })
    return expired + (yield* pruneRows(sql, { ...sessions, time: "ended_at" }))
  }, unavailable("remove old sessions"))
})

/** Entries: the use of sessions for workspaces. */
const entries = (sql: SqlClient.SqlClient): Pick<Store, "enter" | "entry" | "inWorkspace"> => {
  const columns = sql.literal(ENTRY)
  const readAllEntered = readableRows("session", readEntered)

  const selectEntry = (sessionId: string, workspaceId: string) =>
    sql`
      SELECT ${columns} FROM session_entry
      WHERE session_id = ${sessionId} AND workspace_id = ${workspaceId}`.pipe(Effect.flatMap(decodeEntries))

  return {
    enter: Effect.fn("Sessions.enter")(function* (entry: SessionEntry) {
      const { session_id, workspace_id, member_id, entered_at, ended_at } = entry
      yield* sql`
        INSERT INTO session_entry (${columns})
        VALUES (${session_id}, ${workspace_id}, ${member_id}, ${entered_at}, ${ended_at})
        ON CONFLICT (session_id, workspace_id) DO NOTHING`
      const [stored] = yield* selectEntry(session_id, workspace_id)
      return stored ?? (yield* Effect.fail(new Error("the session was removed meanwhile")))
    }, unavailable("enter a workspace")),
    entry: (sessionId, workspaceId) =>
      !isKept(sessionId) || !isKept(workspaceId)
        ? Effect.succeedNone
        : selectEntry(sessionId, workspaceId).pipe(
            Effect.map(([stored]) => Option.fromNullishOr(stored)),
            unavailable("find a session's entry")
          ),
    inWorkspace: (workspaceId, memberId) =>
      !isKept(workspaceId) || !isKept(memberId ?? "")
        ? Effect.succeed([])
        : sql`
            SELECT ${sql.literal(SESSION.map((name) => `s.${name}`).join(", "))}, e.workspace_id, e.member_id, e.entered_at
            FROM session_entry e JOIN session s ON s.id = e.session_id
            WHERE e.workspace_id = ${workspaceId} ${memberId === null ? sql`` : sql`AND e.member_id = ${memberId}`}
              AND e.ended_at IS NULL AND s.ended_at IS NULL
            ORDER BY e.entered_at DESC, e.session_id DESC`.pipe(
            Effect.flatMap(readAllEntered),
            unavailable("list the sessions of a workspace")
          )
  }
}

/** Ends entries of a workspace that have not ended; returns how many. */
const leave = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  condition: Statement.Fragment,
  at: Micros.Micros
) =>
  sql`
    UPDATE session_entry SET ended_at = ${at}
    WHERE workspace_id = ${workspaceId} AND ${condition} AND ended_at IS NULL RETURNING session_id`.pipe(
    Effect.map(({ length }) => length),
    unavailable("end sessions for a workspace")
  )

/** Ending sessions for one workspace. */
const leaving = (sql: SqlClient.SqlClient): Pick<Store, "leave" | "leaveAll"> => ({
  leave: (workspaceId, sessionId, at) =>
    isKept(workspaceId) && isKept(sessionId)
      ? Effect.map(leave(sql, workspaceId, sql`session_id = ${sessionId}`, at), (left) => left > 0)
      : Effect.succeed(false),
  leaveAll: (workspaceId, memberId, at) =>
    isKept(workspaceId) && isKept(memberId)
      ? leave(sql, workspaceId, sql`member_id = ${memberId}`, at)
      : Effect.succeed(0)
})

/** The sessions, in `session` and `session_entry` of the database that holds `workspace`. */
export const layer = Layer.effect(
  Sessions,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Sessions.of({ ...personSessions(sql), ...endings(sql), ...entries(sql), ...leaving(sql) })
  )
)
