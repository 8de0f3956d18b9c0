/** The version of this package. */
import { readFileSync } from "node:fs"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))

export const { version } = decode(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
