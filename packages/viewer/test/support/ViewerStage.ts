/** The built page, a service that serves it, a browser, and a product that embeds it. */
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import {
  holdsIn,
  PATIENCE,
  type Product,
  SERVICE_HOST,
  startProduct,
  type Watched,
  watch
} from "@cairn/testing/Chromium"
import { connectChromium } from "@cairn/testing/SharedChromium"
import { NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core"
import { readViewerFiles, type ViewerFile } from "../../src/index.ts"
import { FakeService, NOW, type ServiceData } from "./FakeService.ts"

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token as a workspace signs it; nobody checks its signature here. */
export const viewerToken = (workspaceId: string, claims: object = {}): string =>
  [
    base64url({ alg: "HS256" }),
    base64url({ iss: "cairn", aud: "cairn:viewer", sub: workspaceId, exp: 4_102_444_800, ...claims }),
    "c2lnbmF0dXJl"
  ].join(".")

/** The page as it is shipped: the run's setup built it with the bundle. */
const BUILT = fileURLToPath(new URL("../../../server/bundle/viewer/", import.meta.url))

/** The files of the page. */
export const builtFiles = (): Promise<ReadonlyArray<ViewerFile>> =>
  Effect.runPromise(readViewerFiles(BUILT).pipe(Effect.provide(NodeServices.layer)))

export { NOW }

/** A page's size unless its options give another. */
const VIEWPORT = { width: 1_280, height: 720 }

/** How a page is opened. */
export interface OpenOptions {
  /** The address's query beside the token. */
  readonly query?: string
  /** The token; none if null. */
  readonly token?: string | null
  readonly context?: BrowserContextOptions
  /** Whether it stands in a frame of the product's page; true unless set. */
  readonly framed?: boolean
}

/** An open page. */
export interface OpenViewer extends Watched {
  readonly page: Page
  /** The viewer's own document. */
  readonly frame: Frame
  /** Waits until an expression holds in the viewer's document. */
  readonly until: (expression: string) => Promise<void>
  /** Leaves the viewer. A later one may be opened in the same page. */
  readonly close: () => Promise<void>
}

/** A page that nothing is open in, and the options of its context. */
interface FreePage {
  readonly page: Page
  readonly options: string
}

/** All of it. */
export class ViewerStage {
  readonly service: FakeService
  readonly #product: Product
  readonly #browser: Browser
  readonly #token: string
  readonly #mount: string
  /** Pages that were left: making one takes longer than loading the viewer in it. */
  readonly #free: Array<FreePage> = []

  private constructor(
    service: FakeService,
    product: Product,
    browser: Browser,
    token: string,
    mount: string
  ) {
    this.service = service
    this.#product = product
    this.#browser = browser
    this.#token = token
    this.#mount = mount
  }

  static async start(data: ServiceData, workspaceId = "wsp_test", mount = ""): Promise<ViewerStage> {
    const service = await FakeService.start(await builtFiles(), data, mount)
    return new ViewerStage(
      service,
      await startProduct(),
      await connectChromium(),
      viewerToken(workspaceId),
      mount
    )
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    this.service.stop()
    this.#product.stop()
  }

  /** The viewer's address. */
  address(query = "", token: string | null = this.#token): string {
    const parameters = new URLSearchParams(query)
    if (token !== null) parameters.set("token", token)
    return `http://${SERVICE_HOST}:${this.service.port}${this.#mount}/viewer?${parameters}`
  }

  /** Opens the viewer and waits until it has drawn something. */
  async open(options: OpenOptions = {}): Promise<OpenViewer> {
    const { query = "", token = this.#token, framed = true } = options
    const { viewport, ...others } = options.context ?? {}
    const free = await this.#freePage(others)
    const { page } = free
    const size = viewport ?? VIEWPORT
    if (!isDeepStrictEqual(page.viewportSize(), size)) await page.setViewportSize(size)
    const watched = watch(page)
    const address = this.address(query, token)
    await page.goto(framed ? this.#product.around(address) : address)
    const frame = framed ? page.frames()[1] : page.mainFrame()
    if (frame === undefined) throw new Error("the product's page has no frame")
    await frame.waitForSelector("main")
    const until = (expression: string) => holdsIn(frame, expression)
    const close = async () => {
      watched.unwatch()
      // A test that failed may have left it down.
      await page.mouse.up()
      await page.goto("about:blank")
      // The next viewer must not find the pointer above it.
      await page.mouse.move(-1, -1)
      this.#free.push(free)
    }
    return { ...watched, page, frame, until, close }
  }

  /** A page whose context has these options: one that was left, or a new one. */
  async #freePage(options: BrowserContextOptions): Promise<FreePage> {
    const key = JSON.stringify(options)
    const index = this.#free.findIndex((free) => free.options === key)
    const [free] = index === -1 ? [] : this.#free.splice(index, 1)
    if (free !== undefined) return free
    const context = await this.#browser.newContext({
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      viewport: VIEWPORT,
      ...options
    })
    context.setDefaultTimeout(PATIENCE)
    await context.clock.setFixedTime(NOW)
    return { page: await context.newPage(), options: key }
  }
}
