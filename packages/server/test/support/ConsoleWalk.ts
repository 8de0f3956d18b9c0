/** The pages of the console and the dialogs on them, as a person opens them. */
import type { Page } from "playwright-core"
import { earlier, tampered, whole } from "./EvidenceFiles.ts"

/** A dialog, or something else that opens, and how to open it from its page. */
export interface Opening {
  readonly name: string
  /** Whether it is reached from any page of the workspace, and not only from its own. */
  readonly fromAnywhere?: true
  readonly open: (page: Page) => Promise<void>
}

/** A page of the workspace. */
export interface WalkedPage {
  /** Its part of the address. */
  readonly name: string
  readonly openings: ReadonlyArray<Opening>
}

/** Waits for the dialog that has opened. */
const dialog = (page: Page) => page.locator("dialog[open]").first().waitFor()

/** The address of the first thing that a page's table leads to. */
const firstThing = async (page: Page): Promise<void> => {
  await page.locator("main table tbody a").first().click()
  await page.locator(".thing-head, main form, main .card").first().waitFor()
  await page.waitForLoadState("networkidle")
}

/** The page of the first thing of a list, and each of the dialogs that its buttons open. */
const thing = (name: string, buttons: ReadonlyArray<number> = []): ReadonlyArray<Opening> => [
  { name, open: firstThing },
  ...buttons.map(
    (button): Opening => ({
      name: `${name}, dialog ${button}`,
      open: async (page) => {
        await firstThing(page)
        await page.locator("main .thing-head .actions button").nth(button).click()
        await dialog(page)
      }
    })
  )
]

/** A form at an address of its own. */
const at = (address: string): Opening => ({
  name: address,
  fromAnywhere: true,
  open: async (page) => {
    const home = /^.*\/w\/[^/?]+/.exec(page.url())?.[0] ?? ""
    await page.goto(`${home}/${address}`)
    await page.locator("main h1").first().waitFor()
  }
})

/** The check of files, chosen on the page that is shown, with something from elsewhere that is wrong. */
const checked = async (page: Page, ...files: ReadonlyArray<Uint8Array>): Promise<void> => {
  await page.locator(".check-drop input").setInputFiles(
    files.map((file, index) => ({
      name: `january-${index}.cairn`,
      mimeType: "application/gzip",
      buffer: Buffer.from(file)
    }))
  )
  await page.locator("#check-verdict").waitFor()
}

/** The same page as anybody gets it. */
const alone = async (page: Page): Promise<void> => {
  await page.goto(new URL("/verify", page.url()).href)
  await page.locator("main h1").first().waitFor()
}

/** The page to check files, as it stands where it is opened. */
const checks = (where: string, arrive: (page: Page) => Promise<void>): ReadonlyArray<Opening> => [
  {
    name: `${where}, a file that was tampered with`,
    open: async (page) => {
      await arrive(page)
      await checked(page, tampered)
    }
  },
  {
    name: `${where}, two files the wrong way round`,
    open: async (page) => {
      await arrive(page)
      await checked(page, whole, earlier)
      await page.locator(".check-files ~ p button").click()
      await page.locator(".check-files ~ .form-error").waitFor()
      await page.locator("#check-verdict").waitFor()
    }
  },
  {
    name: `${where}, something wrong from elsewhere`,
    open: async (page) => {
      await arrive(page)
      await page.locator(".check-known textarea").first().fill("no key")
      await page.locator(".check-known [aria-invalid]").waitFor()
    }
  }
]

/** All of them, in the order of the navigation. */
export const PAGES: ReadonlyArray<WalkedPage> = [
  { name: "", openings: [] },
  {
    name: "events",
    openings: [
      {
        name: "suggestions",
        open: async (page) => {
          await page.locator(".search-box input").fill("action:")
          await page.locator(".suggestion .count").first().waitFor()
        }
      },
      {
        name: "the calendar",
        open: async (page) => {
          await page.locator(".search-box input").press("Escape")
          await page.locator(".period > button").click()
          await page.locator(".calendar").waitFor()
        }
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
  {
    name: "exports",
    openings: [at("exports?new=csv"), at("exports?new=evidence"), ...thing("an export")]
  },
  {
    name: "check",
    openings: [
      ...checks("in the console", () => Promise.resolve()),
      { name: "at /verify", open: alone },
      ...checks("at /verify", alone)
    ]
  },
  { name: "alerts", openings: [at("alerts?period=custom")] },
  {
    name: "rules",
    openings: [
      at("rules/new?type=off_hours"),
      at("rules/new?type=high_volume_destructive"),
      { name: "a rule", open: (page) => page.locator("main table tbody th a").first().click() }
    ]
  },
  { name: "webhooks", openings: [at("webhooks?new=1"), ...thing("a webhook", [1, 2, 3, 4])] },
  { name: "streams", openings: [at("streams?new=1"), ...thing("a stream", [1, 3])] },
  { name: "viewer", openings: [] },
  { name: "keys", openings: [at("keys/new?for=custom"), ...thing("a key", [0])] },
  { name: "members", openings: [at("members/new?role=auditor"), ...thing("a member")] },
  { name: "retention", openings: [at("retention?actor=ada")] },
  { name: "usage", openings: [] },
  { name: "settings", openings: [] }
]
