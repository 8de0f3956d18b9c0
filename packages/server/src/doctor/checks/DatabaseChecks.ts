/** Whether the database can be opened, and is at this version. */
import { storeErrorText } from "@cairn/core/log"
import { Effect, Predicate, Result } from "effect"
import { nameOf } from "../../settings/Database.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { FileUnreadable, TablesHidden } from "../OpenedDatabase.ts"
import type { Patient } from "../Patient.ts"
import { isEmptyFile } from "../Places.ts"
import { Skipped } from "../Skipped.ts"
import { opened } from "../WholeDatabase.ts"

const needs = [SETTINGS.database.name]

/** The code of the first cause that has one: an SQLSTATE, or the system's. */
const codeIn = (error: unknown): string => {
  let at: unknown = error
  for (let depth = 0; typeof at === "object" && at !== null && depth < 8; depth++) {
    if ("code" in at && typeof at.code === "string" && at.code !== "ERR_SQLITE_ERROR") return at.code
    at = "cause" in at && at.cause !== undefined ? at.cause : "reason" in at ? at.reason : undefined
  }
  return ""
}

/** The innermost thing that was said. */
const wordsOf = (error: unknown): string => storeErrorText(error).split("; ").at(-1) ?? ""

const unreadable = ({ file, cause }: FileUnreadable): Finding => {
  const words = wordsOf(cause)
  if (/not a database/i.test(words))
    return fault(
      `${file} is not a SQLite database`,
      "correct CAIRN_DATABASE_URL; or stop the servers, then cairn restore BACKUP"
    )
  if (/malformed/i.test(words))
    return fault(
      `${file} is damaged (${words})`,
      "stop the servers, keep the files, then cairn restore BACKUP"
    )
  return fault(
    `${file} cannot be opened (${words})`,
    `let the user of the server read and write ${file} and its folder (chown, chmod 600)`
  )
}

/** The statement that lets sessions of the role begin with another setting, whatever else says so. */
export const ofSessions = (
  { role_name, database_name }: { readonly role_name: string; readonly database_name: string },
  setting: string,
  value: string
): string => `ALTER ROLE ${role_name} IN DATABASE ${database_name} SET ${setting} = ${value}`

const hidden = (places: TablesHidden): Finding => {
  const { with_tables, search_path } = places
  return fault(
    `there are tables of Cairn in the schema ${with_tables.join(" and ")}, which search_path (${search_path}) does not name: a server would begin an empty log`,
    ofSessions(places, "search_path", with_tables[0] ?? "public")
  )
}

/** What PostgreSQL says by its SQLSTATE, or the system by its code, and what to do about it. */
const REMEDIES: Readonly<Record<string, string>> = {
  "28P01": "correct the password in CAIRN_DATABASE_URL, or set it: ALTER ROLE cairn PASSWORD '…'",
  "28000":
    "let the role in: pg_hba.conf of the server, and sslmode=require in CAIRN_DATABASE_URL if it wants TLS",
  "3D000": "make the database (createdb NAME), or correct its name in CAIRN_DATABASE_URL",
  "53300": "raise max_connections, lower CAIRN_DATABASE_CONNECTIONS, or end sessions that nobody uses",
  "57P03": "wait until the server has started, and run this again",
  "42501": "let the role use the schema: GRANT USAGE, CREATE ON SCHEMA public TO cairn",
  ECONNREFUSED: "start PostgreSQL, and correct host and port in CAIRN_DATABASE_URL",
  ENOTFOUND:
    "correct the name of the host in CAIRN_DATABASE_URL, or the machine's name servers (/etc/resolv.conf)",
  EAI_AGAIN:
    "correct the name of the host in CAIRN_DATABASE_URL, or the machine's name servers (/etc/resolv.conf)",
  ECONNRESET: "correct sslmode in CAIRN_DATABASE_URL, and look into the log of PostgreSQL",
  ETIMEDOUT: "open the way to the host and port of CAIRN_DATABASE_URL: firewalls, routes, listen_addresses"
}

/** By the words, where there is no code. */
const BY_WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /\bis a standby\b/,
    "start the primary, or promote a standby (SELECT pg_promote()), and let CAIRN_DATABASE_URL name it"
  ],
  [
    /certificate|sslrootcert|sslcert|sslkey|self.signed|altname|does not match/i,
    "let sslrootcert in CAIRN_DATABASE_URL name the authority that signed the server's certificate"
  ],
  [
    /ssl|tls/i,
    "take sslmode out of CAIRN_DATABASE_URL, or turn TLS on in PostgreSQL (ssl = on in postgresql.conf)"
  ],
  [
    /time|answer/i,
    "open the way to the host and port of CAIRN_DATABASE_URL: firewalls, routes, listen_addresses"
  ],
  [/password/i, "correct the password in CAIRN_DATABASE_URL"]
]

/** What mends it that a server cannot be reached, by its code or, without one, by what it says. */
export const serverRemedy = (words: string, code = ""): string =>
  REMEDIES[code] ??
  BY_WORDS.find(([pattern]) => pattern.test(words))?.[1] ??
  Object.entries(REMEDIES).find(([known]) => words.includes(known))?.[1] ??
  "correct CAIRN_DATABASE_URL, and look into the log of PostgreSQL"

const unreachable = (error: unknown, { settings: { database } }: Patient): Finding => {
  // What the driver could not even begin with: its own message says it better than its cause.
  const isOwn = Predicate.isTagged(error, "UnreadableCertificate") && error instanceof Error
  const [code, words] = isOwn ? ["", error.message] : [codeIn(error), wordsOf(error)]
  const mend = serverRemedy(`${words} ${storeErrorText(error)}`, code)
  const said = words === "" ? code : words
  return fault(`${nameOf(database)} cannot be opened: ${said}`, mend)
}

const database: Check = {
  id: "database",
  title: "Database",
  looks: "Whether it can be opened: a file of SQLite, or PostgreSQL with this host, password and TLS",
  needs,
  run: (patient) =>
    Effect.gen(function* () {
      const found = yield* Effect.result(patient.opening)
      if (Result.isSuccess(found)) return []
      const { failure } = found
      if (failure instanceof Skipped) return yield* failure
      if (failure instanceof FileUnreadable) return [unreadable(failure)]
      return [failure instanceof TablesHidden ? hidden(failure) : unreachable(failure, patient)]
    })
}

const version: Check = {
  id: "schema-version",
  title: "Version of the database",
  looks: "Whether it is at the migration of this version: an older one waits for `cairn migrate`",
  needs,
  run: (patient) =>
    Effect.map(opened(patient), ({ versions }) =>
      versions.flatMap(({ where, found, needed, known }): ReadonlyArray<Finding> => {
        // One without anything beside others that have something lost it, see database-files.
        if (where !== "" && isEmptyFile(where) && versions.some((other) => other.found > 0)) return []
        const what = where === "" ? "the database" : where
        if (found > known) {
          const newer = `${what} is at migration ${found}, and this version of Cairn knows only ${known}`
          const remedy = "run the newer version of Cairn that has migrated it"
          return [needed > known ? fault(newer, remedy) : warning(`${newer}; the rest only adds`, remedy)]
        }
        return found < known
          ? [
              warning(
                `${what} is at migration ${found}, and this version of Cairn has ${known}`,
                "cairn migrate, or cairn serve, which does the same when it starts"
              )
            ]
          : []
      })
    )
}

/** Checks of either database. */
export const DATABASE_CHECKS: ReadonlyArray<Check> = [database, version]
