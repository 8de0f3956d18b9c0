/** Mail that signs people in while the mail server is away, and who gets mail of a workspace. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { linkIn, startMailBox } from "../support/MailBox.ts"
import {
  addMember,
  memberCommand,
  type PeopleDatabase,
  pathOf,
  peopleDatabases,
  postMember,
  signedInBy,
  whoIs
} from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES } from "../support/TestDatabase.ts"

const folder = temporaryFolder()
killLeftovers()

const SHIFTED_CLOCK = fileURLToPath(new URL("../support/ShiftedClock.mjs", import.meta.url))
/** Seconds by which the first server's clock is late: longer than a link that was asked for is good. */
const LATE = 1_000
/** Seconds until a mail that failed once is tried again, at most; less than a leap that is not believed. */
const RETRY = 10
const PATIENCE = 90_000

/** What became of the mails to an address, the newest last. */
const deliveriesTo = async ({ database, rows }: PeopleDatabase, address: string) => {
  const query = `SELECT status, attempts FROM outbox WHERE target = '${address}' ORDER BY number`
  const found = database.includes("://")
    ? await rows(query)
    : (() => {
        const db = new DatabaseSync(siblingFile(database, "consumers"), { readOnly: true, timeout: 10_000 })
        try {
          return db.prepare(query).all()
        } finally {
          db.close()
        }
      })()
  return found.map(({ status, attempts }) => ({ status, attempts: Number(attempts) }))
}

const ask = async (baseUrl: string, email: string) => {
  const { status, text } = await new HttpBrowser().submit(`${baseUrl}/sign-in/email`, { email })
  assert.strictEqual(status, 200, text)
}

const BODY_OF_NOW = ["confirmed_at", "signed_in_at", "expires_at", "sessions_from", "managed_by"]
const TABLES = ["session_entry", "session", "person_account", "person", "sign_in_link"]
const COLUMNS = [
  ["member", "address"],
  ["api_key", "created_by"],
  ["api_key", "shortened_at"],
  ["workspace", "key_access_events"],
  ["workspace", "viewer"],
  ["workspace", "closed_at"]
] as const

const FILTERED = ["action", "actor_id", "resource_type", "resource_id", "tenant_id", "session_id"]

const NUMBERED = ["tree_tile", "checkpoint", "published_checkpoint", "consumer", "consumer_row", "alert"]

/** What the migrations of the search index and of keys find: the tables of before, whatever they held. */
const FORMER_ON_POSTGRES = [
  ...["search_frame", "search_part", "search_posting", "search_order", "search_position"].map(
    (name) => `DROP TABLE ${name}`
  ),
  ...["search", "search_position", "event_target"].map((name) => `CREATE TABLE ${name} ()`),
  ...FILTERED.map((name) => `ALTER TABLE event ADD COLUMN ${name} text`),
  "DROP FUNCTION cairn_not_closed",
  ...NUMBERED.map((name) => `DROP TRIGGER ${name}_is_numbered ON ${name}`),
  ...NUMBERED.map((name) => `ALTER TABLE ${name} DROP COLUMN workspace`),
  "DROP FUNCTION cairn_number_row",
  "DROP TABLE idempotency_key",
  "CREATE TABLE idempotency_key (workspace bigint, key text, event_id text, accepted_at bigint)",
  "CREATE FUNCTION cairn_refuse_target_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
]
const FORMER_ON_SQLITE = [
  "CREATE TABLE event_target (workspace INTEGER)",
  ...["action", "actor", "resource_type", "resource_id", "tenant", "session"].map(
    (name) => `CREATE INDEX event_${name} ON event (workspace)`
  )
]

/** Makes a database one of the version before people signed in: its tables, and its members' bodies. */
const makeOld = async ({ database, run, rows }: PeopleDatabase) => {
  const isPostgres = database.includes("://")
  const fields = BODY_OF_NOW.map((name) => (isPostgres ? ` - '${name}'` : `, '$.${name}'`)).join("")
  const columnsOf = async (table: string) => {
    const found = await rows(
      isPostgres
        ? `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}'`
        : `SELECT name FROM pragma_table_info('${table}')`
    )
    return found.map(({ name }) => name)
  }
  const added: Array<string> = []
  for (const [table, column] of COLUMNS)
    if ((await columnsOf(table)).includes(column)) added.push(`ALTER TABLE ${table} DROP COLUMN ${column}`)
  await run(
    isPostgres
      ? `UPDATE member SET body = ((body::jsonb)${fields})::text`
      : `UPDATE member SET body = json_remove(body${fields})`,
    ...TABLES.map((name) => `DROP TABLE ${name}`),
    "DROP INDEX member_address",
    "DROP INDEX api_key_shortened",
    "DROP INDEX workspace_closed",
    ...added,
    ...(isPostgres ? FORMER_ON_POSTGRES : FORMER_ON_SQLITE),
    isPostgres ? "DELETE FROM cairn_migration WHERE number > 22" : "PRAGMA user_version = 15"
  )
}

describe.each(DATABASES)("mail to people on %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)

  it("arrives once the mail server is back, and not at all once its link is of no use", async () => {
    const mail = await startMailBox()
    const people = await newDatabase()
    const { database } = people
    const { workspaceId } = await makeTenant("Acme", { database })
    for (const name of ["soon", "late", "last"])
      await addMember({ database }, workspaceId, `${name}@example.com`, "admin")
    const clock = join(folder, `clock-${kind}`)
    const shift = (seconds: number) => writeFileSync(clock, String(seconds))
    const options = {
      database,
      preload: [SHIFTED_CLOCK],
      variables: { ...mail.variables, TEST_CLOCK_FILE: clock }
    }
    const failed = (address: string) =>
      eventually(
        "the mail was tried",
        async () => (await deliveriesTo(people, address))[0]?.attempts === 1 || undefined,
        PATIENCE
      )
    shift(-LATE)
    const first = await startServer(options)
    await mail.down()
    await ask(first.baseUrl, "soon@example.com")
    await failed("soon@example.com")
    await mail.up()
    shift(RETRY - LATE)
    const [soon] = await mail.to("soon@example.com", 1)
    const link = soon === undefined ? "" : linkIn(soon)
    const browser = await signedInBy(pathOf(link), first.baseUrl)
    assert.strictEqual((await whoIs(browser, first.baseUrl)).email, "soon@example.com")

    await mail.down()
    await ask(first.baseUrl, "late@example.com")
    await failed("late@example.com")
    await first.stop()
    shift(0)
    await mail.up()
    const second = await startServer(options)
    await ask(second.baseUrl, "last@example.com")
    await mail.to("last@example.com", 1)
    await eventually(
      "the old mail is given up",
      async () => (await deliveriesTo(people, "late@example.com"))[0]?.status === "failed" || undefined,
      PATIENCE
    )
    const recipients = mail.delivered().flatMap((one) => one.recipients)
    assert.deepStrictEqual(recipients, ["soon@example.com", "last@example.com"])
    await second.stop()
  })

  it("goes on to members of before, and begins for a new one when it has opened its invitation", async () => {
    const mail = await startMailBox()
    const people = await newDatabase()
    const { database } = people
    const tenant = await makeTenant("Acme", { database })
    await memberCommand({ database }, "add", "-w", tenant.workspaceId, "Old@example.com", "--role", "owner")
    await makeOld(people)
    const { baseUrl, stop } = await startServer({ database, variables: mail.variables })
    const client = apiClient(baseUrl, tenant.key)
    const rule = { name: "Twice", rule_type: "repeated_action", parameters: { threshold: 2 } }
    assert.strictEqual((await client.request("POST", "/api/v1/alert-rules", rule)).status, 201)
    /** Raises an alert, and waits until the mails of it are settled. */
    const alert = async (actor_id: string) => {
      const event = { actor_id, action: "document.deleted" }
      await client.acceptBatch([event, event])
    }
    const subjects = (address: string) =>
      mail
        .delivered()
        .filter(({ recipients }) => recipients.includes(address))
        .map(({ mail: { text } }) => /first|second|You are invited/.exec(text ?? "")?.[0])

    await postMember(client, "new@example.com", "owner")
    const [invitation] = await mail.to("new@example.com", 1)
    await alert("first")
    await mail.to("Old@example.com", 1)
    const link = invitation === undefined ? "" : linkIn(invitation)
    await signedInBy(pathOf(link), baseUrl)
    await alert("second")
    await mail.to("Old@example.com", 2)
    await mail.to("new@example.com", 2)
    assert.deepStrictEqual(subjects("Old@example.com"), ["first", "second"])
    assert.deepStrictEqual(subjects("new@example.com"), ["You are invited", "second"])

    // Its address is known as of old, too.
    await ask(baseUrl, "OLD@example.com")
    const [, , asked] = await mail.to("Old@example.com", 3)
    const browser = await signedInBy(pathOf(asked === undefined ? "" : linkIn(asked)), baseUrl)
    assert.strictEqual((await whoIs(browser, baseUrl)).email, "Old@example.com")
    await stop()
  })
})
