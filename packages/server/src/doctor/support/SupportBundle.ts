/** The file that a maintainer needs to help from afar, and that its sender can read before sending it. */
import { randomBytes } from "node:crypto"
import { link, open, unlink } from "node:fs/promises"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Effect } from "effect"
import { errorText } from "../../command/ErrorText.ts"
import { CommandFailed } from "../../command/Failure.ts"
import { CHECKS } from "../AllChecks.ts"
import { within } from "../Deadline.ts"
import { diagnose } from "../Diagnosis.ts"
import { codeOf } from "../Machine.ts"
import type { Patient } from "../Patient.ts"
import { secretsIn, withoutSecrets } from "../Secrets.ts"
import { anonymous } from "./Anonymous.ts"
import { databaseFacts, doctorFacts, logLines, machineFacts, metricsOf, settingFacts } from "./BundleParts.ts"
import { type ArchivedFile, tarOf } from "./TarArchive.ts"

/** The parts, and what each is. */
const PARTS = {
  "doctor.json": "what cairn doctor has found, without the ids and addresses that it is about",
  "machine.json": "versions of Cairn, Node.js and the system, processors and memory",
  "settings.json":
    "each setting with where it comes from; of a value that is given only a number, a switch or a word of a list",
  "database.json": "migrations, sizes and numbers of rows of tables, and how the database is set",
  "metrics.txt":
    "the metrics of the server that runs here, where CAIRN_METRICS_PORT or CAIRN_METRICS_TOKEN lets them be read",
  "log.txt":
    "the newest lines of the log that --log has named: time, level and message, without ids, addresses and quotations"
} as const

type Part = keyof typeof PARTS

const readme = (): string =>
  [
    "A support bundle of Cairn: what a maintainer needs to find out what is wrong.",
    "",
    ...Object.entries(PARTS).map(([name, what]) => `${name}: ${what}`),
    "",
    "It has no event and nothing of one, no name, address, e-mail or id of a workspace, a person or a",
    "customer, and no password, key or token, nor what looks like one. Paths of files and errors may name hosts of your own. All of",
    "it is text: look at it before you send it.",
    "",
    "  tar -xzOf FILE | less",
    ""
  ].join("\n")

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** A part, or why there is none: one that fails leaves the others. */
const part = <E>(name: Part, { limits }: Patient, text: Effect.Effect<string, E>) =>
  text.pipe(
    within(limits.check, Effect.succeed("# Not in time.\n")),
    Effect.catch((error) => Effect.succeed(`# Not there: ${anonymous(errorText(error))}\n`)),
    Effect.map((found): ArchivedFile => ({ name, text: found }))
  )

/** The files of the bundle. */
const bundleFiles = Effect.fnUntraced(function* (patient: Patient, log: string | null) {
  const secrets = secretsIn(patient.given, patient.environment)
  const results = yield* diagnose(CHECKS, patient)
  const files = [
    { name: "README.txt", text: readme() },
    yield* part(
      "doctor.json",
      patient,
      Effect.sync(() => asJson(doctorFacts(results)))
    ),
    yield* part(
      "machine.json",
      patient,
      Effect.sync(() => asJson(machineFacts()))
    ),
    yield* part(
      "settings.json",
      patient,
      Effect.sync(() => asJson(settingFacts(patient)))
    ),
    yield* part("database.json", patient, Effect.map(databaseFacts(patient), asJson)),
    yield* part("metrics.txt", patient, metricsOf(patient)),
    yield* part(
      "log.txt",
      patient,
      log === null ? Effect.succeed("# No log was named with --log.\n") : logLines(log)
    )
  ]
  return files.map(({ name, text }): ArchivedFile => ({ name, text: withoutSecrets(secrets, text) }))
})

const compress = promisify(gzip)

/** Writes a file that only its owner can read, whole or not at all; never over another. */
const writeNew = async (path: string, bytes: Uint8Array): Promise<void> => {
  const draft = `${path}.${randomBytes(4).toString("hex")}.part`
  const handle = await open(draft, "wx", 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
    await handle.close()
    await link(draft, path)
  } finally {
    await handle.close().catch(() => undefined)
    await unlink(draft)
  }
}

/** Writes the bundle, and returns its size and the names of its files. */
export const writeBundle = Effect.fnUntraced(function* (patient: Patient, path: string, log: string | null) {
  const files = yield* bundleFiles(patient, log)
  const bytes = yield* Effect.promise(() => compress(tarOf(files, Date.now())))
  // A process that is told to stop leaves no draft.
  const writing = Effect.tryPromise({
    try: () => writeNew(path, bytes),
    catch: (error) =>
      new CommandFailed(
        error instanceof Error && codeOf(error) === "EEXIST"
          ? { message: `${path} exists already; a support bundle never overwrites anything` }
          : { message: `${path} cannot be written: ${errorText(error)}`, kind: "failed" }
      )
  })
  yield* Effect.uninterruptible(writing)
  return { bytes: bytes.length, files: files.map(({ name }) => name) }
})
