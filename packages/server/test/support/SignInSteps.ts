/** People for trials: members, links that sign them in, and browsers in which they have signed in. */
import { createHash, randomBytes } from "node:crypto"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert } from "@effect/vitest"
import { Schema } from "effect"
import { type ApiClient, errorCode } from "./ApiClient.ts"
import { type CommandOptions, cairn, cairnJson } from "./CairnProcess.ts"
import { HttpBrowser, type PageAnswer, tokenIn } from "./HttpBrowser.ts"
import { type DATABASES, type TestDatabase, testDatabases } from "./TestDatabase.ts"

/** What a trial of people needs of a database. */
export type PeopleDatabase = Pick<TestDatabase, "database" | "rows" | "run">

/** Makes databases of a kind; those of PostgreSQL are on the server that all trials of a run share. */
export const peopleDatabases = (
  kind: (typeof DATABASES)[number]
): { readonly newDatabase: () => Promise<PeopleDatabase> } => {
  if (kind === "SQLite") return testDatabases(kind)
  return {
    newDatabase: async () => {
      const { newDatabase, query } = await sharedPostgres()
      const database = await newDatabase()
      return {
        database,
        rows: (statement) => query(database, statement),
        run: async (...statements) => {
          await query(database, `BEGIN; ${statements.join("; ")}; COMMIT`)
        }
      }
    }
  }
}

/** A member, as the command and the interface show it. */
const ShownMember = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Schema.String,
  confirmed_at: Schema.NullOr(Schema.String)
})
export type ShownMember = typeof ShownMember.Type

const decodeMember = Schema.decodeUnknownSync(ShownMember)
const decodeMade = Schema.decodeUnknownSync(Schema.Struct({ data: ShownMember }))
const decodeMembers = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(ShownMember) }))
const decodeLink = Schema.decodeUnknownSync(Schema.Struct({ url: Schema.String }))

/** Runs `cairn member … --json`, which must succeed. */
export const memberCommand = (options: CommandOptions, ...args: ReadonlyArray<string>): Promise<unknown> =>
  cairnJson(["member", ...args], options)

/** Adds a member by the command; whoever runs it vouches for the address. */
export const addMember = async (
  options: CommandOptions,
  workspaceId: string,
  email: string,
  role: string
): Promise<ShownMember> =>
  decodeMember(await memberCommand(options, "add", "-w", workspaceId, email, "--role", role, "--confirmed"))

/** Adds a member over HTTP. */
export const postMember = async (client: ApiClient, email: string, role: string): Promise<ShownMember> => {
  const answer = await client.request("POST", "/api/v1/members", { email, role })
  assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
  return decodeMade(answer.body).data
}

/** The members of a workspace. */
export const listMembers = async (client: ApiClient): Promise<ReadonlyArray<ShownMember>> =>
  decodeMembers((await client.get("/members", { limit: 100 })).body).data

/** The path of an address of the service. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

/** The path of a link that `cairn member sign-in-link` prints. */
export const operatorLink = async (options: CommandOptions, email: string): Promise<string> =>
  pathOf(decodeLink(await memberCommand(options, "sign-in-link", email)).url)

/** What is stored of a link or session: the SHA-256 of its secret. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex")

const linkRow = (email: string, secret: string, shift: number): string => {
  const now = (Date.now() + shift * 1_000) * 1_000
  const values = [`'${hashOf(secret)}'`, "'mail'", `'${email}'`, `'${email}'`, "NULL", "NULL"]
  return `INSERT INTO sign_in_link (secret_hash, kind, address_key, address, workspace_id, return_to, created_at, expires_at, spent_at)
    VALUES (${values.join(", ")}, ${now}, ${now + 900_000_000}, NULL)`
}

/**
 * Stores a link for each of these addresses as the service does whose clock is ahead by `shift` seconds,
 * where a process for each would take too long; gives their paths.
 */
export const plantLinks = async (
  { run }: Pick<PeopleDatabase, "run">,
  emails: ReadonlyArray<string>,
  shift = 0
): Promise<ReadonlyArray<string>> => {
  const secrets = emails.map(() => randomBytes(32).toString("base64url"))
  await run(...emails.map((email, index) => linkRow(email, secrets[index] ?? "", shift)))
  return secrets.map((secret) => `/sign-in/link?token=${secret}`)
}

/** Does what a page asks for that says how long to wait: all browsers of a trial are one network. */
const patiently = async (request: () => Promise<PageAnswer>): Promise<PageAnswer> => {
  for (;;) {
    const answer = await request()
    if (answer.status !== 429) return answer
    const seconds = Number(answer.headers.get("retry-after"))
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  }
}

/** Opens a link and presses its button, at servers that may be two; gives the last answer. */
export const useLink = async (browser: HttpBrowser, path: string, openAt: string, spendAt = openAt) => {
  const opened = await patiently(() => browser.open(`${openAt}${path}`))
  if (opened.status !== 200) return opened
  const fields = { token: tokenIn(opened.text) }
  return patiently(() => browser.submit(`${spendAt}/sign-in/link`, fields))
}

/** A browser in which the person of a link has signed in. */
export const signedInBy = async (
  path: string,
  baseUrl: string,
  browser = new HttpBrowser()
): Promise<HttpBrowser> => {
  const done = await useLink(browser, path, baseUrl)
  assert.strictEqual(done.status, 303, done.text)
  assert.isDefined(browser.session)
  return browser
}

const Me = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    email: Schema.String,
    session: Schema.Struct({ id: Schema.String })
  })
})
const decodeMe = Schema.decodeUnknownSync(Schema.fromJsonString(Me))

/** Who has signed in, in a browser whose session must be valid. */
export const whoIs = async (browser: HttpBrowser, baseUrl: string): Promise<(typeof Me.Type)["data"]> => {
  const answer = await browser.api(`${baseUrl}/api/v1/me`)
  assert.strictEqual(answer.status, 200, answer.text)
  return decodeMe(answer.text).data
}

/** The status of `GET /api/v1/me`: 200 while the session is valid, and 401 afterwards. */
export const statusOfMe = async (browser: HttpBrowser, baseUrl: string): Promise<number> =>
  (await browser.api(`${baseUrl}/api/v1/me`)).status

/** The status of reading a workspace's events. */
export const statusOfEvents = async (
  browser: HttpBrowser,
  baseUrl: string,
  workspaceId: string
): Promise<number> => (await browser.api(`${baseUrl}/api/v1/events?limit=1`, { workspaceId })).status

/** Fails unless `cairn verify --audit` finds a log valid and every record in it the service's own. */
export const expectNothingForeign = async (options: CommandOptions, workspaceId: string): Promise<void> => {
  const { code, stdout, stderr } = await cairn(["verify", "--audit", "-w", workspaceId], options)
  assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
  assert.include(stdout, "audit: nothing found")
}

/** Fails unless an answer says that it cannot be done now, and when to try again. */
export const expectUnavailable = ({
  status,
  headers,
  text
}: Awaited<ReturnType<HttpBrowser["api"]>>): void => {
  assert.strictEqual(status, 503, text)
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
  const isJson = headers.get("content-type")?.includes("json") === true
  if (isJson) assert.strictEqual(errorCode({ status, headers, body: JSON.parse(text) }), "unavailable")
}
