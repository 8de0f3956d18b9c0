/**
 * A real Chromium for tests: the one on the PATH, names that resolve to this machine only, small servers for
 * its pages, and modules made for it. Without a Chromium the tests that need one are skipped, and their
 * titles say so by {@link because}.
 */
import { accessSync, constants } from "node:fs"
import { createServer } from "node:http"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type Browser,
  type BrowserServer,
  type ConsoleMessage,
  chromium,
  type Frame,
  type Page,
  type Request
} from "playwright-core"
import { rolldown } from "rolldown"

/**
 * The service's and the product's names: none is `localhost`, which browsers trust without TLS, and they are
 * two origins.
 */
export const SERVICE_HOST = "cairn.test"
export const PRODUCT_HOST = "product.example"

/** Milliseconds after which something that a test waits for counts as missing. */
export const PATIENCE = 45_000

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find(isExecutable)

/** Whether there is no Chromium on the PATH. */
export const noChromium = executablePath === undefined
/** The part of the titles of tests that are skipped for it. */
export const because = noChromium ? " (skipped: no chromium on the PATH)" : ""

/** Only the two names resolve, so that nothing can be loaded from elsewhere. */
const LAUNCH = {
  ...(executablePath === undefined ? {} : { executablePath }),
  args: [
    "--no-sandbox",
    `--host-resolver-rules=MAP ${SERVICE_HOST} 127.0.0.1,MAP ${PRODUCT_HOST} 127.0.0.1,MAP * ~NOTFOUND`
  ]
}

/** Starts one. Tests that neither kill nor configure it share one: `SharedChromium`. */
export const launchChromium = (): Promise<Browser> => chromium.launch(LAUNCH)

/** Starts one that other processes connect to. */
export const serveChromium = (): Promise<BrowserServer> => chromium.launchServer(LAUNCH)

/** Something for a page to load. */
export interface Served {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** A server of pages. */
export interface PageServer {
  readonly port: number
  readonly stop: () => void
}

/** Serves what a path and query map to, and an empty page otherwise. */
export const servePages = (find: (url: URL) => Served | undefined): Promise<PageServer> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const { contentType, body } = find(new URL(request.url ?? "/", "http://pages")) ?? {
        contentType: "text/html",
        body: '<!doctype html><link rel="icon" href="data:,"><title>Cairn</title>'
      }
      response.writeHead(200, { "content-type": contentType }).end(body)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        stop: () => {
          server.closeAllConnections()
          server.close()
        }
      })
    })
  })

const framing = (address: string): string =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Product</title>
  <style>body{margin:0}iframe{display:block;border:0;width:100vw;height:100vh}</style>
  <iframe title="Audit log" src="${address.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`

/** A product with its own origin, whose pages have other pages in a frame. */
export interface Product {
  readonly origin: string
  /** The address of a page with this in its frame. */
  readonly around: (frame: string) => string
  readonly stop: () => void
}

/** Starts the product. */
export const startProduct = async (): Promise<Product> => {
  const { port, stop } = await servePages(({ searchParams }) => ({
    contentType: "text/html",
    body: framing(searchParams.get("frame") ?? "")
  }))
  const origin = `http://${PRODUCT_HOST}:${port}`
  return { origin, stop, around: (frame) => `${origin}/?${new URLSearchParams({ frame })}` }
}

/** What a page does that a test must know. */
export interface Watched {
  /** Errors on the console, including violations of a content security policy. */
  readonly errors: ReadonlyArray<string>
  /** Addresses of all its requests. */
  readonly addresses: ReadonlyArray<string>
  /** Takes no more notice of it. */
  readonly unwatch: () => void
}

/** Watches a page from now on. */
export const watch = (page: Page): Watched => {
  const errors: Array<string> = []
  const addresses: Array<string> = []
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === "error") errors.push(message.text())
  }
  const onError = (error: Error) => errors.push(String(error))
  const onRequest = (request: Request) => addresses.push(request.url())
  page.on("console", onConsole).on("pageerror", onError).on("request", onRequest)
  const unwatch = () => {
    page.off("console", onConsole).off("pageerror", onError).off("request", onRequest)
  }
  return { errors, addresses, unwatch }
}

/**
 * Waits until an expression is true in a document; Playwright's own way needs `eval`, which a strict page
 * forbids.
 */
export const holdsIn = async (frame: Frame, expression: string): Promise<void> => {
  const deadline = performance.now() + PATIENCE
  while (!(await frame.evaluate<boolean>(`Boolean(${expression})`))) {
    if (performance.now() > deadline) throw new Error(`it does not come to hold: ${expression}`)
    await frame.page().waitForTimeout(20)
  }
}

/** A module with all its imports, as a browser loads it: its text, and the modules that it still imports. */
export const bundleForBrowser = async (
  entry: URL
): Promise<{ readonly code: string; readonly imports: ReadonlyArray<string> }> => {
  const build = await rolldown({
    input: fileURLToPath(entry),
    platform: "browser",
    resolve: { conditionNames: ["@cairn/source", "browser", "import", "default"] },
    logLevel: "silent"
  })
  const { output } = await build.generate({ format: "esm" })
  await build.close()
  const [module, ...others] = output
  if (others.length > 0) throw new Error(`${entry.href} makes more than one module`)
  return module
}
