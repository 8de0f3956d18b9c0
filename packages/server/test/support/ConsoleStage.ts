/** The console of a real server in a real browser, signed in as the owner of the demo's workspace. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { PATIENCE, type Watched, watch } from "@cairn/testing/Chromium"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { type Server, type ServerOptions, startServer } from "./CairnProcess.ts"
import { launchPeopleBrowser } from "./PeopleBrowser.ts"
import { watchReads } from "./QuietPage.ts"

const packages = createRequire(import.meta.url).resolve("@cairn/console/package.json")
const axe = readFileSync(createRequire(packages).resolve("axe-core/axe.min.js"), "utf8")

/** The cookies of a person. */
type State = Awaited<ReturnType<BrowserContext["storageState"]>>

/** What a rule of axe-core has found. */
interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** How a page is looked at. */
export interface Look {
  readonly locale: string
  readonly scheme: "light" | "dark"
  readonly width: number
}

/** English, on a desk, by day. */
export const ORDINARY: Look = { locale: "en-GB", scheme: "light", width: 1_280 }

/** A page that is open. */
export interface OpenPage extends Watched {
  readonly page: Page
  /** Goes to a page of the workspace, such as `keys?new=1`, and waits until nothing is read any more. */
  readonly goTo: (name: string) => Promise<void>
  /** Waits until nothing is read any more. */
  readonly quiet: () => Promise<void>
  /** What the page does against WCAG and good practice, as far as axe-core can tell. */
  readonly violations: () => Promise<ReadonlyArray<string>>
  /** By how many pixels one has to scroll sideways. */
  readonly overhang: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Uses a link that signs in, as a person does. */
const signedIn = async (browser: Browser, link: string): Promise<State> => {
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  await page.goto(link)
  await page.locator("main form button").click()
  await page.waitForURL(/\/w\/wsp_/)
  const state = await context.storageState()
  await context.close()
  return state
}

/** A server with the demo's week, and a browser in which its owner has signed in. */
export class ConsoleStage {
  readonly server: Server
  readonly browser: Browser
  readonly #state: State

  private constructor(server: Server, browser: Browser, state: State) {
    this.server = server
    this.browser = browser
    this.#state = state
  }

  /** Starts both. */
  static async start(options: ServerOptions): Promise<ConsoleStage> {
    const server = await startServer({ ...options, demo: true })
    return ConsoleStage.of(server, server.signInPath)
  }

  /** A browser for a server that runs, in which a link's person has signed in. */
  static async of(server: Server, signInPath: string): Promise<ConsoleStage> {
    const browser = await launchPeopleBrowser()
    return new ConsoleStage(server, browser, await signedIn(browser, `${server.baseUrl}${signInPath}`))
  }

  /** The same for another person, whom a link signs in. */
  async as(signInPath: string): Promise<ConsoleStage> {
    const { server, browser } = this
    return new ConsoleStage(server, browser, await signedIn(browser, `${server.baseUrl}${signInPath}`))
  }

  /** The workspace's part of an address. */
  get home(): string {
    return `${this.server.baseUrl}/w/${this.server.workspaceId}`
  }

  /** Opens an empty page of the person's. */
  async open({ locale, scheme, width }: Look = ORDINARY): Promise<OpenPage> {
    const context = await this.browser.newContext({
      locale,
      colorScheme: scheme,
      viewport: { width, height: 900 },
      timezoneId: "Europe/Berlin",
      storageState: this.#state
    })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const { quiet, loaded } = watchReads(page)
    return {
      ...watch(page),
      page,
      quiet,
      goTo: async (name) => {
        await page.goto(`${this.home}${name === "" ? "" : `/${name}`}`)
        await page.locator("main h1").first().waitFor()
        await loaded()
      },
      violations: async () => {
        await page.evaluate(isStill)
        if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe)
        const found = await page.evaluate<ReadonlyArray<Violation>>(
          'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)'
        )
        return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
      },
      overhang: () =>
        page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
      close: () => context.close()
    }
  }

  /** Ends both. */
  async stop(): Promise<void> {
    await this.browser.close()
    await this.server.stop()
  }
}

/** Waits until what is shown has been drawn and no longer moves. */
const isStill = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  .then(() => undefined)`
