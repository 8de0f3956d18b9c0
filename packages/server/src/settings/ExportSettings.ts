/** Where the files of exports lie: `CAIRN_EXPORT_STORE`, read. */
import { join } from "node:path"
import { withoutSlashesAround } from "@cairn/core/outbound"
import { Schema } from "effect"
import { byKind, type Database } from "./Database.ts"

/** Crosses to the delivery thread as structured clone. */
export const ExportStoreSettings = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("folder"), path: Schema.String }),
  Schema.Struct({
    kind: Schema.Literal("s3"),
    /** Null for AWS. */
    endpoint: Schema.NullOr(Schema.String),
    region: Schema.String,
    bucket: Schema.String,
    /** What keys begin with; empty, or with a `/` at its end. */
    prefix: Schema.String,
    accessKeyId: Schema.String,
    /** Never to be shown. */
    secretAccessKey: Schema.String
  })
])
export type ExportStoreSettings = typeof ExportStoreSettings.Type

const DEFAULT_REGION = "us-east-1"

const readS3 = (text: string): ExportStoreSettings | undefined => {
  if (!URL.canParse(text)) return undefined
  const { username, password, hostname, port, pathname, searchParams } = new URL(text)
  const endpoint = searchParams.get("endpoint")
  if (username === "" || password === "" || hostname === "" || port !== "") return undefined
  if (endpoint !== null && !(/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))) return undefined
  try {
    const folder = withoutSlashesAround(decodeURIComponent(pathname))
    return {
      kind: "s3",
      endpoint,
      region: searchParams.get("region") ?? DEFAULT_REGION,
      bucket: hostname,
      prefix: folder === "" ? "" : `${folder}/`,
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password)
    }
  } catch {
    return undefined
  }
}

/** How a URL begins, be it mistyped. */
const SCHEME = /^[a-z][a-z0-9+.-]*(?::|\/\/)/i

/** Whether a colon is before an `@`, as in a user with a password. */
const hasPassword = (segment: string): boolean => {
  const colon = segment.indexOf(":")
  return colon >= 0 && segment.includes("@", colon)
}

/** Whether it is a URL, or may have been meant as one: no folder is made whose name holds a secret. */
const isLikeUrl = (text: string): boolean =>
  SCHEME.test(text) || text.includes("://") || text.split("/").some(hasPassword)

/**
 * Reads a folder's path, or `s3://KEY:SECRET@BUCKET/PREFIX?region=…&endpoint=…`; `undefined` for anything
 * else.
 */
export const readExportStore = (
  text: string
): { readonly settings: ExportStoreSettings | null } | undefined => {
  if (text === "") return { settings: null }
  if (!isLikeUrl(text)) return { settings: { kind: "folder", path: text } }
  const settings = text.startsWith("s3://") ? readS3(text) : undefined
  return settings === undefined ? undefined : { settings }
}

/**
 * The default: `data/cairn.db` gives `data/cairn-exports`, and so does PostgreSQL, which has no folder on
 * this machine.
 */
export const defaultExportStore = (database: Database): ExportStoreSettings => ({
  kind: "folder",
  path: byKind(database, {
    sqlite: ({ filename }) => `${filename.replace(/\.db$/, "")}-exports`,
    postgres: () => join(".", "data", "cairn-exports")
  })
})
