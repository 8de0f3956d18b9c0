/** Pages of another origin in the browser of a person who has signed in: they change and read nothing. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { type MailBox, startMailBox } from "../support/MailBox.ts"
import {
  FOREIGN_NAME,
  launchPeopleBrowser,
  newPerson,
  startForeignPages,
  startTlsProxy,
  type TlsProxy
} from "../support/PeopleBrowser.ts"
import { addMember, type PeopleDatabase, peopleDatabases, plantLinks } from "../support/SignInSteps.ts"

/** Who has signed in at each place. */
const PEOPLE = ["ada", "grace", "joan", "mary"].map((name) => `${name}@example.com`)
/** Whose link a page would have somebody else sign in with. */
const MALLORY = "mallory@example.com"

/** What a page can do to another one: a form, which the browser then shows the answer to. */
interface Form {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

const formText = (origin: string, { path, fields }: Form): string => {
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
  return `<form method="post" action="${origin}${path}">${inputs.join("")}</form>`
}

describe.skipIf(noChromium)(`a page of another origin${because}`, () => {
  const { newDatabase } = peopleDatabases("SQLite")
  killLeftovers()
  let people: PeopleDatabase
  let mail: MailBox
  let browser: Browser
  let proxy: TlsProxy
  /** The addresses of the service, and for each those of pages that are not its own. */
  const places = new Map<string, { readonly origin: string; readonly foreign: string }>()

  beforeAll(async () => {
    people = await newDatabase()
    const { database } = people
    mail = await startMailBox()
    proxy = await startTlsProxy()
    const { workspaceId } = await makeTenant("Acme", { database })
    for (const address of [...PEOPLE, MALLORY]) await addMember({ database }, workspaceId, address, "admin")
    const { variables } = mail
    const { baseUrl } = await startServer({ database, variables })
    await startServer({ database, variables: { ...variables, ...proxy.variables } })
    browser = await launchPeopleBrowser()
    const [http, https] = [await startForeignPages(false), await startForeignPages(true)]
    const elsewhere = `http://${FOREIGN_NAME}:${http}`
    places.set("of another site, over http", { origin: baseUrl, foreign: elsewhere })
    places.set("of another port of the host, over http", {
      origin: baseUrl,
      foreign: `http://127.0.0.1:${http}`
    })
    places.set("of another site, over https", { origin: proxy.origin, foreign: elsewhere })
    places.set("of another port of the host, over https", {
      origin: proxy.origin,
      foreign: `https://localhost:${https}`
    })
  })

  const signIn = async (page: Page, origin: string, email: string): Promise<void> => {
    const [path = ""] = await plantLinks(people, [email])
    await page.goto(`${origin}${path}`)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.waitForURL(({ pathname }) => pathname.startsWith("/w/"))
  }

  const sessionsOf = async (context: BrowserContext, origin: string): Promise<ReadonlyArray<string>> => {
    const answer = await context.request.get(`${origin}/api/v1/me/sessions`)
    assert.strictEqual(answer.status(), 200)
    const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }
    return data.map(({ id }) => id)
  }

  /** What a page gets of a request: its text, or why there is none. */
  const fetched = (page: Page, url: string, options: object): Promise<string> =>
    page.evaluate<string>(
      `fetch(${JSON.stringify(url)}, ${JSON.stringify({ credentials: "include", ...options })}).then(
        async (answer) => answer.type + " " + answer.status + " " + (await answer.text()),
        () => "kept from the page")`
    )

  it.concurrent.each([
    ["of another site, over http", 0],
    ["of another port of the host, over http", 1],
    ["of another site, over https", 2],
    ["of another port of the host, over https", 3]
  ] as const)("%s, changes and reads nothing, and has nothing in its frame", async (name, index) => {
    const { origin, foreign } = places.get(name) ?? { origin: "", foreign: "" }
    const email = PEOPLE[index] ?? ""
    const { context, page } = await newPerson(browser)
    const another = await newPerson(browser)
    for (const one of [page, another.page]) await signIn(one, origin, email)
    await another.context.close()
    const sessions = await sessionsOf(context, origin)
    assert.lengthOf(sessions, 2)
    const session = async () => (await context.cookies(origin)).filter((cookie) => /cairn$/.test(cookie.name))
    const cookies = await session()
    assert.lengthOf(cookies, 1)
    const [trap = ""] = await plantLinks(people, [MALLORY])
    const token = trap.split("=").at(-1) ?? ""
    const unharmed = async (what: string) => {
      assert.deepStrictEqual(await sessionsOf(context, origin), sessions, what)
      assert.deepStrictEqual(await session(), cookies, what)
    }

    const forms: ReadonlyArray<Form> = [
      { path: "/sign-out", fields: {} },
      { path: "/sign-in/link", fields: { token } },
      { path: "/sign-in/email", fields: { email } },
      { path: "/account/sessions/end", fields: { session: sessions[0] ?? "" } },
      { path: "/account/sessions/end-others", fields: {} }
    ]
    for (const form of forms) {
      await page.goto(foreign)
      const answered = page.waitForResponse((response) => response.url() === `${origin}${form.path}`)
      await page.evaluate(
        `document.body.innerHTML = ${JSON.stringify(formText(origin, form))}; document.forms[0].submit()`
      )
      // Without the cookie a person is sent to sign in first.
      assert.include([303, 403], (await answered).status(), form.path)
      await page.waitForURL((url) => url.origin === origin)
      assert.match(
        await page.getByRole("heading", { level: 1 }).innerText(),
        /^(Nothing was done|Sign in|Sign-in needs https)$/
      )
      await unharmed(form.path)
    }

    await page.goto(foreign)
    for (const path of ["/api/v1/me", "/api/v1/me/sessions", "/account", "/sign-in"]) {
      const url = `${origin}${path}`
      assert.strictEqual(await fetched(page, url, {}), "kept from the page", path)
      assert.strictEqual(await fetched(page, url, { mode: "no-cors" }), "opaque 0 ", path)
    }
    for (const path of ["/api/v1/me/sessions", `/api/v1/me/sessions/${sessions[0]}`])
      assert.strictEqual(await fetched(page, `${origin}${path}`, { method: "DELETE" }), "kept from the page")
    for (const { path, fields } of forms) {
      const body = new URLSearchParams(fields).toString()
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      const options = { method: "POST", mode: "no-cors", headers, body }
      assert.strictEqual(await fetched(page, `${origin}${path}`, options), "opaque 0 ", path)
    }
    await unharmed("requests of a script")

    for (const path of ["/account", "/sign-in", trap]) {
      await page.goto(foreign)
      const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"))
      await page.evaluate(
        `document.body.innerHTML = '<iframe src="${origin}${path}" width="600" height="600"></iframe>'`
      )
      await refused
      const frame = page.frames()[1]
      assert.isFalse(frame?.url().startsWith(origin), frame?.url())
      assert.strictEqual(await frame?.locator("form").count(), 0)
    }

    const popup = page.waitForEvent("popup")
    await page.evaluate(`void (globalThis.opened = open("${origin}/account"))`)
    await (await popup).waitForLoadState()
    const read =
      "(() => { try { return opened.document.body.innerText } catch (error) { return error.name } })()"
    assert.strictEqual(await page.evaluate<string>(read), "SecurityError")
    await unharmed("frames and windows")
    assert.isEmpty(mail.delivered(), "nobody has asked for a mail")
    const looked = await new HttpBrowser().open(`${places.get("of another site, over http")?.origin}${trap}`)
    assert.strictEqual(looked.status, 200, "the link is not spent")
    await context.close()
  })
})
