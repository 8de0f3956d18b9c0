/** Signing in and out in a real browser, as a person does it. */
import { join } from "node:path"
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { killLeftovers, makeTenant, type Server, startServer } from "../support/CairnProcess.ts"
import { linkIn, type MailBox, startMailBox } from "../support/MailBox.ts"
import { CLIENT_SECRET, type OidcProvider, startOidcProvider } from "../support/OidcProvider.ts"
import {
  launchPeopleBrowser,
  newPerson,
  PLAIN_NAME,
  startTlsProxy,
  type TlsProxy
} from "../support/PeopleBrowser.ts"
import { addMember } from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const ADDRESSES = { http: "ada@example.com", https: "grace@example.com", provider: "joan@example.com" }

describe.skipIf(noChromium)(`a person at a browser${because}`, () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  let mail: MailBox
  let provider: OidcProvider
  let proxy: TlsProxy
  /** The service on the machine itself; another server of it is behind the proxy. */
  let plain: Server
  let browser: Browser

  beforeAll(async () => {
    mail = await startMailBox()
    proxy = await startTlsProxy()
    provider = await startOidcProvider({
      accounts: [{ sub: "joan", email: ADDRESSES.provider, email_verified: true, name: "Joan" }],
      redirectUris: [`${proxy.origin}/sign-in/oidc/callback`]
    })
    const { workspaceId } = await makeTenant("Acme", { database })
    for (const address of Object.values(ADDRESSES))
      await addMember({ database }, workspaceId, address, "admin")
    plain = await startServer({ database, variables: mail.variables })
    await startServer({
      database,
      variables: {
        ...mail.variables,
        ...proxy.variables,
        CAIRN_OIDC_ISSUER: provider.issuer,
        CAIRN_OIDC_CLIENT_ID: "cairn",
        CAIRN_OIDC_CLIENT_SECRET: CLIENT_SECRET,
        CAIRN_OIDC_NAME: "Example Identity"
      }
    })
    browser = await launchPeopleBrowser()
  })
  afterAll(() => provider?.close())

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { name, level: 1 }).waitFor()
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

  /** Asks for a link, and opens the one of the mail in another tab; nothing has been pressed there yet. */
  const openLink = async (
    context: BrowserContext,
    page: Page,
    origin: string,
    address: string,
    count: number
  ) => {
    await page.goto(`${origin}/`)
    assert.strictEqual(page.url(), `${origin}/sign-in`)
    await page.getByLabel("E-mail address").fill(address)
    await press(page, "Send me a link")
    await heading(page, "Check your mail")
    const mails = await mail.to(address, count)
    const link = linkIn(mails[count - 1] as Parameters<typeof linkIn>[0])
    assert.isTrue(link.startsWith(origin), link)
    const tab = await context.newPage()
    await tab.goto(link)
    await heading(tab, `Sign in as ${address}`)
    await page.close()
    return tab
  }

  /** From the console, where a sign-in leads, to the account. */
  const toAccount = async (page: Page, origin: string) => {
    await page.waitForURL(({ pathname }) => /^\/(?:w\/.*)?$/.test(pathname))
    await page.goto(`${origin}/account`)
    await heading(page, "Your account")
  }

  /** The same, and presses the one button. */
  const signIn = async (
    context: BrowserContext,
    page: Page,
    origin: string,
    address: string,
    count: number
  ) => {
    const tab = await openLink(context, page, origin, address, count)
    assert.strictEqual(await tab.getByRole("button").count(), 1)
    await press(tab, "Sign in")
    await toAccount(tab, origin)
    await tab.getByText(`You are signed in as ${address}.`).waitFor()
    return tab
  }

  const statusOfMe = async (context: BrowserContext, origin: string) =>
    (await context.request.get(`${origin}/api/v1/me`)).status()

  const sessionsOn = (page: Page) => page.locator("form[action='/account/sessions/end']").count()

  it.each([
    { by: "http on the machine itself", kind: "http", prefix: "" },
    { by: "https through a proxy", kind: "https", prefix: "__Host-" }
  ] as const)(
    "signs in by mail, sees and ends sessions, and leaves nothing behind, over $by",
    async ({ kind, prefix }) => {
      const origin = kind === "http" ? plain.baseUrl : proxy.origin
      const address = ADDRESSES[kind]
      const one = await newPerson(browser)
      // The pages need no scripts.
      const two = await newPerson(browser, { javaScriptEnabled: false })
      const opening = await openLink(one.context, one.page, origin, address, 1)
      const names = async () => (await one.context.cookies()).map(({ name }) => name)
      const [opener, ...none] = await names()
      assert.isEmpty(none)
      assert.isTrue(opener?.startsWith(`${prefix}cairn-link`), opener)
      await press(opening, "Sign in")
      await toAccount(opening, origin)
      const [cookie, ...others] = await one.context.cookies()
      assert.isEmpty(others)
      assert.deepInclude(cookie, {
        name: `${prefix}cairn`,
        httpOnly: true,
        secure: kind === "https",
        sameSite: "Lax",
        path: "/",
        domain: new URL(origin).hostname
      })
      assert.strictEqual(await opening.evaluate<string>("document.cookie"), "")
      assert.strictEqual(await sessionsOn(opening), 1)

      const other = await signIn(two.context, two.page, origin, address, 2)
      const reloaded = await opening.reload()
      assert.strictEqual(reloaded?.headers()["cache-control"], "no-store")
      assert.strictEqual(await sessionsOn(opening), 2)
      await opening.getByText("This session").waitFor()
      // The other one is the second of the list.
      await opening.locator("form[action='/account/sessions/end'] button").nth(1).click()
      await opening.getByText("The session has ended.").waitFor()
      assert.strictEqual(await sessionsOn(opening), 1)
      assert.strictEqual(await statusOfMe(two.context, origin), 401)
      await other.reload()
      await other.getByText("Your session was ended. Sign in again to go on.").waitFor()
      assert.strictEqual(await statusOfMe(one.context, origin), 200)

      await press(opening, "Sign out")
      await heading(opening, "You are signed out")
      assert.isEmpty(await one.context.cookies())
      // Of a page that is shown again as it was left, Playwright learns nothing, and waits in vain.
      for (let steps = 0; steps < 3; steps++) {
        await opening.goBack()
        const shown = await opening.content()
        assert.notInclude(shown, "You are signed in")
        assert.notInclude(shown, "/account/sessions/end")
        assert.strictEqual(await statusOfMe(one.context, origin), 401)
      }
      await one.context.addCookies([cookie as NonNullable<typeof cookie>])
      assert.strictEqual(await statusOfMe(one.context, origin), 401)
      for (const { context } of [one, two]) await context.close()
    }
  )

  it("signs in at the identity provider, and is told when that says no", async () => {
    const { origin } = proxy
    const { context, page } = await newPerson(browser)
    const enter = async () => {
      await page.goto(`${origin}/account`)
      assert.include(page.url(), "/sign-in?")
      await page.getByRole("link", { name: "Continue with Example Identity" }).click()
    }
    await enter()
    // Nobody has chosen an account there.
    await heading(page, "You were not signed in")
    assert.strictEqual(await statusOfMe(context, origin), 401)

    // Chooses one, on the provider's page, which the browser is sent through.
    const devtools = await context.newCDPSession(page)
    await devtools.send("Fetch.enable", { patterns: [{ urlPattern: `${provider.issuer}/interaction/*` }] })
    devtools.on("Fetch.requestPaused", ({ requestId, request }) => {
      void devtools.send("Fetch.continueRequest", { requestId, url: `${request.url}?sub=joan` })
    })
    await enter()
    await heading(page, "Your account")
    await page.getByText(`You are signed in as ${ADDRESSES.provider}.`).waitFor()
    await page.getByText("Identity provider").waitFor()
    const own = (await context.cookies(origin)).map(({ name }) => name)
    assert.deepStrictEqual(own, ["__Host-cairn"])
    await context.close()
  })

  it("is told that https is needed, and given no cookie, at a name over http", async () => {
    const { context, page } = await newPerson(browser)
    const mails = mail.delivered().length
    const origin = `http://${PLAIN_NAME}:${new URL(plain.baseUrl).port}`
    for (const path of ["/", "/sign-in", "/account", "/sign-in/link?token=x", "/sign-in/oidc"]) {
      const answer = await page.goto(`${origin}${path}`)
      assert.strictEqual(answer?.status(), 403, path)
      await heading(page, "Sign-in needs https")
      assert.strictEqual(await page.getByRole("button").count(), 0)
    }
    // A form of an own page, which no page has there.
    for (const path of ["/sign-in/email", "/sign-in/link", "/sign-out"]) {
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path)
      await page.evaluate(
        `document.body.innerHTML = '<form method="post" action="${path}"><input name="email" value="${ADDRESSES.http}"></form>';
        document.forms[0].submit()`
      )
      assert.strictEqual((await answered).status(), 403, path)
      await heading(page, "Sign-in needs https")
    }
    assert.isEmpty(await context.cookies())
    assert.lengthOf(mail.delivered(), mails)
    await context.close()
  })
})
