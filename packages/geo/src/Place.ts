/** From a database's record to a country and a city, in either of the two layouts in use. */
import { nowhere, type Place } from "@cairn/core"

/** Most characters of a city's name. */
const MAX_CITY = 1024

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

const countryCode = (value: unknown): string | null =>
  typeof value === "string" && /^[A-Z]{2}$/.test(value) ? value : null

const cityName = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= MAX_CITY && value.isWellFormed() ? value : null

/**
 * Reads a record: GeoLite2 and GeoIP2 City keep `country.iso_code` and `city.names.en`, DB-IP Lite keeps `country_code` and
 * `city` flat. What is of another shape, as in a damaged file, is not known.
 */
export const placeOf = (record: unknown): Place => {
  const country = countryCode(member(member(record, "country"), "iso_code") ?? member(record, "country_code"))
  const named = member(member(member(record, "city"), "names"), "en")
  const city = cityName(named ?? member(record, "city"))
  return country === null && city === null ? nowhere : { country, city }
}
