// Everything that has to hold before a change is done: types, lint, build, tests, in this order, each even if one before
// it failed. The last line says how it went: "N passed, N failed, N skipped", in which a failed step counts as one.
// Arguments go to vitest: `npm test -- packages/core`. With `--trials` as the first (`npm run test:trials`) it runs the long trials and
// nothing else.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs a command of a development dependency to its end and tells whether it succeeded. */
const run = (title, command, args) => {
  process.stdout.write(`\n== ${title}\n`)
  const { status, error } = spawnSync(process.execPath, [join(root, "node_modules", command), ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" }
  })
  if (error) process.stderr.write(`${error.message}\n`)
  if (status !== 0) process.stdout.write(`== ${title}: failed\n`)
  return status === 0
}

/** How many tests of a vitest JSON report passed, failed and were skipped; a file that could not run is one failure. */
const readReport = (file) => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { status, assertionResults } of JSON.parse(readFileSync(file, "utf8")).testResults) {
    const failedBefore = counts.failed
    for (const test of assertionResults) {
      counts[test.status === "passed" || test.status === "failed" ? test.status : "skipped"] += 1
    }
    if (status === "failed" && counts.failed === failedBefore) counts.failed += 1
  }
  return counts
}

const runTests = (args) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-test-"))
  const report = join(folder, "report.json")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  let counts = { passed: 0, failed: 0, skipped: 0 }
  let succeeded = run("test", "vitest/vitest.mjs", ["run", ...reporters, ...args])
  try {
    counts = readReport(report)
  } catch (error) {
    process.stderr.write(`vitest left no report: ${error.message}\n`)
    succeeded = false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  // An error outside any test, a crash, or no test at all: nothing above counts it.
  if (counts.failed === 0 && (!succeeded || counts.passed + counts.skipped === 0)) counts.failed = 1
  return counts
}

const [first, ...others] = process.argv.slice(2)
const isTrials = first === "--trials"
const steps = isTrials
  ? []
  : [
      run("type-check", "typescript/bin/tsc", ["--noEmit"]),
      run("lint", "@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."]),
      run("build", "turbo/bin/turbo", ["run", "build", "--cache=local:rw", "--output-logs=errors-only"])
    ]
const {
  passed,
  failed: failedTests,
  skipped
} = runTests(isTrials ? ["--config", "vitest.trials.config.ts", ...others] : process.argv.slice(2))
const failed = failedTests + steps.filter((succeeded) => !succeeded).length
process.exitCode = failed === 0 ? 0 : 1
process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
