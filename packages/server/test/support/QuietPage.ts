/** When a page has read what it shows: the stream of what is new goes on for as long as a list is open. */
import { PATIENCE } from "@cairn/testing/Chromium"
import type { Page, Request } from "playwright-core"

/** Milliseconds without a request after which a page is quiet: forms ask for what is typed soon after. */
const QUIET = 500

/** The same for a page that was just loaded, once it has drawn: nothing that it reads waits for longer. */
const QUIET_AT_ONCE = 200

const DRAWN = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => undefined)`

const isRead = (request: Request): boolean => {
  const { protocol, pathname } = new URL(request.url())
  return protocol.startsWith("http") && pathname !== "/api/v1/events/live"
}

/** Follows the requests of a page. */
export const watchReads = (page: Page) => {
  const underWay = new Set<Request>()
  let last = performance.now()
  const ended = (request: Request) => {
    if (underWay.delete(request)) last = performance.now()
  }
  page.on("request", (request) => {
    if (!isRead(request)) return
    underWay.add(request)
    last = performance.now()
  })
  page.on("requestfinished", ended).on("requestfailed", ended)
  const without = async (millis: number) => {
    const deadline = performance.now() + PATIENCE
    while (underWay.size > 0 || performance.now() - last < millis) {
      if (performance.now() > deadline) {
        throw new Error(`not answered: ${Array.from(underWay, (request) => request.url())}`)
      }
      await page.waitForTimeout(50)
    }
  }
  return {
    /** Resolves once nothing has been read for a while. */
    quiet: () => without(QUIET),
    /** The same for a page that nobody has touched since it was loaded. */
    loaded: async () => {
      for (let before = Number.NaN; before !== last; ) {
        await without(QUIET_AT_ONCE)
        before = last
        await page.evaluate(DRAWN)
      }
    }
  }
}
