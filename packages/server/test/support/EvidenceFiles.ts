/** Evidence files of a test log that is anchored on a test chain, and what an auditor knows of it. */
import { gunzipSync, gzipSync } from "node:zlib"
import { formatVerifierKey } from "@cairn/core/note"
import { testBundle, testLog } from "@cairn/testing"
import { serviceKey, signer } from "../../../verifier/test/Bundles.ts"
import { testChain } from "../../../verifier/test/TestChain.ts"

const chain = testChain()
const log = testLog({ events: 60, periods: [20, 40], send: chain.send })

/** The key that has signed the checkpoints of the files. */
export const KEY = formatVerifierKey(serviceKey)

/** The account that has anchored. */
export const ACCOUNT = chain.address

/** Blocks that hold the anchors, as `NUMBER=HASH`. */
export const BLOCKS: ReadonlyArray<string> = [...chain.blocks].map(([number, hash]) => `${number}=${hash}`)

/** The file of the whole log, and one from when it was shorter. */
export const whole = gzipSync(testBundle(log, { signer }).join(""))
export const earlier = gzipSync(testBundle(log, { signer, to: 50, size: 50 }).join(""))

/** A file of another log. */
export const ofAnotherLog = gzipSync(testBundle(testLog({ events: 10, seed: 2 }), { signer }).join(""))

/** A file of as many events, to be checked for a while. */
export const long = (events: number): Uint8Array =>
  gzipSync(testBundle(testLog({ events }), { signer }).join(""))

/** The file with another salt at chosen events: their contents are not what was hashed. */
export const withChangedContents = (file: Uint8Array, isChosen: (line: string) => boolean): Uint8Array => {
  const lines = gunzipSync(file).toString().split("\n")
  const changed = lines.map((line) =>
    line.endsWith('"type":"event"}') && isChosen(line)
      ? line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
      : line
  )
  return gzipSync(changed.join("\n"))
}

/** The event whose content is not what was hashed in {@link tampered}. */
export const TAMPERED_EVENT = log.events[16]

/** The file with one event whose content is not what was hashed. */
export const tampered = withChangedContents(whole, (line) => line.includes('"sequence":17,"type"'))
