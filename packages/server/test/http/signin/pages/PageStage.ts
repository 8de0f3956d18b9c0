/** The pages in a real browser, under their policy, and what a browser says against them. */
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import { PATIENCE, SERVICE_HOST, watch } from "@cairn/testing/Chromium"
import { connectChromium } from "@cairn/testing/SharedChromium"
import type { Browser, Page } from "playwright-core"
import { PAGE_POLICY, STYLE_SHEET } from "../../../../src/http/signin/pages/index.ts"

const viewer = createRequire(import.meta.url).resolve("@cairn/viewer/package.json")
const axe = readFileSync(createRequire(viewer).resolve("axe-core/axe.min.js"), "utf8")

/** What a rule of axe-core has found. */
interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** A form that a page has sent. */
export interface SentForm {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** A page of a browser, and a server that answers with pages. */
export class PageStage {
  readonly page: Page
  /** Errors on the console, also each breach of the policy. */
  readonly errors: ReadonlyArray<string>
  /** Addresses of all requests. */
  readonly addresses: ReadonlyArray<string>
  /** Reports of breaches of the policy. */
  readonly reports: ReadonlyArray<string>
  readonly sent: ReadonlyArray<SentForm>
  readonly #browser: Browser
  readonly #origin: string
  readonly #shown: { page: string }
  readonly #close: () => void

  private constructor(
    browser: Browser,
    page: Page,
    server: { port: number; shown: { page: string }; close: () => void } & Pick<PageStage, "reports" | "sent">
  ) {
    const { errors, addresses } = watch(page)
    this.page = page
    this.errors = errors
    this.addresses = addresses
    this.reports = server.reports
    this.sent = server.sent
    this.#browser = browser
    this.#origin = `http://${SERVICE_HOST}:${server.port}`
    this.#shown = server.shown
    this.#close = server.close
  }

  static async start(): Promise<PageStage> {
    const shown = { page: "" }
    const reports: Array<string> = []
    const sent: Array<SentForm> = []
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://pages")
      const body = await bodyOf(request)
      if (pathname === "/report") reports.push(body)
      else if (request.method === "POST") {
        sent.push({ path: pathname, fields: Object.fromEntries(new URLSearchParams(body)) })
      }
      const isStyle = pathname === STYLE_SHEET.path
      response
        .writeHead(200, {
          "content-type": isStyle ? STYLE_SHEET.contentType : "text/html; charset=utf-8",
          "content-security-policy": `${PAGE_POLICY}; report-uri /report`,
          "x-content-type-options": "nosniff"
        })
        .end(isStyle ? STYLE_SHEET.text : shown.page)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    const browser = await connectChromium()
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE)
    return new PageStage(browser, page, { port, shown, close, reports, sent })
  }

  /** Shows a page. */
  async show(page: string): Promise<void> {
    this.#shown.page = page
    await this.page.goto(`${this.#origin}/sign-in`)
  }

  /** The address of a path. */
  address(path: string): string {
    return `${this.#origin}${path}`
  }

  /** How many pixels of the page one has to scroll sideways for. */
  overhang(): Promise<number> {
    return this.page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
  }

  /** What the page does against WCAG and good practice, as far as axe-core can tell. */
  async violations(): Promise<ReadonlyArray<string>> {
    if (!(await this.page.evaluate<boolean>('"axe" in globalThis'))) await this.page.evaluate(axe)
    const found = await this.page.evaluate<ReadonlyArray<Violation>>(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)'
    )
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    this.#close()
  }
}
