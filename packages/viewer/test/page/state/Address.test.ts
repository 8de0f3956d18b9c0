import { generatedTests } from "@cairn/testing/GeneratedTests"
import {
  CONDITION_NAMES,
  type Filter,
  MOST_VALUES,
  PERIOD_NAMES,
  type Place,
  placeFrom,
  withPeriod
} from "@cairn/ui/place"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { subjectOf } from "../../../src/page/service/ViewerToken.ts"
import { appearanceFrom, placeQuery, queryOf, sharedAddress } from "../../../src/page/state/Address.ts"

const parameters = (query: string) => new URLSearchParams(query)

const generated = generatedTests(import.meta.url)

const NOW = new Date("2026-03-04T12:00:00Z")

const texts = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1 }), {
  minLength: 1,
  maxLength: MOST_VALUES
})
const searched = fc.uniqueArray(fc.stringMatching(/^\s?\S+ ?\S*$/u), { minLength: 1, maxLength: MOST_VALUES })
const time = fc.date({ noInvalidDate: true }).map((date) => date.toISOString())

/** Any filter. */
const filters: fc.Arbitrary<Filter> = fc.record(
  {
    ...Object.fromEntries(CONDITION_NAMES.map((name) => [name, texts])),
    search: searched,
    from: time,
    to: time
  },
  { requiredKeys: [] }
)

/** Any place that a reader can come to. */
const places: fc.Arbitrary<Place> = fc
  .record({
    filter: filters,
    period: fc.option(fc.constantFrom(...PERIOD_NAMES), { nil: undefined }),
    clock: fc.constantFrom("occurred", "recorded"),
    timeStyle: fc.constantFrom("relative", "absolute"),
    zone: fc.constantFrom("local", "utc"),
    keys: fc.boolean(),
    event: fc.option(fc.uuid(), { nil: undefined })
  })
  .map((place) =>
    place.period === undefined
      ? place
      : { ...place, filter: withPeriod(place.filter, place.period, NOW, place.zone) }
  )

describe("any place", () => {
  const product = "https://app.example.com/audit?tab=log"
  const ways: Readonly<Record<string, (place: Place) => string>> = {
    "the page's own address": (place) => queryOf(place, parameters("workspace=wsp_1&theme=dark&key=a")),
    "what the page around is told": placeQuery,
    "a link to this page": (place) =>
      new URL(sharedAddress(place, new URL("https://cairn.example.com/viewer?workspace=wsp_1"))).search,
    "a link to the product's page": (place) => {
      const page = new URL("https://cairn.example.com/viewer")
      page.searchParams.set("link", product)
      const address = new URL(sharedAddress(place, page))
      assert.strictEqual(address.searchParams.get("tab"), "log")
      return address.searchParams.get("cairn") ?? ""
    }
  }

  it("is the same again from each address that holds it", () => {
    generated.property(
      fc.property(places, (place) => {
        for (const [way, query] of Object.entries(ways))
          assert.deepStrictEqual(placeFrom(parameters(query(place)), NOW), place, way)
        // Also where another default would hold for whoever is told.
        assert.strictEqual(parameters(placeQuery(place)).get("clock"), place.clock)
      })
    )
  })
})

describe("the viewer's address", () => {
  it("holds a place and gives it back", () => {
    const query =
      "?search=a+b&search=c&action=user.*&action=*.b&actor_id=x&from=2024-01-01&time=absolute&event=1"
    assert.strictEqual(queryOf(placeFrom(parameters(query), new Date(0)), parameters("")), query)
  })

  it("keeps what the product chose and the workspace, and never the token", () => {
    const current = parameters(
      "token=secret&workspace=wsp_1&theme=dark&locale=de&accent=f00&key=a%2Bb&key=c&other=1"
    )
    const place = placeFrom(parameters(""), new Date(0))
    assert.strictEqual(
      queryOf(place, current),
      "?workspace=wsp_1&theme=dark&locale=de&accent=f00&key=a%2Bb&key=c"
    )
    assert.strictEqual(queryOf(place, parameters("token=secret")), "")
  })

  it("has no condition where it has an empty one", () => {
    assert.deepStrictEqual(placeFrom(parameters("action=&search=+"), new Date(0)).filter, {})
  })

  it("has a theme only of the two there are", () => {
    assert.strictEqual(appearanceFrom(parameters("theme=dark")).theme, "dark")
    assert.isUndefined(appearanceFrom(parameters("theme=blue")).theme)
  })

  it("takes a key whose plus signs nobody escaped", () => {
    assert.deepStrictEqual(appearanceFrom(parameters("key=a+b+c")).keys, ["a+b+c"])
  })
})

describe("the subject of a token", () => {
  const token = (payload: string) => `e30.${Buffer.from(payload).toString("base64url")}.sig`

  it("is the workspace", () => {
    assert.strictEqual(subjectOf(token('{"sub":"wsp_ü","exp":12}')), "wsp_ü")
  })

  it.each(["", "a.b.c", token("[]"), token("null"), token('{"sub":1,"exp":"x"}')])(
    "is none in %j",
    (text) => {
      assert.isUndefined(subjectOf(text))
    }
  )
})
