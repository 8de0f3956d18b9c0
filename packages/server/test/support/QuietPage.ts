/** When a page has read what it shows: the stream of what is new goes on for as long as a list is open. */
import { PATIENCE } from "@cairn/testing/Chromium"
import type { Page, Request } from "playwright-core"

/** Milliseconds without a request after which a page is quiet. */
const QUIET = 500

const isRead = (request: Request): boolean => {
  const { protocol, pathname } = new URL(request.url())
  return protocol.startsWith("http") && pathname !== "/api/v1/events/live"
}

/** Follows the requests of a page. What is returned resolves once none has been under way for a while. */
export const whenQuiet = (page: Page): (() => Promise<void>) => {
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
  return async () => {
    const deadline = performance.now() + PATIENCE
    while (underWay.size > 0 || performance.now() - last < QUIET) {
      if (performance.now() > deadline) {
        throw new Error(`not answered: ${Array.from(underWay, (request) => request.url())}`)
      }
      await page.waitForTimeout(50)
    }
  }
}
