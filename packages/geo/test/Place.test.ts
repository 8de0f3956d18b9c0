import { nowhere } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { placeOf } from "../src/Place.ts"

const nested = (country: unknown, city: unknown) => ({
  country: { iso_code: country },
  city: { names: { en: city } }
})
const flat = (country: unknown, city: unknown) => ({ country_code: country, city })

describe("placeOf", () => {
  it("reads the layout of GeoLite2 and GeoIP2", () => {
    const record = {
      city: { geoname_id: 2694762, names: { de: "Linköping (de)", en: "Linköping" } },
      country: { iso_code: "SE", names: { en: "Sweden" } },
      registered_country: { iso_code: "DE" }
    }
    assert.deepStrictEqual(placeOf(record), { country: "SE", city: "Linköping" })
  })

  it("reads the flat layout of DB-IP", () => {
    const record = { country_code: "US", city: "Mountain View", state1: "California", latitude: 37.4 }
    assert.deepStrictEqual(placeOf(record), { country: "US", city: "Mountain View" })
  })

  it("takes no registered country for the country", () => {
    assert.deepStrictEqual(placeOf({ registered_country: { iso_code: "DE" } }), nowhere)
  })

  it("takes no other language for English", () => {
    const record = { country: { iso_code: "JP" }, city: { names: { ja: "東京" } } }
    assert.deepStrictEqual(placeOf(record), { country: "JP", city: null })
  })

  it("keeps the one of the two that it knows", () => {
    assert.deepStrictEqual(placeOf(nested("GB", undefined)), { country: "GB", city: null })
    assert.deepStrictEqual(placeOf(flat("GB", "")), { country: "GB", city: null })
    assert.deepStrictEqual(placeOf(nested("gb", "London")), { country: null, city: "London" })
  })

  const odd = [
    undefined,
    null,
    0,
    7n,
    true,
    Number.NaN,
    [],
    ["GB"],
    {},
    { en: {} },
    Buffer.from("GB"),
    () => "GB"
  ]

  it.each(["gb", "G", "GBR", "G1", "GB\n", "", "ZZ", "ГБ", ...odd])("knows no country %s", (country) => {
    assert.deepStrictEqual(placeOf(nested(country, "London")), { country: null, city: "London" })
    assert.deepStrictEqual(placeOf(flat(country, "London")), { country: null, city: "London" })
  })

  it.each([
    "",
    "a\0b",
    "a\nb",
    "\u0085",
    "\ud800",
    "L\ufffdndon",
    "x".repeat(1025),
    "😀".repeat(1025),
    ...odd
  ])("knows no city %s", (city) => {
    assert.deepStrictEqual(placeOf(nested("GB", city)), { country: "GB", city: null })
    assert.deepStrictEqual(placeOf(flat("GB", city)), { country: "GB", city: null })
  })

  it.each(["x", "São Paulo", "'s-Hertogenbosch", "x".repeat(1024), "😀".repeat(1024)])(
    "knows the city %s",
    (city) => {
      assert.deepStrictEqual(placeOf(nested("GB", city)), { country: "GB", city })
      assert.deepStrictEqual(placeOf(flat("GB", city)), { country: "GB", city })
    }
  )

  it("knows nothing of a record of another shape", () => {
    for (const record of [...odd, "GB", { country: "GB" }, { country: null, city: null }, { city: [] }]) {
      assert.deepStrictEqual(placeOf(record), nowhere)
    }
  })
})
