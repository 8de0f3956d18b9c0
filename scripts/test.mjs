/**
 * Runs the tests, in one of four ways; arguments that follow go to vitest, most often paths.
 *
 * - `npm test`: everything that has to hold before a change is done, but the trials: types, lint, build and
 *   tests, in this order, each even if one before it failed. The HTTP tests run on SQLite.
 * - `npm run test:quick -- packages/core`: nothing but the tests of these paths, for a loop of seconds; with
 *   `--watch`, again at each change. The HTTP tests run over a storage in memory.
 * - `npm run test:hold`: the trials in their short form, and the HTTP tests on PostgreSQL; those of
 *   `packages/server/test/http/long` on SQLite too. A trial kills, fills, floods or outlasts the service,
 *   installs packages, or tries thousands of cases; trials are `packages/server/test/hold/*.test.ts` and
 *   `*.trial.ts`.
 * - `npm run test:endurance`: the same with the trials whole, one file after the other, and then the tests
 *   that draw at random for longer in such a run.
 *
 * Near the end stand the sum of the files' own times, the ten slowest files, and for each failure a line that
 * begins with "failed"; the last line is "N passed, N failed, N skipped", in which a failed step counts as
 * one. A file's own time is the wall time of its worker on it: making ready, loading the file and what it
 * imports, hooks and tests. Files run side by side, so the sum is more than the time that one waits.
 *
 * A trial that ran out of time is run once more by itself, with what the first run drew at random. If it
 * passes, it counts as passed and is named as unsteady. One that failed in any other way is not run again.
 */
import { spawn, spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { countsOf, ranOutOfTime, settle, summary } from "./test/RunRecord.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs a program of the repository or of its dependencies to its end and tells whether it succeeded. */
const run = (title, program, args, variables = {}) => {
  process.stdout.write(`\n== ${title}\n`)
  const { status, error } = spawnSync(process.execPath, [join(root, program), ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", ...variables }
  })
  if (error) process.stderr.write(`${error.message}\n`)
  if (status !== 0) process.stdout.write(`== ${title}: failed\n`)
  return status === 0
}

/** Runs vitest; gives what came of it, with an error of no file where nothing else says why it failed. */
const runTests = (title, args, variables) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-test-"))
  const file = join(folder, "record.json")
  const reporters = ["--reporter=default", `--reporter=${join(root, "scripts/test/RunReporter.ts")}`]
  const succeeded = run(title, "node_modules/vitest/vitest.mjs", ["run", ...reporters, ...args], {
    CAIRN_TEST_RECORD: file,
    ...variables
  })
  let record = { files: [], errors: [] }
  try {
    record = JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    process.stderr.write(`vitest left no record: ${error.message}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { passed, failed, skipped } = countsOf(record)
  const isUnexplained = failed === 0 && (!succeeded || passed + skipped === 0)
  const unexplained = isUnexplained ? [{ name: "Error", message: "vitest failed, or ran no test" }] : []
  return { ...record, errors: [...record.errors, ...unexplained] }
}

/** One file after the other. */
const ALONE = "--no-file-parallelism"

/** What takes its time: the trials, and the HTTP tests that `npm test` leaves out. */
const TRIALS = ["--project=trials", "--project=http on postgres", "--project=long http on sqlite"]

/**
 * Runs trials, and those that ran out of time once more, one after the other and nothing beside them. Both
 * runs have these limits, and draw from the same seed: what a trial drew may be why it did not end.
 */
const runTrials = (args, { limits = [], beside, variables = {} }) => {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: no task of turbo runs this.
  const seed = process.env.CAIRN_RUN_SEED ?? String(randomInt(2 ** 31))
  const both = { CAIRN_RUN_SEED: seed, ...variables }
  const first = runTests("trials", [...TRIALS, ...limits, beside, ...args], both)
  const late = first.files.filter(ranOutOfTime).map(({ path }) => path)
  if (late.length === 0) return { run: first, unsteady: [] }
  const alone = [...TRIALS, ...limits, ALONE]
  const second = runTests("trials that ran out of time, once more", [...alone, ...late], both)
  process.stdout.write(`\nBoth runs drew from CAIRN_RUN_SEED=${seed}\n`)
  return settle({ ...first, errors: [...first.errors, ...second.errors] }, second.files)
}

/** Fetches in the background what a test needs that npm does not install; an earlier test fetches its own. */
const fetchOldestNode = () =>
  void spawn(process.execPath, [join(root, "scripts/test/FetchOldestNode.ts")], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"]
  }).unref()

/** Title, program and arguments of each step before the tests. */
const CHECKS = [
  ["type-check", "scripts/types.mjs", []],
  ["lint", "node_modules/@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."]],
  ["prose", "scripts/prose.mjs", []],
  ["build", "node_modules/turbo/bin/turbo", ["run", "build", "--cache=local:rw", "--output-logs=errors-only"]]
]

/** Runs each step, also after one that failed, and gives the titles of those that failed. */
const failedChecks = () => CHECKS.filter((step) => !run(...step)).map(([title]) => title)

/** What a loop of seconds runs: the HTTP tests over a storage in memory. */
const QUICK = ["--project=all", "--project=http on memory"]

/** What has to hold before a change is done. */
const ORDINARY = ["--project=all", "--project=http on sqlite"]

/** Runs tests again at each change, until the developer ends it. */
const watch = (args) => {
  const { status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "watch", ...QUICK, ...args],
    { cwd: root, stdio: "inherit" }
  )
  process.exit(status ?? 1)
}

const quick = (args) =>
  args.includes("--watch")
    ? watch(args.filter((arg) => arg !== "--watch"))
    : { failedSteps: [], run: runTests("test", [...QUICK, ...args]), unsteady: [] }

const ordinary = (args) => ({ run: runTests("test", [...ORDINARY, ...args]), unsteady: [] })

/** Files that are no trials, and draw at random for longer, or try more, where trials run whole. */
const LONGER = [
  "packages/storage-sqlite/test/IdempotencyKeys",
  "packages/storage-sqlite/test/SqliteStorage",
  "packages/testing/test/memory/MemoryRemoval",
  "packages/testing/test/memory/MemoryStorage"
]

/** The trials whole, and without arguments the tests of {@link LONGER} too. */
const endurance = (args) => {
  const variables = { CAIRN_ENDURANCE: "true" }
  const limits = ["--testTimeout=0", "--hookTimeout=0"]
  const trials = runTrials(args, { limits, beside: ALONE, variables })
  if (args.length > 0) return { failedSteps: [], ...trials }
  const longer = runTests("tests that take longer", ["--project=all", ALONE, ...limits, ...LONGER], variables)
  const { files, errors } = trials.run
  return {
    failedSteps: [],
    run: { files: [...files, ...longer.files], errors: [...errors, ...longer.errors] },
    unsteady: trials.unsteady
  }
}

const modes = {
  "--all": (args) => ({ failedSteps: failedChecks(), ...ordinary(args) }),
  "--quick": quick,
  // One more than two cores: what kills, restarts and waits leaves a quarter of the time idle.
  "--hold": (args) => {
    fetchOldestNode()
    return { failedSteps: [], ...runTrials(args, { beside: "--maxWorkers=3" }) }
  },
  "--endurance": endurance
}

const [mode = "--all", ...args] = process.argv.slice(2)
const { failedSteps, run: record, unsteady } = modes[mode](args)
const { passed, failed: failedTests, skipped } = countsOf(record)
const failed = failedTests + failedSteps.length
const lines = [...failedSteps.map((title) => `failed: ${title}`), ...summary(record, unsteady)]
process.exitCode = failed === 0 ? 0 : 1
process.stdout.write(`\n${lines.join("\n")}\n\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
