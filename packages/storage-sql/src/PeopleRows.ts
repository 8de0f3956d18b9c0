/** People, and their accounts at identity providers, over any SQL client. */
import { StorageUnavailable } from "@cairn/core/log"
import { AccountConflict, People, Person, type ProviderAccount } from "@cairn/core/people"
import { addressKey } from "@cairn/core/workspace"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { inBatches } from "./RowBatches.ts"
import { isKept } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"

const decodePeople = Schema.decodeUnknownEffect(Schema.Array(Person))
const decodeAccounts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ person_id: Schema.String, subject: Schema.String }))
)
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Fails for a text that would be stored as another one, and so as somebody else's. */
const requireKept = (operation: string, ...texts: ReadonlyArray<string>) =>
  texts.every(isKept)
    ? Effect.void
    : Effect.fail(new StorageUnavailable({ operation, cause: new Error("no database keeps this text") }))

/** The people, in `person` and `person_account` of the database that holds `workspace`. */
export const layer = Layer.effect(
  People,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const select = (condition: Statement.Fragment) =>
      sql`SELECT id, address, created_at FROM person WHERE ${condition}`.pipe(
        Effect.flatMap(decodePeople),
        Effect.map(([person]) => person)
      )

    const find = (condition: Statement.Fragment) =>
      select(condition).pipe(Effect.map(Option.fromNullishOr), unavailable("find a person"))

    const insert = ({ id, address, created_at }: Person) =>
      sql`
        INSERT INTO person (id, address_key, address, created_at)
        VALUES (${id}, ${addressKey(address)}, ${address}, ${created_at})
        ON CONFLICT (address_key) DO NOTHING RETURNING id, address, created_at`.pipe(
        Effect.flatMap(decodePeople),
        Effect.map(([inserted]) => inserted)
      )

    const ensure = Effect.fn("People.ensure")(function* (person: Person) {
      yield* requireKept("store a person", person.address)
      for (;;) {
        const stored =
          (yield* select(sql`address_key = ${addressKey(person.address)}`)) ?? (yield* insert(person))
        if (stored !== undefined) return stored
        // Another process has stored this person in between: the next round finds it.
      }
    }, unavailable("store a person"))

    // Who is bound or forgotten at once waits: what belongs to a person changes under the lock of its row.
    const locked = sql.onDialectOrElse({ pg: () => sql`FOR UPDATE`, orElse: () => sql`` })

    /** Whether the account is the person's from now on. */
    const bind = Effect.fn("People.bind")(
      function* (personId: string, { issuer, subject }: ProviderAccount, at: number) {
        yield* requireKept("bind an account", personId, issuer, subject)
        const people = yield* sql`SELECT id FROM person WHERE id = ${personId} ${locked}`
        if (people.length === 0) return yield* Effect.fail(new Error("there is no such person"))
        const [own] = yield* sql`
          SELECT person_id, subject FROM person_account
          WHERE person_id = ${personId} AND issuer = ${issuer}`.pipe(Effect.flatMap(decodeAccounts))
        if (own !== undefined) return own.subject === subject
        yield* sql`
          INSERT INTO person_account (issuer, subject, person_id, bound_at)
          VALUES (${issuer}, ${subject}, ${personId}, ${at})
          ON CONFLICT (issuer, subject) DO UPDATE SET person_id = excluded.person_id, bound_at = excluded.bound_at`
        return true
      },
      (effect) => sql.withTransaction(effect),
      unavailable("bind an account")
    )

    const forget = (id: string) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT id FROM person WHERE id = ${id} ${locked}`
          const sessions = yield* Effect.flatMap(
            sql`SELECT id FROM session WHERE person_id = ${id} ORDER BY id ${locked}`,
            decodeIds
          )
          for (const ids of inBatches(sessions.map((session) => session.id))) {
            yield* sql`DELETE FROM session_entry WHERE ${sql.in("session_id", ids)}`
          }
          yield* sql`DELETE FROM session WHERE person_id = ${id}`
          yield* sql`DELETE FROM person_account WHERE person_id = ${id}`
          const removed = yield* sql`DELETE FROM person WHERE id = ${id} RETURNING id`
          return removed.length > 0
        })
      )

    return People.of({
      get: (id) => (isKept(id) ? find(sql`id = ${id}`) : Effect.succeedNone),
      ofAddress: (address) =>
        isKept(address) ? find(sql`address_key = ${addressKey(address)}`) : Effect.succeedNone,
      ofAccount: ({ issuer, subject }) =>
        isKept(issuer) && isKept(subject)
          ? find(
              sql`id = (SELECT person_id FROM person_account WHERE issuer = ${issuer} AND subject = ${subject})`
            )
          : Effect.succeedNone,
      ensure,
      bind: (personId, account, at) =>
        Effect.flatMap(bind(personId, account, at), (belongs) =>
          belongs ? Effect.void : Effect.fail(new AccountConflict({ personId }))
        ),
      forget: (id) => (isKept(id) ? forget(id).pipe(unavailable("forget a person")) : Effect.succeed(false))
    })
  })
)
