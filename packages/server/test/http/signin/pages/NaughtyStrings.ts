/** The big list of naughty strings, from the folder of foreign vectors that `CAIRN_FOREIGN` names. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const foreign = process.env.CAIRN_FOREIGN

/** Whether it is not there. */
export const noForeign = foreign === undefined

/** The part of the titles of tests that are skipped for it. */
export const withoutForeign = noForeign ? " (skipped: CAIRN_FOREIGN names no folder of foreign vectors)" : ""

const decode = Schema.decodeSync(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The strings. */
export const naughtyList = (): ReadonlyArray<string> =>
  decode(readFileSync(join(foreign ?? "", "vectors", "naughty-strings", "blns.json"), "utf8"))
