/** From a database's record to a country and a city, in either of the two layouts in use. */
import { nowhere, type Place } from "@cairn/core/event"
import { Predicate } from "effect"

/**
 * Most characters (Unicode code points) of a city's name, as of any name in an event; a longer one is not
 * known.
 */
const MAX_CITY = 1024

const member = (value: unknown, key: string): unknown =>
  Predicate.hasProperty(value, key) ? value[key] : undefined

/** `ZZ`, which ISO 3166-1 leaves to users, marks reserved addresses in databases: no country. */
const countryCode = (value: unknown): string | null =>
  typeof value === "string" && /^[A-Z]{2}$/.test(value) && value !== "ZZ" ? value : null

/** A control character, or U+FFFD, which decoding puts where bytes were no UTF-8, or a lone surrogate. */
const NO_NAME = /[\p{Cc}\p{Cs}\uFFFD]/u

const cityName = (value: unknown): string | null => {
  if (typeof value !== "string" || value === "") return null
  // A code point takes at most two units: no need to count a text that is longer.
  if (value.length > MAX_CITY * 2 || Array.from(value).length > MAX_CITY) return null
  return NO_NAME.test(value) ? null : value
}

/**
 * Reads a record: GeoLite2 and GeoIP2 keep `country.iso_code` and `city.names.en`, the npm packages of DB-IP
 * `country_code` and `city` flat. Only `country` counts, where the address is used; `registered_country` is
 * where its block is registered. What is of another shape, as in a damaged file, is not known.
 */
export const placeOf = (record: unknown): Place => {
  const nested = member(record, "country")
  const country = countryCode(
    nested === undefined ? member(record, "country_code") : member(nested, "iso_code")
  )
  const named = member(record, "city")
  const city = cityName(typeof named === "string" ? named : member(member(named, "names"), "en"))
  return country === null && city === null ? nowhere : { country, city }
}
