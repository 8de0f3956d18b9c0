/** Writes what a run came to as a {@link RunRecord}, into the file that `CAIRN_TEST_RECORD` names. */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { SerializedError } from "vitest"
import type { Reporter, TestCase, TestModule } from "vitest/node"
import type { ErrorRecord, FileRecord, RunRecord, TestRecord } from "./RunRecord.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

const errorRecord = ({ name, message }: { name?: string; message?: string }): ErrorRecord => ({
  name: name ?? "Error",
  message: message ?? ""
})

const testRecord = (test: TestCase): TestRecord => {
  const { state, errors = [] } = test.result()
  return {
    title: test.fullName,
    state: state === "passed" || state === "failed" ? state : "skipped",
    errors: errors.map(errorRecord)
  }
}

/** Vitest marks an error that nobody caught with the file that ran then. */
const fileOf = (error: SerializedError): unknown => error.VITEST_TEST_PATH

const fileRecord = (file: TestModule, uncaught: ReadonlyArray<SerializedError>): FileRecord => {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
    file.diagnostic()
  const importMillis = environmentSetupDuration + prepareDuration + setupDuration + collectDuration
  const suites = [...file.children.allSuites()]
  const errors = [...file.errors(), ...suites.flatMap((suite) => suite.errors())]
  return {
    project: file.project.name,
    path: relative(ROOT, file.moduleId),
    millis: importMillis + duration,
    importMillis,
    tests: [...file.children.allTests()].map(testRecord),
    errors: [...errors, ...uncaught.filter((error) => fileOf(error) === file.moduleId)].map(errorRecord)
  }
}

/** The reporter; vitest makes it. */
export default class RunReporter implements Reporter {
  onTestRunEnd(files: ReadonlyArray<TestModule>, uncaught: ReadonlyArray<SerializedError>) {
    const known = new Set<unknown>(files.map(({ moduleId }) => moduleId))
    const record: RunRecord = {
      files: files.map((file) => fileRecord(file, uncaught)),
      errors: uncaught.filter((error) => !known.has(fileOf(error))).map(errorRecord)
    }
    // biome-ignore lint/suspicious/noUndeclaredEnvVars: no task of turbo runs this.
    const target = process.env.CAIRN_TEST_RECORD
    if (target !== undefined) writeFileSync(target, JSON.stringify(record))
  }
}
