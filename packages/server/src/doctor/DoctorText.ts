/** What the doctor found, for people; and the list of checks as `docs/Doctor.md` has it. */
import type { Check, CheckResult, Finding } from "./Check.ts"

const WORDS = { error: "ERROR", warning: "WARNING" } as const

const findingLines = (
  result: CheckResult,
  { severity, cause, mend, about }: Finding
): ReadonlyArray<string> => [
  `${WORDS[severity]}  ${result.title} (${result.id}): ${cause}`,
  ...(about.length === 0 ? [] : [`  about: ${about.join(", ")}`]),
  `  to mend it: ${mend}`
]

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

const summary = (results: ReadonlyArray<CheckResult>): string => {
  const of = (status: CheckResult["status"]) => results.filter((result) => result.status === status).length
  return [
    count(of("error"), "check has found an error", "checks have found errors"),
    `${of("warning")} a reason for a warning`,
    `${of("ok")} nothing`,
    count(of("skipped"), "was skipped", "were skipped")
  ].join(", ")
}

const line = ({ id, title, status, skipped }: CheckResult): string =>
  `${status.padEnd(8)} ${title} (${id})${skipped === null ? "" : `: ${skipped}`}`

/** The text: errors, then warnings, then a line that counts; `all` lists every check before. */
export const doctorText = (results: ReadonlyArray<CheckResult>, all: boolean): string => {
  const of = (severity: Finding["severity"]) =>
    results.flatMap((result) =>
      result.findings
        .filter((finding) => finding.severity === severity)
        .flatMap((finding) => findingLines(result, finding))
    )
  return [...(all ? results.map(line) : []), ...of("error"), ...of("warning"), summary(results)].join("\n")
}

/** Whether no check has found an error. */
export const isHealthy = (results: ReadonlyArray<CheckResult>): boolean =>
  results.every(({ status }) => status !== "error")

const KINDS = { sqlite: "SQLite", postgres: "PostgreSQL" } as const

const row = ({ id, looks, database }: Check): string =>
  `| \`${id}\` | ${database === undefined ? "any" : KINDS[database]} | ${looks} |`

/** The checks, each id once; SQLite's and PostgreSQL's of one id are two rows. */
export const checksTable = (checks: ReadonlyArray<Check>): string =>
  ["| check | database | what it looks at |", "|---|---|---|", ...checks.map(row)].join("\n")
