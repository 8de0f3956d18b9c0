/** `cairn backup` */
import { existsSync } from "node:fs"
import { Micros } from "@cairn/core/encoding"
import { backupTo, secretKeyFile } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed } from "./Failure.ts"
import { configuration, json, print } from "./Shared.ts"

const MEBIBYTE = 1024 * 1024

/** What to do with the secret key, which no copy of the database holds. */
export const keyAdvice = (isVariable: boolean, filename: string): string => {
  const file = secretKeyFile(filename)
  return isVariable || existsSync(file)
    ? `The secret key is not in it: keep ${isVariable ? "CAIRN_SECRET_KEY" : file} apart; a restored copy does not start without it`
    : `The secret key is not in it, and ${file} is not there either: set CAIRN_SECRET_KEY, or put the file back and keep it apart; without it neither this database nor a restored copy starts once something is sealed`
}

/** `cairn backup FILE` */
export const backupCommand = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(Argument.withDescription("File to write, which must not exist yet")),
    json
  },
  Effect.fn(function* (flags) {
    const { database, secretKeys } = yield* configuration
    if (database.kind !== "sqlite") {
      return yield* new CommandFailed({
        message:
          "backup copies a SQLite database; for PostgreSQL use pg_dump or continuous archiving, see docs/Operations.md"
      })
    }
    const result = yield* backupTo(database.filename, flags.file, yield* Micros.now)
    const { events, waiting, bytes } = result
    const text = `${flags.file}: ${events} events, ${waiting} more waiting, ${(bytes / MEBIBYTE).toFixed(1)} MiB`
    const key = keyAdvice(secretKeys.length > 0, database.filename)
    yield* print(flags.json, { ...result, secret_key: key }, `${text}\n${key}`)
  })
).pipe(
  Command.withExamples([{ command: "cairn backup /backups/2026-07-01/cairn.db" }]),
  Command.withDescription("Copy the SQLite database while it is in use; cairn restore puts the copy back")
)
