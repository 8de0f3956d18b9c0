/** What a backup, and a copy in another database, know of people: who they are, and not where they were. */
import { join } from "node:path"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import {
  cairn,
  cairnJson,
  killLeftovers,
  makeTenant,
  type Server,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { CLIENT_SECRET, type OidcProvider, startOidcProvider } from "../support/OidcProvider.ts"
import {
  addMember,
  listMembers,
  operatorLink,
  type ShownMember,
  signedInBy,
  statusOfMe,
  whoIs
} from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

/** The account of Ada, and one of somebody who was given the same address. */
const ADA = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" }
const SUCCESSOR = { ...ADA, sub: "successor" }

describe("a database that is restored or copied", () => {
  let provider: OidcProvider
  let tenant: Tenant
  let members: ReadonlyArray<ShownMember> = []
  let ada = ""
  const original = join(folder, "original", "cairn.db")
  const backup = join(folder, "backup", "cairn.db")
  /** Sessions and links of the database that the next one is made of; some are ended and spent. */
  let browsers: Array<HttpBrowser> = []
  let links: Array<string> = []

  const variables = (): Record<string, string> => ({
    CAIRN_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
    CAIRN_OIDC_ISSUER: provider.issuer,
    CAIRN_OIDC_CLIENT_ID: "cairn",
    CAIRN_OIDC_CLIENT_SECRET: CLIENT_SECRET
  })
  const start = (database: string) => startServer({ database, variables: variables() })

  const byAccount = async (baseUrl: string, { sub }: typeof ADA) => {
    const browser = new HttpBrowser()
    const left = await browser.open(`${baseUrl}/sign-in/oidc`)
    const back = await provider.signIn(left.headers.get("location") ?? "", sub)
    return { browser, ...(await browser.open(back)) }
  }

  const byProvider = async (baseUrl: string): Promise<HttpBrowser> => {
    const { browser, status, text } = await byAccount(baseUrl, ADA)
    assert.strictEqual(status, 303, text)
    return browser
  }

  const linkTo = async (database: string): Promise<string> => {
    const link = await operatorLink({ database, variables: variables() }, "bob@example.com")
    links.push(link)
    return link
  }

  /** Signs both in, and leaves a link that waits beside one that is spent. */
  const signIn = async ({ baseUrl }: Server, database: string) => {
    const ofAda = await byProvider(baseUrl)
    browsers.push(ofAda, await signedInBy(await linkTo(database), baseUrl))
    await linkTo(database)
    return ofAda
  }

  /** Nothing of before signs anybody in; the people and their accounts are those of before. */
  const checkAfter = async ({ baseUrl }: Server) => {
    for (const browser of browsers) assert.strictEqual(await statusOfMe(browser, baseUrl), 401)
    for (const link of links) {
      const opened = await new HttpBrowser().open(`${baseUrl}${link}`)
      assert.strictEqual(opened.status, 404, opened.text)
    }
    assert.deepStrictEqual(await listMembers(apiClient(baseUrl, tenant.key)), members)
    // The account is known, so that no other one signs in with its address.
    const other = await byAccount(baseUrl, SUCCESSOR)
    assert.strictEqual(other.status, 403, other.text)
    assert.isUndefined(other.browser.session)
    const found = await whoIs(await byProvider(baseUrl), baseUrl)
    assert.deepInclude(found, { id: ada, email: "ada@example.com" })
    browsers = []
    links = []
  }

  beforeAll(async () => {
    provider = await startOidcProvider({ accounts: [ADA, SUCCESSOR] })
    const options = { database: original, variables: variables() }
    tenant = await makeTenant("Acme", options)
    await addMember(options, tenant.workspaceId, "ada@example.com", "owner")
    await addMember(options, tenant.workspaceId, "bob@example.com", "auditor")
  })
  afterAll(() => provider.close())

  it("by cairn restore has its people, and no session or link of the backup", {
    timeout: 120_000
  }, async () => {
    const server = await start(original)
    members = await listMembers(apiClient(server.baseUrl, tenant.key))
    const first = await signIn(server, original)
    const { id, session } = await whoIs(first, server.baseUrl)
    ada = id
    await cairnJson(["backup", backup], { database: original })
    // What happens since, the backup does not know.
    const ended = await first.api(`${server.baseUrl}/api/v1/me/sessions/${session.id}`, { method: "DELETE" })
    assert.strictEqual(ended.status, 200)
    await signedInBy(links.at(-1) ?? "", server.baseUrl)
    await server.stop()

    const result = await cairn(["restore", backup, "--replace"], { database: original })
    assert.strictEqual(result.code, 0, result.stderr)
    // The log of since, in which it is recorded who came in, was signed already.
    const accepted = await cairn(["recover", "--accept-loss"], { database: original, variables: variables() })
    assert.strictEqual(accepted.code, 0, accepted.stderr)
    const restored = await start(original)
    await checkAfter(restored)
    await signIn(restored, original)
    await restored.stop()
  })

  const copy = async (from: string, to: string) => {
    const { code, stderr } = await cairn(["copy", "--from", from, "--to", to], {
      database: "unused.db",
      variables: variables()
    })
    assert.strictEqual(code, 0, stderr)
  }

  it("by cairn copy to PostgreSQL and back too", { timeout: 120_000 }, async () => {
    const there = await (await sharedPostgres()).newDatabase()
    assert.lengthOf(browsers, 2)
    await copy(`sqlite:${original}`, there)
    const copied = await start(there)
    await checkAfter(copied)
    await signIn(copied, there)
    await copied.stop()

    assert.lengthOf(browsers, 2)
    const back = join(folder, "back", "cairn.db")
    await copy(there, `sqlite:${back}`)
    const returned = await start(back)
    await checkAfter(returned)
    await returned.stop()
  })
})
