/** Mails that sign people in, over a real mail server: they arrive, and their secrets are nowhere else. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { linkIn, startMailBox } from "../support/MailBox.ts"
import {
  hashOf,
  listMembers,
  memberCommand,
  pathOf,
  postMember,
  signedInBy,
  statusOfEvents,
  whoIs
} from "../support/SignInSteps.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** The files below a folder that hold one of these texts or bytes. */
const filesWith = (folder: string, wanted: ReadonlyArray<string | Buffer>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name)
    // What is written meanwhile may come and go.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    const bytes = readFileSync(path)
    return wanted.some((one) => bytes.includes(one))
  })

/** A secret in each way that it could be written. */
const writings = (secret: string): ReadonlyArray<string | Buffer> => {
  const bytes = Buffer.from(secret, "base64url")
  return [secret, bytes, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")]
}

const decodeDeliveries = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, status: Schema.String })) })
)

const tokenOf = (link: string): string => new URL(link).searchParams.get("token") ?? ""

/** Where a database keeps its files, besides how it is made. */
interface Place {
  readonly make: () => Promise<{ readonly database: string; readonly folder: string }>
}

const onSqlite = (): Place => {
  const { newDatabase } = testDatabases("SQLite")
  return {
    make: async () => {
      const { database } = await newDatabase()
      return { database, folder: dirname(database) }
    }
  }
}

const onPostgres = (): Place => {
  let postgres: TestPostgres
  let folder = ""
  beforeAll(async () => {
    postgres = await startPostgres({
      beforeStart: (data) => {
        folder = data
      }
    })
  })
  afterAll(() => postgres.stop())
  return { make: async () => ({ database: await postgres.newDatabase(), folder }) }
}

describe.each(DATABASES)("mail that signs people in, on %s", (kind) => {
  const place = kind === "SQLite" ? onSqlite() : onPostgres()

  it("arrives with links that work, whose secrets are in no file, no log and no list", async () => {
    const mail = await startMailBox()
    const { database, folder } = await place.make()
    const tenant = await makeTenant("Acme", { database })
    const { workspaceId } = tenant
    const variables = { ...mail.variables, CAIRN_LOG_LEVEL: "debug" }
    const server = await startServer({ database, variables })
    const { baseUrl } = server
    const secrets: Array<string> = []
    /** Opens the newest link of an address in a new browser, and signs in. */
    const arrive = async (address: string, count: number): Promise<HttpBrowser> => {
      const link = linkIn((await mail.to(address, count))[count - 1] as Parameters<typeof linkIn>[0])
      assert.isTrue(link.startsWith(`${baseUrl}/sign-in/link?`), link)
      const browser = await signedInBy(pathOf(link), baseUrl)
      assert.strictEqual((await whoIs(browser, baseUrl)).email, address)
      secrets.push(tokenOf(link), browser.session ?? "")
      return browser
    }

    // Whoever runs the command has no listener, and knows the service's address.
    const commanding = { database, variables: { ...variables, CAIRN_BASE_URL: baseUrl } }
    await memberCommand(commanding, "add", "-w", workspaceId, "first@example.com", "--role", "owner")
    const [invitation] = await mail.to("first@example.com", 1)
    assert.include(invitation?.mail.text, "Acme")
    assert.strictEqual(invitation?.mail.from?.address, "cairn@example.com")
    const owner = await arrive("first@example.com", 1)
    assert.strictEqual(await statusOfEvents(owner, baseUrl, workspaceId), 200)

    const invite = async (path: string, body?: unknown) => {
      const answer = await owner.api(`${baseUrl}/api/v1${path}`, { method: "POST", body, workspaceId })
      assert.include([201, 202], answer.status, answer.text)
    }
    await invite("/members", { email: "guest@example.com", role: "auditor" })
    const [welcome] = await mail.to("guest@example.com", 1)
    assert.include(welcome?.mail.text, "first@example.com")
    await arrive("guest@example.com", 1)
    const asking = new HttpBrowser()
    const asked = await asking.submit(`${baseUrl}/sign-in/email`, { email: "GUEST@example.com" })
    assert.strictEqual(asked.status, 200)
    await arrive("guest@example.com", 2)
    // One whose links nobody has used.
    await invite("/members", { email: "waiting@example.com", role: "member" })
    const client = apiClient(baseUrl, tenant.key)
    const waiting = (await listMembers(client)).find(({ email }) => email === "waiting@example.com")
    await invite(`/members/${waiting?.id}/invite`)
    const links = (await mail.to("waiting@example.com", 2)).map(linkIn)
    secrets.push(...links.map(tokenOf))
    assert.lengthOf(new Set(secrets), 8)
    for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/)

    const listed: Array<string> = []
    for (const read of [
      (path: string) => owner.api(`${baseUrl}/api/v1${path}`, { workspaceId }),
      async (path: string) => {
        const { status, body } = await client.get(path)
        return { status, text: JSON.stringify(body) }
      }
    ]) {
      const page = await read("/deliveries")
      assert.strictEqual(page.status, 200, page.text)
      const ids = [...page.text.matchAll(/"(dlv_[0-9a-f-]{36})"/g)].map(([, id = ""]) => id)
      assert.isAtLeast(ids.length, 4)
      listed.push(page.text)
      for (const id of ids) listed.push((await read(`/deliveries/${id}`)).text)
      listed.push((await read("/events")).text, (await read("/members")).text)
    }
    assert.include(listed[0], "mail.invitation")
    const shown = [...listed, server.stderr(), server.stdout()].join("\n")
    assert.include(shown, "/sign-in/link", "the log tells of its pages")
    for (const secret of secrets) assert.notInclude(shown, secret)

    const everywhere = secrets.flatMap(writings)
    assert.isNotEmpty(filesWith(folder, [hashOf(secrets[0] ?? "")]), "what is stored is found")
    assert.isEmpty(filesWith(folder, everywhere), "while it runs")
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
    for (const secret of secrets) assert.notInclude(server.stderr() + server.stdout(), secret)
    assert.isNotEmpty(filesWith(folder, [hashOf(secrets[0] ?? "")]))
    assert.isEmpty(filesWith(folder, everywhere), "after it has stopped")
  })

  it("is not told by what a mail server answers that quotes the link", async () => {
    const rejected: Array<string> = []
    const mail = await startMailBox({
      // As filters do that name the address for which they reject a mail.
      onData: (stream, _, done) => {
        const read = async () => {
          const chunks: Array<Buffer> = []
          for await (const chunk of stream) chunks.push(chunk)
          const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "").replaceAll("=3D", "=")
          rejected.push(/https?:\/\/\S+token=[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? "")
          const error = new Error(`5.7.1 blocked for ${rejected.at(-1)}`)
          done(Object.assign(error, { responseCode: 554 }))
        }
        read().catch(done)
      }
    })
    const { database, folder } = await place.make()
    const tenant = await makeTenant("Acme", { database })
    const variables = { ...mail.variables, CAIRN_LOG_LEVEL: "debug" }
    const server = await startServer({ database, variables })
    const client = apiClient(server.baseUrl, tenant.key)
    await postMember(client, "owner@example.com", "owner")
    const { id } = await eventually("the mail is rejected", async () => {
      const { data } = decodeDeliveries((await client.get("/deliveries")).body)
      return data.find(({ status }) => status === "failed")
    })
    const secret = tokenOf(rejected[0] ?? "")
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
    const opened = await new HttpBrowser().open(`${server.baseUrl}/sign-in/link?token=${secret}`)
    assert.strictEqual(opened.status, 200, "the link is good")
    const shown = JSON.stringify((await client.get(`/deliveries/${id}`)).body)
    assert.include(shown, "5.7.1 blocked", "why it was rejected is shown")
    await server.stop()
    assert.notInclude(server.stderr() + server.stdout(), secret)
    assert.notInclude(shown, secret, "what everybody reads who may read deliveries")
    assert.isEmpty(filesWith(folder, writings(secret)))
  })
})
