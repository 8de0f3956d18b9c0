/** The pages of the console and the dialogs on them, as a person opens them. */
import type { Page } from "playwright-core"

/** A dialog, or something else that opens, and how to open it from its page. */
export interface Opening {
  readonly name: string
  readonly open: (page: Page) => Promise<void>
}

/** A page of the workspace. */
export interface WalkedPage {
  /** Its part of the address. */
  readonly name: string
  readonly openings: ReadonlyArray<Opening>
}

/** All of them, in the order of the navigation. */
export const PAGES: ReadonlyArray<WalkedPage> = [
  { name: "", openings: [] },
  {
    name: "events",
    openings: [
      {
        name: "the filters",
        open: (page) => page.locator(".filters .toggle").click()
      },
      {
        name: "an event",
        open: async (page) => {
          await page.locator("[data-row]").first().click()
          await page.locator(".drawer .statement").waitFor()
        }
      }
    ]
  },
  { name: "integrity", openings: [] },
  { name: "exports", openings: [] },
  { name: "alerts", openings: [] },
  { name: "rules", openings: [] },
  { name: "webhooks", openings: [] },
  { name: "streams", openings: [] },
  { name: "viewer", openings: [] },
  { name: "keys", openings: [] },
  { name: "members", openings: [] },
  { name: "retention", openings: [] },
  { name: "usage", openings: [] },
  { name: "settings", openings: [] }
]
