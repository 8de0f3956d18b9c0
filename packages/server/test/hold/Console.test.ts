/** The console on a real server, walked as a person would, with the demo's week in it. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage, type Look } from "../support/ConsoleStage.ts"
import { PAGES } from "../support/ConsoleWalk.ts"
import { peopleDatabases } from "../support/SignInSteps.ts"
import { DATABASES } from "../support/TestDatabase.ts"

/** Milliseconds for a walk over all pages, on a busy machine. */
const LONG_ENOUGH = 900_000

const LOCALES = ["en-GB", "de-DE", "ja-JP"]
const SCHEMES = ["light", "dark"] as const
const WIDTHS = [1_280, 390]

/** Every way to look at the pages. */
const ALL: ReadonlyArray<Look> = LOCALES.flatMap((locale) =>
  SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ locale, scheme, width })))
)

/** Of each database a few, in which each language, scheme and width meets each other at least once. */
const FEW: Readonly<Record<(typeof DATABASES)[number], ReadonlyArray<Look>>> = {
  SQLite: [
    { locale: "en-GB", scheme: "light", width: 1_280 },
    { locale: "de-DE", scheme: "dark", width: 390 },
    { locale: "ja-JP", scheme: "light", width: 390 }
  ],
  PostgreSQL: [
    { locale: "en-GB", scheme: "dark", width: 390 },
    { locale: "de-DE", scheme: "light", width: 1_280 },
    { locale: "ja-JP", scheme: "dark", width: 1_280 }
  ]
}

for (const kind of DATABASES) {
  describe.skipIf(noChromium)(`the console on ${kind}${because}`, () => {
    killLeftovers()
    const databases = peopleDatabases(kind)
    let stage: ConsoleStage

    beforeAll(async () => {
      const { database } = await databases.newDatabase()
      stage = await ConsoleStage.start({ database })
    })
    afterAll(() => stage?.stop())

    const looks = process.env.CAIRN_ENDURANCE === "1" ? ALL : FEW[kind]
    it.each(looks)(
      "has no violation on any page or in any dialog, in $locale, $scheme, at $width",
      async (look) => {
        const open = await stage.open(look)
        const faults: Array<string> = []
        const check = async (where: string) => {
          for (const violation of await open.violations()) faults.push(`${where}: ${violation}`)
          const overhang = await open.overhang()
          if (overhang > 0) faults.push(`${where}: ${overhang} pixels stand over the side`)
          if ((await open.page.locator("main tr, main [data-row]").count()) > 60)
            faults.push(`${where}: more than 60 rows`)
        }
        for (const { name, openings } of PAGES) {
          await open.goTo(name)
          await check(`/${name}`)
          for (const opening of openings) {
            await open.goTo(name)
            await opening.open(open.page)
            await open.page.waitForLoadState("networkidle")
            await check(`/${name}, ${opening.name}`)
          }
        }
        assert.deepStrictEqual(faults, [])
        assert.deepStrictEqual(open.errors, [])
        await open.close()
      },
      LONG_ENOUGH
    )
  })
}
