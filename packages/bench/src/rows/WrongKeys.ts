/**
 * How good requests slow down under a hundred wrong keys a second: well-formed, with a known id and another
 * secret.
 */

import { type RandomnessShape, webCryptoRandomness } from "@cairn/core/hashing"
import { apiKeyPublicId, generateApiKey } from "@cairn/core/workspace"
import type { Bench } from "../Bench.ts"
import { load } from "../Load.ts"
import type { Row } from "../Row.ts"
import { newTenant, startServer } from "../ServerUnderTest.ts"

/** Requests a second. */
const GOOD = 500
const WRONG = 100
const WARM_UP = 2
/** By how much the p99 may grow. */
const FACTOR = 2

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A key with the public id and the checksum of a good one, and a secret of its own. */
const withAnotherSecret = (key: string): string => {
  const random = webCryptoRandomness()
  const publicId = apiKeyPublicId(key) ?? ""
  let asked = 0
  // A key is made of its id first, one byte a character.
  const sameId: RandomnessShape = {
    bytes: (count) =>
      asked++ === 0
        ? Uint8Array.from(publicId, (character) => BASE62.indexOf(character))
        : random.bytes(count)
  }
  const made = generateApiKey(sameId).key
  if (apiKeyPublicId(made) !== publicId) throw new Error("the wrong key must have the right id")
  return made
}

/** Measures it. */
export const wrongKeys = async ({ server, settings: { seconds } }: Bench): Promise<ReadonlyArray<Row>> => {
  const database = await server.newDatabase()
  const tenant = newTenant(database)
  const cairn = await startServer(database)
  const good = {
    url: `${cairn.baseUrl}/api/v1/events`,
    keys: [tenant.key],
    connections: 16,
    batch: 1,
    rate: GOOD,
    seconds
  }
  await load({ ...good, seconds: WARM_UP })
  const normal = await load(good)
  const [pressed, wrong] = await Promise.all([
    load(good),
    load({ ...good, keys: [withAnotherSecret(tenant.key)], rate: WRONG })
  ])
  await cairn.stop()
  await database.remove()
  return [
    {
      number: "15",
      what: `p99 of ${GOOD} single events a second beside ${WRONG} requests a second with wrong keys, against without`,
      database: server.product,
      limit: normal.p99,
      measured: pressed.p99,
      unit: "ms",
      target: `≤ ${FACTOR} ×`,
      met: pressed.p99 <= FACTOR * normal.p99 && wrong.accepted === 0 && pressed.refused === 0,
      note: `${wrong.refused} wrong keys refused, ${pressed.refused} good ones`
    }
  ]
}
