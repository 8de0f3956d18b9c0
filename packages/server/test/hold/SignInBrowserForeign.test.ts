/** Pages of another origin in the browser of a person who has signed in: they change and read nothing. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { HttpBrowser, tokenIn } from "../support/HttpBrowser.ts"
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

/** A request of a script, and what the script is to get of it. */
interface Fetch {
  readonly url: string
  readonly options: object
  readonly gets: string
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

  /** Signs a person in; what is shown then is not waited for. */
  const signIn = async (page: Page, origin: string, email: string): Promise<void> => {
    const [path = ""] = await plantLinks(people, [email])
    await page.goto(`${origin}${path}`)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.waitForURL(({ pathname }) => pathname.startsWith("/w/"), { waitUntil: "commit" })
  }

  /** Signs the same person in at a browser elsewhere, which shows no page. */
  const signInElsewhere = async (origin: string, email: string): Promise<void> => {
    const [path = ""] = await plantLinks(people, [email])
    const elsewhere = await browser.newContext({ ignoreHTTPSErrors: true })
    const headers = { origin, "sec-fetch-site": "same-origin" }
    const opened = await elsewhere.request.get(`${origin}${path}`, { headers })
    const form = { token: tokenIn(await opened.text()) }
    const answer = await elsewhere.request.post(`${origin}/sign-in/link`, { form, headers, maxRedirects: 0 })
    assert.strictEqual(answer.status(), 303, await answer.text())
    await elsewhere.close()
  }

  const sessionsOf = async (context: BrowserContext, origin: string): Promise<ReadonlyArray<string>> => {
    const answer = await context.request.get(`${origin}/api/v1/me/sessions`)
    assert.strictEqual(answer.status(), 200)
    const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }
    return data.map(({ id }) => id)
  }

  /** What a page gets of each of these requests: its text, or why there is none. */
  const fetched = (page: Page, requests: ReadonlyArray<Fetch>): Promise<ReadonlyArray<string>> =>
    page.evaluate<ReadonlyArray<string>>(
      `Promise.all(${JSON.stringify(requests)}.map(({ url, options }) =>
        fetch(url, { credentials: "include", ...options }).then(
          async (answer) => answer.type + " " + answer.status + " " + (await answer.text()),
          () => "kept from the page")))`
    )

  it.each([
    ["of another site, over http", 0],
    ["of another port of the host, over http", 1],
    ["of another site, over https", 2],
    ["of another port of the host, over https", 3]
  ] as const)("%s, changes and reads nothing, and has nothing in its frame", async (name, index) => {
    const { origin, foreign } = places.get(name) ?? { origin: "", foreign: "" }
    const email = PEOPLE[index] ?? ""
    const { context, page } = await newPerson(browser)
    await signIn(page, origin, email)
    await signInElsewhere(origin, email)
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
      await page.waitForURL((url) => url.origin === origin, { waitUntil: "commit" })
      assert.match(
        await page.getByRole("heading", { level: 1 }).innerText(),
        /^(Nothing was done|Sign in|Sign-in needs https)$/
      )
      await unharmed(form.path)
    }

    await page.goto(foreign)
    const reads = ["/api/v1/me", "/api/v1/me/sessions", "/account", "/sign-in"].flatMap(
      (path): Array<Fetch> => {
        const url = `${origin}${path}`
        return [
          { url, options: {}, gets: "kept from the page" },
          { url, options: { mode: "no-cors" }, gets: "opaque 0 " }
        ]
      }
    )
    const deletes = ["/api/v1/me/sessions", `/api/v1/me/sessions/${sessions[0]}`].map(
      (path): Fetch => ({
        url: `${origin}${path}`,
        options: { method: "DELETE" },
        gets: "kept from the page"
      })
    )
    const posts = forms.map(({ path, fields }): Fetch => {
      const body = new URLSearchParams(fields).toString()
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      return {
        url: `${origin}${path}`,
        options: { method: "POST", mode: "no-cors", headers, body },
        gets: "opaque 0 "
      }
    })
    const requests = [...reads, ...deletes, ...posts]
    assert.deepStrictEqual(
      await fetched(page, requests),
      requests.map(({ gets }) => gets)
    )
    await unharmed("requests of a script")

    const framed = ["/account", "/sign-in", trap]
    let refusals = 0
    const refused = page.waitForEvent("console", (message) => {
      if (message.text().includes("frame-ancestors")) refusals++
      return refusals === framed.length
    })
    const frameTexts = framed.map(
      (path) => `<iframe src="${origin}${path}" width="600" height="600"></iframe>`
    )
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(frameTexts.join(""))}`)
    await refused
    const frames = page.frames().slice(1)
    assert.lengthOf(frames, framed.length)
    for (const frame of frames) {
      assert.isFalse(frame.url().startsWith(origin), frame.url())
      assert.strictEqual(await frame.locator("form").count(), 0)
    }

    const popup = page.waitForEvent("popup")
    await page.evaluate(`void (globalThis.opened = open("${origin}/account"))`)
    const opened = await popup
    await opened.getByRole("heading", { level: 1 }).waitFor()
    assert.strictEqual(opened.url(), `${origin}/account`)
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
