/** The country and city of an address, according to a geolocation database. */
import { Context, Layer } from "effect"

/** A country and a city; each null if the database does not have it. */
export interface Place {
  /** Two-letter ISO 3166-1 country code, upper case. */
  readonly country: string | null
  /** The city's English name. */
  readonly city: string | null
}

/** The result for an address that is unknown or private. */
export const nowhere: Place = { country: null, city: null }

/**
 * Port: geographic enrichment.
 *
 * `lookup` is synchronous and never fails: it returns {@link nowhere} for an address that is private, unknown
 * or invalid, and if the database is missing or damaged. So no event is lost because a location is missing.
 */
export class GeoIp extends Context.Service<GeoIp, { readonly lookup: (address: string) => Place }>()(
  "@cairn/core/GeoIp"
) {
  /** Always returns {@link nowhere}: for installations without a database. */
  static readonly layerNowhere = Layer.succeed(GeoIp, { lookup: () => nowhere })
}
