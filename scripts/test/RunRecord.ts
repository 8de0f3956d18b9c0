/**
 * What a run of tests came to: which tests passed, how long each file took, and which trials only ran out of
 * time.
 */

/** An error as vitest gives it. */
export interface ErrorRecord {
  readonly name: string
  readonly message: string
}

/** One test of a file. */
export interface TestRecord {
  readonly title: string
  readonly state: "passed" | "failed" | "skipped"
  readonly errors: ReadonlyArray<ErrorRecord>
}

/** One file of tests, as one project ran it. */
export interface FileRecord {
  readonly project: string
  /** Relative to the repository. */
  readonly path: string
  /** The file's own time: its worker made ready, the file and what it imports loaded, hooks and tests run. */
  readonly millis: number
  /** The part of `millis` that went into loading. */
  readonly importMillis: number
  readonly tests: ReadonlyArray<TestRecord>
  /** Errors outside its tests: of loading, of hooks, and those that nobody caught. */
  readonly errors: ReadonlyArray<ErrorRecord>
}

/** A run. */
export interface RunRecord {
  readonly files: ReadonlyArray<FileRecord>
  /** Errors that belong to no file. */
  readonly errors: ReadonlyArray<ErrorRecord>
}

/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** A trial that ran out of time, and passed when it was run once more by itself. */
export interface Unsteady {
  readonly file: FileRecord
  /** Its own time by itself. */
  readonly againMillis: number
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/**
 * Counts tests. A file whose errors are all outside its tests is one failure, and so is a run with errors of
 * no file.
 */
export const countsOf = ({ files, errors }: RunRecord): Counts => {
  const tests = files.flatMap((file) => file.tests)
  const of = (state: TestRecord["state"]) => tests.filter((test) => test.state === state).length
  const broken = files.filter(
    (file) => file.errors.length > 0 && !file.tests.some(({ state }) => state === "failed")
  )
  return {
    passed: of("passed"),
    failed: of("failed") + broken.length + (errors.length > 0 ? 1 : 0),
    skipped: of("skipped")
  }
}

/** Milliseconds of all files together. */
export const ownTime = ({ files }: RunRecord): number => sum(files.map(({ millis }) => millis))

/** Milliseconds that all files together spent on loading. */
export const importTime = ({ files }: RunRecord): number => sum(files.map(({ importMillis }) => importMillis))

/** The files that took longest, the longest first. */
export const slowest = ({ files }: RunRecord, count: number): ReadonlyArray<FileRecord> =>
  files.toSorted((one, other) => other.millis - one.millis).slice(0, count)

/** Their names: in vitest, of a process that did not start, in Effect and in the platform. */
const OUT_OF_TIME = new Set(["TestTimeoutError", "HookTimeoutError", "OutOfTime", "TimeoutError"])

/** How Playwright says that a page did not come to show something, which may be a wrong answer. */
const NEVER_SHOWN = /^\w+\.\w+: Timeout \d+ms exceeded/

/** Whether an error says that time ran out, and nothing else. */
export const isOutOfTime = ({ name, message }: ErrorRecord): boolean =>
  OUT_OF_TIME.has(name) && !NEVER_SHOWN.test(message)

const errorsOf = (file: FileRecord): ReadonlyArray<ErrorRecord> => [
  ...file.errors,
  ...file.tests.flatMap(({ errors }) => errors)
]

/** Whether a file failed because it ran out of time, and for no other reason. */
export const ranOutOfTime = (file: FileRecord): boolean => {
  const errors = errorsOf(file)
  return errors.length > 0 && errors.every(isOutOfTime)
}

const hasFailed = (file: FileRecord): boolean =>
  file.errors.length > 0 || file.tests.some(({ state }) => state === "failed")

/**
 * Puts the second runs of files in the place of their first: the files that {@link ranOutOfTime}, each run by
 * itself. Those that passed then are unsteady. A file that is not among the second runs stays as it was. One
 * that another project ran again beside it, and that failed only then, has failed.
 */
export const settle = (
  first: RunRecord,
  second: ReadonlyArray<FileRecord>
): { readonly run: RunRecord; readonly unsteady: ReadonlyArray<Unsteady> } => {
  const againOf = (file: FileRecord) => {
    const again = second.find(({ project, path }) => project === file.project && path === file.path)
    const isWorse = again !== undefined && hasFailed(again) && !hasFailed(file)
    return ranOutOfTime(file) || isWorse ? again : undefined
  }
  return {
    run: { ...first, files: first.files.map((file) => againOf(file) ?? file) },
    unsteady: first.files.flatMap((file) => {
      const again = againOf(file)
      return again === undefined || hasFailed(again) ? [] : [{ file, againMillis: again.millis }]
    })
  }
}

const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1)} s`
const minutes = (millis: number): string => `${(millis / 60_000).toFixed(1)} min`

/** How a failure says what repeats its random choices. */
const SEED = /CAIRN_SEED=-?\d+/

/** How much of an error stands in the summary. */
const SHOWN = 200

/** The beginning of an error. */
const shown = ({ name, message }: ErrorRecord): string => {
  const [line = ""] = message.split("\n")
  return `${name}: ${line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line}`
}

const failedLine = (where: string, errors: ReadonlyArray<ErrorRecord>): string => {
  const [seed] = errors.flatMap(({ message }) => SEED.exec(message) ?? [])
  return [
    `failed${seed === undefined ? "" : ` with ${seed}`}: ${where}`,
    ...errors.slice(0, 1).map(shown)
  ].join(": ")
}

/** One line for each failure: of a test, of a file outside its tests, and of the run. */
const failedLines = ({ files, errors }: RunRecord): ReadonlyArray<string> => [
  ...files.flatMap(({ path, tests, errors: outside }) => [
    ...tests
      .filter(({ state }) => state === "failed")
      .map(({ title, errors: own }) => failedLine(`${path} > ${title}`, own)),
    ...(outside.length > 0 ? [failedLine(path, outside)] : [])
  ]),
  ...(errors.length > 0 ? [failedLine("the run", errors)] : [])
]

const unsteadyLine = ({ file, againMillis }: Unsteady): string =>
  `unsteady: ${file.path} ran out of time after ${seconds(file.millis)}, and passed by itself in ${seconds(againMillis)}`

/** How many of the slowest files are named. */
const NAMED = 10

/** What is printed at the end: times, what failed, and what was unsteady; the line of counts follows it. */
export const summary = (run: RunRecord, unsteady: ReadonlyArray<Unsteady>): ReadonlyArray<string> => [
  `Test time: ${minutes(ownTime(run))}, the sum of the own times of ${run.files.length} files; ${minutes(importTime(run))} of it loading`,
  ...slowest(run, NAMED).map(
    ({ project, path, millis }) => `${seconds(millis).padStart(9)}  ${path} (${project})`
  ),
  ...failedLines(run),
  ...unsteady.map(unsteadyLine)
]
