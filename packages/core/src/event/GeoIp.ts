/** Where an address is, as far as a geolocation database knows. */
import { Context, Layer } from "effect"

/** A country and a city; each null when the database does not know it. */
export interface Place {
  /** Two-letter ISO 3166-1 country code, upper case. */
  readonly country: string | null
  /** The city's English name. */
  readonly city: string | null
}

/** Nothing is known of the address, or it is private. */
export const nowhere: Place = { country: null, city: null }

/**
 * Port: geographic enrichment.
 *
 * `lookup` is synchronous and never fails: an address that is private, unknown or not an address at all, and
 * a database that is missing or damaged, give {@link nowhere}. An event is never lost for want of a place.
 */
export class GeoIp extends Context.Service<GeoIp, { readonly lookup: (address: string) => Place }>()(
  "@cairn/core/GeoIp"
) {
  /** Knows no place at all: for installations without a database. */
  static readonly layerNowhere = Layer.succeed(GeoIp, { lookup: () => nowhere })
}
