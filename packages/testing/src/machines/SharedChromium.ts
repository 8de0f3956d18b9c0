/** One Chromium for all files of a run, which starts when the first of them asks for it. */
import { type Browser, chromium } from "playwright-core"
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** Where the run's setup returns the endpoint of the shared browser. */
    readonly chromiumAddress: string
  }
}

/**
 * Connects to the shared browser: as a browser of its own for each caller, with contexts that nobody else
 * sees. Closing it closes them, and leaves the browser to the others.
 */
export const connectChromium = async (): Promise<Browser> => {
  const answer = await fetch(inject("chromiumAddress"))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the shared Chromium did not start: ${text}`)
  return chromium.connect(text)
}
