/** `<cairn-viewer>` on a product's page, in a real browser, on another origin than the service. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, holdsIn, noChromium, PATIENCE, SERVICE_HOST, watch } from "@cairn/testing/Chromium"
import { connectChromium } from "@cairn/testing/SharedChromium"
import { isTrial } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext, Frame, Page } from "playwright-core"
import { type ElementHost, startElementHost } from "./support/ElementHost.ts"
import { dataOf, FakeService, NOW } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { builtFiles } from "./support/ViewerStage.ts"

const tenant = testTenant(ordinaryEvents(120, { seed: 31 }), {
  until: NOW * 1_000 - 90 * Micros.SECOND
})

/** A token, as far as the page reads it; the service of the test takes every one. */
const tokenFor = (seconds: number, name = "first"): string => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const exp = Math.floor(NOW / 1_000) + seconds
  return [part({ alg: "HS256" }), part({ sub: tenant.workspaceId, exp, name }), "c2ln"].join(".")
}

/** Waits until something holds. */
const until = async (page: Page, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + PATIENCE
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it does not come to hold: ${holds}`)
    await page.waitForTimeout(20)
  }
}

describe.skipIf(noChromium)(`<cairn-viewer>${because}`, () => {
  let service: FakeService
  let host: ElementHost
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    service = await FakeService.start(await builtFiles(), dataOf(tenant))
    host = await startElementHost(`http://${SERVICE_HOST}:${service.port}`)
    browser = await connectChromium()
  })
  afterAll(async () => {
    await browser?.close()
    host?.stop()
    service?.stop()
  })
  afterEach(async () => {
    await context?.close()
    service.instead = () => undefined
    service.requests.length = 0
  })

  const visit = async (body: string, head = "") => {
    host.answer = () => ({ token: tokenFor(3_600) })
    context = await browser.newContext({ locale: "en-GB" })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const watched = watch(page)
    await page.goto(host.page(body, head))
    return { page, ...watched }
  }
  /** Runs something for the page's first element, which it calls `element`. */
  const change = (page: Page, script: string) =>
    page.evaluate<void>(`{ const element = document.querySelector("cairn-viewer"); ${script}; void 0 }`)
  const put = (page: Page, html: string) =>
    page.evaluate<void>(`void (document.querySelector("main").innerHTML = ${JSON.stringify(html)})`)
  const set = (page: Page, name: string, value: string | null) =>
    change(
      page,
      value === null
        ? `element.removeAttribute("${name}")`
        : `element.setAttribute("${name}", ${JSON.stringify(value)})`
    )
  /** Notes the events of the page's elements from now on. */
  const listen = (page: Page) =>
    page.evaluate(`globalThis.told = []; for (const name of ["cairn-filter", "cairn-error"])
      for (const element of document.querySelectorAll("cairn-viewer"))
        element.addEventListener(name, ({ detail }) => told.push([name, detail]))`)
  const told = (page: Page) => page.evaluate<ReadonlyArray<[string, string]>>("told")
  /** The viewer's document, once it shows an event. */
  const shown = async (page: Page, index = 0): Promise<Frame> => {
    const element = page.locator("cairn-viewer").nth(index)
    const handle = await element.locator("iframe").elementHandle()
    const frame = await handle?.contentFrame()
    if (frame === null || frame === undefined) throw new Error("the element has no frame")
    await frame.waitForSelector('[data-row="0"]')
    return frame
  }

  it("fetches a token and shows the log with it, and the token is in no address and no attribute", async () => {
    const { page, errors, addresses } = await visit('<cairn-viewer token-url="/token"></cairn-viewer>')
    const frame = await shown(page)
    assert.deepStrictEqual(errors, [])
    const [, payload = ""] = tokenFor(0).split(".")
    assert.isAbove(payload.length, 40)
    for (const address of addresses) assert.notInclude(address, "eyJ")
    assert.notInclude(frame.url(), "eyJ")
    const html = await page.evaluate<string>(
      `document.querySelector("cairn-viewer").outerHTML + document.querySelector("cairn-viewer").shadowRoot.innerHTML`
    )
    assert.notInclude(html, "eyJ")
    assert.match(service.asked("/api/v1/events")[0]?.authorization ?? "", /^Bearer eyJ/)
  })

  if (isTrial()) {
    it("gets another token before one ends, while the reader goes on", async () => {
      host.answer = () => ({})
      const { page } = await visit("")
      let issued = 0
      host.answer = () => ({ token: tokenFor(4, `token ${issued++}`) })
      await page.evaluate(
        `document.querySelector("main").innerHTML = '<cairn-viewer token-url="/token"></cairn-viewer>'`
      )
      const frame = await shown(page)
      const before = service.requests.length
      await until(page, () => issued > 1)
      assert.strictEqual(service.requests.length, before, "it was not loaded again")
      await frame.getByRole("button", { name: "Refresh" }).click()
      await until(page, () => service.requests.length > before)
      const bearer = service.requests.at(-1)?.authorization ?? ""
      assert.include(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString(), "token 1")
    })
  }

  if (isTrial()) {
    it("gets another token when the service takes the last one no more", async () => {
      const { page } = await visit('<cairn-viewer token-url="/token"></cairn-viewer>')
      const frame = await shown(page)
      const refused = service.asked("/api/v1/events")[0]?.authorization
      host.answer = () => ({ token: tokenFor(3_600, "second") })
      service.instead = ({ authorization }) =>
        authorization === refused ? { status: 401, body: { error: "unauthorized", message: "" } } : undefined
      await frame.getByRole("button", { name: "Refresh" }).click()
      await frame.getByText("120 events").waitFor()
      assert.notStrictEqual(service.requests.at(-1)?.authorization, refused)
    })
  }

  if (isTrial()) {
    it("asks again, later and later, where no token comes, and says why without saying the token", async () => {
      const { page, errors } = await visit("")
      const leaked = "eyJsZWFrZWQ"
      host.answer = () => ({ token: `${leaked}.${leaked}.${leaked}` })
      const before = host.asked()
      await put(page, '<cairn-viewer token-url="/token"></cairn-viewer>')
      await listen(page)
      await until(page, () => host.asked() === before + 2)
      const second = performance.now()
      await until(page, () => host.asked() === before + 3)
      assert.isAbove(performance.now() - second, 2_500)
      const events = await told(page)
      assert.deepStrictEqual(events.at(0), ["cairn-error", "token-url answered 200 without a token"])
      assert.include(errors.join(), "token-url answered 200 without a token")
      assert.notInclude(`${errors.join()}${JSON.stringify(events)}`, leaked)
      host.answer = () => ({ token: tokenFor(3_600) })
      await shown(page)
    })
  }

  if (isTrial()) {
    it("asks again where an answer does not come, and says so", async () => {
      const { page } = await visit("")
      await page.evaluate(
        "AbortSignal.timeout = ((timeout) => (millis) => timeout.call(AbortSignal, millis / 100))(AbortSignal.timeout)"
      )
      let asked = 0
      await page.route("**/token", () => {
        asked++
      })
      await put(page, '<cairn-viewer token-url="/token"></cairn-viewer>')
      await listen(page)
      await until(page, () => asked === 2)
      await page.unroute("**/token")
      host.answer = () => ({ token: tokenFor(3_600) })
      await shown(page)
      assert.deepStrictEqual((await told(page)).at(0), ["cairn-error", "token-url failed"])
    })
  }

  if (isTrial()) {
    it("takes tokens from a function, also one that was set before it was defined", async () => {
      const { page } = await visit("<cairn-viewer></cairn-viewer>")
      await change(page, `element.tokenSource = async () => ${JSON.stringify(tokenFor(3_600))}`)
      await shown(page)
      const early = host.page(
        "<cairn-viewer></cairn-viewer>",
        `<script>document.addEventListener("readystatechange", () => {
        const element = document.querySelector("cairn-viewer")
        if (element !== null) element.tokenSource ??= async () => ${JSON.stringify(tokenFor(3_600))}
      })</script>`
      )
      await page.goto(early)
      await shown(page)
    })
  }

  if (isTrial()) {
    it("passes the looks on, and changes of them without loading the page again", async () => {
      const { page, addresses } = await visit(
        `<cairn-viewer token-url="/token" theme="dark" accent="c0f" font="Courier New" background="transparent"
        hide="histogram times" locale="de"></cairn-viewer>`
      )
      const frame = await shown(page)
      const look = () =>
        frame.evaluate<Record<string, unknown>>(`(() => {
        const root = document.documentElement
        const style = getComputedStyle(root)
        return {
          theme: root.dataset.theme, lang: root.lang, font: style.fontFamily, background: style.backgroundColor,
          accent: root.style.getPropertyValue("--accent"), title: document.title,
          histogram: document.querySelector(".plot") !== null, filters: document.querySelector("input") !== null
        }
      })()`)
      const first = await look()
      assert.include(first, {
        theme: "dark",
        lang: "de",
        font: '"Courier New", system-ui, sans-serif',
        background: "rgba(0, 0, 0, 0)",
        histogram: false,
        filters: true
      })
      assert.match(String(first.accent), /^rgb/)
      const times = frame.locator(".toolbar").getByRole("button", { name: /Zeit|UTC/ })
      assert.strictEqual(await times.count(), 0)
      const iframe = page.locator("cairn-viewer iframe")
      assert.strictEqual(await iframe.getAttribute("title"), "Audit-Protokoll")
      assert.strictEqual(
        await page.evaluate(
          `getComputedStyle(document.querySelector("cairn-viewer").shadowRoot.firstChild).colorScheme`
        ),
        "dark"
      )

      const loads = addresses.filter((address) => address.includes("/viewer?")).length
      for (const name of ["theme", "accent", "font", "background", "hide", "locale"])
        await set(page, name, null)
      await holdsIn(frame, `document.documentElement.lang === "en"`)
      const plain = await look()
      assert.include(plain, { theme: "light", accent: "", background: "rgb(255, 255, 255)" })
      assert.notInclude(String(plain.font), "Courier")
      await frame.waitForSelector(".plot")
      await set(page, "hide", "filters toolbar")
      await holdsIn(
        frame,
        `document.querySelector("input") === null && document.querySelector(".toolbar") === null`
      )
      assert.strictEqual(addresses.filter((address) => address.includes("/viewer?")).length, loads)
      await frame.evaluate("void setTimeout(() => location.reload())")
      await frame.waitForSelector('[data-row="0"]')
      assert.isNull(await frame.$("input"), "a reload of the frame keeps them")
    })
  }

  it("speaks the language of the document around", async () => {
    const { page } = await visit('<div lang="ja"><cairn-viewer token-url="/token"></cairn-viewer></div>')
    const frame = await shown(page)
    assert.strictEqual(await frame.evaluate("document.documentElement.lang"), "ja")
    await set(page, "label", "Our log")
    assert.strictEqual(await page.locator("cairn-viewer iframe").getAttribute("title"), "Our log")
  })

  it("is as high as its contents, up to its limit, or as high as it is told", async () => {
    const { page } = await visit(
      '<cairn-viewer token-url="/token" height="auto" style="--cairn-max-height: 900px"></cairn-viewer>'
    )
    const frame = await shown(page)
    const height = async () => Math.round((await page.locator("iframe").boundingBox())?.height ?? 0)
    const settled = async (holds: (height: number) => boolean) => {
      const deadline = performance.now() + PATIENCE
      while (!holds(await height())) {
        assert.isBelow(performance.now(), deadline, `${await height()} px`)
        await page.waitForTimeout(30)
      }
    }
    await settled((px) => px === 900)
    await set(page, "filter", "action=no.such.action")
    await frame.getByText("No event matches").waitFor()
    await settled((px) => px < 800 && px >= 400)
    const content = await frame.evaluate<number>("document.body.getBoundingClientRect().height")
    assert.strictEqual(await height(), Math.max(Math.ceil(content), 400))
    await set(page, "height", "33rem")
    await settled((px) => px === 528)
  })

  it("tells what the reader filters by, and shows what it is told", async () => {
    const { page } = await visit(
      '<cairn-viewer token-url="/token" filter="time=absolute&token=x&theme=dark&workspace=y"></cairn-viewer>'
    )
    const frame = await shown(page)
    await listen(page)
    assert.strictEqual(new URL(frame.url()).searchParams.get("time"), "absolute")
    assert.strictEqual(new URL(frame.url()).searchParams.get("workspace"), tenant.workspaceId)
    assert.isFalse(new URL(frame.url()).searchParams.has("theme"), "a filter decides on nothing else")
    await frame.locator('[data-row="2"]').click()
    const { id } = tenant.stored.at(-3) ?? {}
    await frame.getByRole("dialog").waitFor()
    await until(page, async () => (await told(page)).length > 0)
    assert.deepStrictEqual((await told(page)).at(-1), [
      "cairn-filter",
      `time=absolute&event=${id}&clock=occurred`
    ])
    // As a product does that keeps it: it is not shown again for that.
    const asked = service.requests.length
    await set(page, "filter", `time=absolute&event=${id}&clock=occurred`)
    await set(page, "filter", "search=nothing-like-this")
    await frame.getByText("No event matches").waitFor()
    assert.deepStrictEqual((await told(page)).at(-1), [
      "cairn-filter",
      "search=nothing-like-this&clock=occurred"
    ])
    assert.isAbove(service.requests.length, asked)
    await set(page, "filter", null)
    await frame.waitForSelector('[data-row="0"]')
    assert.deepStrictEqual((await told(page)).at(-1), ["cairn-filter", "clock=occurred"])
  })

  if (isTrial()) {
    it("stands twice on a page, each with its own log", async () => {
      const { page } = await visit(
        `<cairn-viewer token-url="/token" theme="dark"></cairn-viewer>
       <cairn-viewer token-url="/token" theme="light" hide="filters"></cairn-viewer>`
      )
      const [first, second] = [await shown(page), await shown(page, 1)]
      await page.evaluate(
        `document.querySelector("cairn-viewer").setAttribute("filter", "search=nothing-like-this")`
      )
      await first.getByText("No event matches").waitFor()
      assert.strictEqual(await second.evaluate("document.documentElement.dataset.theme"), "light")
      assert.notInclude(second.url(), "search")
      assert.isNotNull(await second.$('[data-row="0"]'))
    })
  }

  if (isTrial()) {
    it("leaves nothing behind when it is removed, and begins again where it is put back", async () => {
      const { page } = await visit("")
      const session = await page.context().newCDPSession(page)
      const listeners = async () => {
        const { result } = await session.send("Runtime.evaluate", { expression: "window" })
        const { objectId = "" } = result
        const found = await session.send("DOMDebugger.getEventListeners", { objectId })
        return found.listeners.filter(({ type }) => type === "message").length
      }
      assert.strictEqual(await listeners(), 0)
      await put(page, '<cairn-viewer token-url="/token"></cairn-viewer>')
      await shown(page)
      assert.strictEqual(await listeners(), 1)
      await page.evaluate(`globalThis.kept = document.querySelector("cairn-viewer"); kept.remove()`)
      assert.strictEqual(await listeners(), 0)
      await until(page, () => page.frames().length === 1)
      const asked = host.asked()
      await page.evaluate(`document.querySelector("main").append(kept)`)
      await shown(page)
      assert.strictEqual(await listeners(), 1)
      assert.strictEqual(host.asked(), asked + 1)
      // Removed while a token is on its way.
      await page.evaluate(`{
      kept.remove()
      kept.tokenSource = () => new Promise((resolve) => { globalThis.give = resolve })
      document.querySelector("main").append(kept)
    }`)
      await until(page, () => page.evaluate<boolean>("globalThis.give !== undefined"))
      await page.evaluate(`{
      kept.remove()
      give(${JSON.stringify(tokenFor(3_600))})
      void 0
    }`)
      await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
      assert.strictEqual(await page.evaluate<number>("kept.shadowRoot.childElementCount"), 0)
      await until(page, () => page.frames().length === 1)
      assert.strictEqual(await listeners(), 0)
    })
  }

  it("works under a policy with Trusted Types and without inline styles", async () => {
    const origin = `http://${SERVICE_HOST}:${service.port}`
    const { page, errors } = await visit(
      '<cairn-viewer token-url="/token" height="auto"></cairn-viewer>',
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; connect-src 'self'; script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'">`
    )
    await shown(page)
    assert.deepStrictEqual(errors, [])
  })

  it("gives no token to a page that has taken the viewer's place, nor takes its word", async () => {
    const { page } = await visit('<cairn-viewer token-url="/token"></cairn-viewer>')
    await shown(page)
    await listen(page)
    const asked = host.asked()
    const hostile = `<script>
      const say = (type, more) => parent.postMessage({ type: "cairn.viewer." + type, ...more }, "*")
      globalThis.heard = []
      addEventListener("message", ({ data }) => heard.push(data))
      say("ready"); say("expired"); say("place", { query: "stolen" }); say("refused", { reason: "lies" })
    </script>`
    const address = JSON.stringify(host.page("", hostile))
    await change(page, `element.shadowRoot.querySelector("iframe").src = ${address}`)
    const frame = page.frames()[1]
    await frame?.waitForURL((url) => url.origin === host.origin)
    // A window of the service's origin that is not the element's own, and the page around itself.
    await page.evaluate(`postMessage({ type: "cairn.viewer.expired" }, "*")`)
    await page.waitForTimeout(500)
    assert.deepStrictEqual(await frame?.evaluate("heard"), [])
    assert.deepStrictEqual(await told(page), [])
    assert.strictEqual(host.asked(), asked)
  })
})

describe.skipIf(noChromium)(`the viewer beside a page that is not its own${because}`, () => {
  it("hears nobody but the origin that its address names, and tells nobody else", async () => {
    const service = await FakeService.start(await builtFiles(), dataOf(tenant))
    const host = await startElementHost(`http://${SERVICE_HOST}:${service.port}`)
    const browser = await connectChromium()
    try {
      const page = await browser.newPage()
      const open = async (origin: string) => {
        const address = `http://${SERVICE_HOST}:${service.port}/viewer?${new URLSearchParams({ workspace: tenant.workspaceId, origin })}`
        await page.goto(
          host.page(
            `<iframe title="x" src="${address.replaceAll("&", "&amp;")}"></iframe>`,
            `<script>globalThis.heard = []; addEventListener("message", ({ data }) => heard.push(data.type))</script>`
          )
        )
        const frame = page.frames()[1]
        await frame?.waitForSelector("main")
        const message = { type: "cairn.viewer.token", token: tokenFor(3_600) }
        await page.evaluate(`frames[0].postMessage(${JSON.stringify(message)}, "*")`)
        return frame
      }
      await open("https://another.example")
      await page.waitForTimeout(500)
      assert.deepStrictEqual(await page.evaluate("heard"), [])
      assert.lengthOf(service.requests, 0)
      const frame = await open(host.origin)
      await frame?.waitForSelector('[data-row="0"]')
      assert.include(await page.evaluate<ReadonlyArray<string>>("heard"), "cairn.viewer.ready")
    } finally {
      await browser.close()
      host.stop()
      service.stop()
    }
  })
})
