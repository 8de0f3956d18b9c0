/**
 * What people set up in a workspace, over any SQL client: each kind has its own table, with the thing itself
 * as JSON.
 */
import { AlertRules, mendStoredRule, StoredAlertRule } from "@cairn/core/alert"
import type { StorageUnavailable } from "@cairn/core/log"
import { LogStreams, StoredLogStream, Webhook, Webhooks } from "@cairn/core/outbound"
import {
  type AdmitAmong,
  addressKey,
  type CollectionItem,
  Member,
  Members,
  mendStoredMember,
  ViewerKey,
  ViewerKeys,
  type WorkspaceCollection
} from "@cairn/core/workspace"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { aloneInWorkspace } from "./AloneInWorkspace.ts"
import { readableRows } from "./ReadableRows.ts"
import { isKept } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"

const decodeRow = Schema.decodeUnknownEffect(Schema.Struct({ body: Schema.String }))

/**
 * The rows of a table, whose body is the JSON of `schema`. `mend` converts a body that an earlier version
 * wrote differently.
 *
 * A row that cannot be read does not hide others: lists leave it out, and that is logged once. Reading it by
 * its id fails.
 */
const rowsOf = <A>(
  name: string,
  schema: Schema.Codec<A, unknown>,
  mend: (body: unknown) => unknown = (body) => body
) => {
  const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
  const decode = Schema.decodeUnknownEffect(schema)
  const read = (row: unknown) =>
    Effect.flatMap(decodeRow(row), ({ body }) =>
      Effect.flatMap(parse(body), (parsed) => decode(mend(parsed)))
    )
  return {
    name,
    read,
    readAll: readableRows(name, read),
    encode: Schema.encodeEffect(Schema.fromJsonString(schema))
  }
}
type Rows<A> = ReturnType<typeof rowsOf<A>>

/** A collection, whose things can also be created under a condition. */
interface ConditionalCollection<A extends CollectionItem> extends WorkspaceCollection<A> {
  /** Creates a thing if `mayBe`, which is asked in the transaction of the creation; whether it was. */
  readonly createIf: <E, F>(
    mayBe: Effect.Effect<boolean, F>,
    item: A,
    admit?: (existing: ReadonlyArray<A>) => Result.Result<void, E>
  ) => Effect.Effect<boolean, E | StorageUnavailable>
}

/** The columns beside the body by which a thing is looked up. */
type LookUpColumns<A> = (item: A) => Readonly<Record<string, string | null>>

/** The table of a collection, and how its things are read within a transaction. */
interface CollectionTable<A> extends Rows<A> {
  readonly sql: SqlClient.SqlClient
  readonly table: Statement.Fragment
  readonly columns: LookUpColumns<A>
  readonly select: (workspaceId: string, id: string) => Effect.Effect<A | undefined, ReadError>
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<A>, ReadError>
}
type ReadError = SqlError.SqlError | Schema.SchemaError

const collectionTable = <A extends CollectionItem>(
  sql: SqlClient.SqlClient,
  rows: Rows<A>,
  columns: LookUpColumns<A>
): CollectionTable<A> => {
  const table = sql.literal(rows.name)
  return {
    ...rows,
    sql,
    table,
    columns,
    select: (workspaceId, id) =>
      sql`SELECT id, body FROM ${table} WHERE id = ${id} AND workspace_id = ${workspaceId}`.pipe(
        Effect.flatMap(([row]) => (row === undefined ? Effect.succeed(undefined) : rows.read(row)))
      ),
    list: (workspaceId) =>
      sql`SELECT id, body FROM ${table} WHERE workspace_id = ${workspaceId} ORDER BY created_at DESC, id DESC`.pipe(
        Effect.flatMap(rows.readAll)
      )
  }
}

/** Asks `admit` about a change beside the workspace's other things. */
const admitAmong = Effect.fnUntraced(function* <A extends CollectionItem, E>(
  { list }: CollectionTable<A>,
  admit: AdmitAmong<A, E> | undefined,
  before: A,
  after: A | undefined
) {
  if (admit === undefined) return Result.void
  const others = (yield* list(before.workspace_id)).filter(({ id }) => id !== before.id)
  return admit(others, before, after)
})

/** Creating a thing, within the transaction; whether it was, or an error of the caller's own. */
const createRow = Effect.fnUntraced(function* <A extends CollectionItem, E, F>(
  { sql, table, columns, list, encode }: CollectionTable<A>,
  mayBe: Effect.Effect<boolean, F>,
  item: A,
  admit: ((existing: ReadonlyArray<A>) => Result.Result<void, E>) | undefined
) {
  if (!(yield* mayBe)) return Result.succeed(false)
  const admitted: Result.Result<void, E> =
    admit === undefined ? Result.void : admit(yield* list(item.workspace_id))
  if (Result.isFailure(admitted)) return Result.fail(admitted.failure)
  const { id, workspace_id, created_at } = item
  const body = yield* encode(item)
  yield* sql`INSERT INTO ${table} ${sql.insert({ id, workspace_id, created_at, body, ...columns(item) })}`
  return Result.succeed(true)
})

/** Changing a thing, within the transaction; the changed one, or an error of the caller's own. */
const modifyRow = Effect.fnUntraced(function* <A extends CollectionItem, E>(
  stored: CollectionTable<A>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  change: (before: A) => Result.Result<A, E>,
  admit: AdmitAmong<A, E> | undefined
) {
  const { sql, table, columns, select, encode } = stored
  const before = yield* select(workspaceId, id)
  if (before === undefined) return Result.succeed(Option.none<A>())
  const changed = change(before)
  if (Result.isFailure(changed)) return Result.fail(changed.failure)
  const { workspace_id, created_at } = before
  const after = { ...changed.success, id, workspace_id, created_at }
  const admitted = yield* admitAmong(stored, admit, before, after)
  if (Result.isFailure(admitted)) return Result.fail(admitted.failure)
  const body = yield* encode(after)
  yield* sql`
    UPDATE ${table} SET ${sql.update({ body, ...columns(after) })}
    WHERE id = ${id} AND workspace_id = ${workspaceId}`
  return Result.succeed(Option.some<A>(after))
})

/** Removing a thing, within the transaction; whether there was one, or an error of the caller's own. */
const removeRow = Effect.fnUntraced(function* <A extends CollectionItem, E>(
  stored: CollectionTable<A>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  admit: AdmitAmong<A, E> | undefined
) {
  const { sql, table, select } = stored
  // Without anybody to ask it is not read, so that a row that cannot be read can be removed.
  const before = admit === undefined ? undefined : yield* select(workspaceId, id)
  const admitted = before === undefined ? Result.void : yield* admitAmong(stored, admit, before, undefined)
  if (Result.isFailure(admitted)) return Result.fail(admitted.failure)
  const removed = yield* sql`
    DELETE FROM ${table} WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`
  return Result.succeed(removed.length > 0)
})

/** A collection in the table that the rows are of. */
const collection = <A extends CollectionItem>(
  sql: SqlClient.SqlClient,
  rows: Rows<A>,
  columns: LookUpColumns<A> = () => ({})
): ConditionalCollection<A> => {
  const stored = collectionTable(sql, rows, columns)
  const { name, table, readAll, select, list } = stored

  /** Makes a change alone in its workspace. An error of the caller's own is not a failure of the store. */
  const alone = <B, E, F>(
    workspaceId: string,
    operation: string,
    change: Effect.Effect<Result.Result<B, E>, F>
  ): Effect.Effect<B, E | StorageUnavailable> =>
    aloneInWorkspace(sql, workspaceId, change).pipe(unavailable(operation), Effect.flatMap(Effect.fromResult))

  const createIf: ConditionalCollection<A>["createIf"] = (mayBe, item, admit) =>
    alone(item.workspace_id, `create in ${name}`, createRow(stored, mayBe, item, admit))

  return {
    createIf,
    create: (item, admit) => Effect.asVoid(createIf(Effect.succeed(true), item, admit)),
    get: (workspaceId, id) =>
      select(workspaceId, id).pipe(Effect.map(Option.fromNullishOr), unavailable(`read from ${name}`)),
    list: (workspaceId) => list(workspaceId).pipe(unavailable(`list ${name}`)),
    all: sql`SELECT id, body FROM ${table}`.pipe(Effect.flatMap(readAll), unavailable(`list all of ${name}`)),
    modify: (workspaceId, id, change, admit) =>
      alone(workspaceId, `change in ${name}`, modifyRow(stored, { workspaceId, id }, change, admit)),
    remove: (workspaceId, id, admit) =>
      alone(workspaceId, `remove from ${name}`, removeRow(stored, { workspaceId, id }, admit))
  }
}

const makeMembers = Effect.map(SqlClient.SqlClient, (sql) => {
  const rows = rowsOf("member", Member, mendStoredMember)
  const { createIf, ...members } = collection(sql, rows, ({ email }) => ({
    address: isKept(email) ? addressKey(email) : null
  }))

  // The role is a member of the JSON in every body; within one of its texts the quotes would be escaped.
  const firstOwner = (beside: string | null) =>
    sql`
    SELECT id, body FROM member
    WHERE body LIKE ${'%"role":"owner"%'} AND workspace_id <> ${beside ?? ""} ORDER BY created_at, id`.pipe(
      Effect.flatMap(rows.readAll),
      Effect.map(([first]) => Option.fromNullishOr(first))
    )

  // SQLite has one writer at a time anyway.
  const lockAll = sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`LOCK TABLE member IN SHARE ROW EXCLUSIVE MODE`),
    orElse: () => Effect.void
  })
  const isOwnerless = (beside: string | null) => Effect.map(firstOwner(beside), Option.isNone)

  return Members.of({
    ...members,
    firstOwner: (beside) => firstOwner(beside).pipe(unavailable("find an owner")),
    createFirstOwner: (owner, beside, admit) =>
      createIf(Effect.andThen(lockAll, isOwnerless(beside)), owner, admit),
    ofAddress: (address) =>
      !isKept(address)
        ? Effect.succeed([])
        : sql`SELECT id, body FROM member WHERE address = ${addressKey(address)} ORDER BY created_at, id`.pipe(
            Effect.flatMap(rows.readAll),
            unavailable("find the members of an address")
          )
  })
})

/**
 * `AlertRules`, `Webhooks`, `LogStreams`, `Members` and `ViewerKeys`, in the database that holds the table
 * `workspace`.
 */
export const layer = Layer.mergeAll(
  Layer.effect(
    AlertRules,
    Effect.map(SqlClient.SqlClient, (sql) =>
      collection(sql, rowsOf("alert_rule", StoredAlertRule, mendStoredRule))
    )
  ),
  Layer.effect(
    Webhooks,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, rowsOf("webhook", Webhook)))
  ),
  Layer.effect(
    LogStreams,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, rowsOf("log_stream", StoredLogStream)))
  ),
  Layer.effect(Members, makeMembers),
  Layer.effect(
    ViewerKeys,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, rowsOf("viewer_key", ViewerKey)))
  )
)
