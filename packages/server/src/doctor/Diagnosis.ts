/** Makes the checks: each by itself and with a deadline, a few at a time. */
import { printable } from "@cairn/core/verification"
import { Cause, Effect, Logger, Scope } from "effect"
import { errorText } from "../command/ErrorText.ts"
import type { Environment } from "../settings/SettingDeclaration.ts"
import { type Check, type CheckResult, type CheckStatus, type Finding, fault } from "./Check.ts"
import { DAMAGE_CHECK } from "./checks/SqliteChecks.ts"
import { CHECK_SECONDS, type Limits, limitsOf, within } from "./Deadline.ts"
import { type Machine, thisMachine } from "./Machine.ts"
import { openDatabase } from "./OpenedDatabase.ts"
import type { Patient } from "./Patient.ts"
import { secretsIn, withoutSecrets } from "./Secrets.ts"
import { Skipped } from "./Skipped.ts"
import { readSettings } from "./WrongSettings.ts"

/** What is examined. */
export interface DiagnosisOptions {
  readonly environment: Environment
  readonly machine?: Machine
  readonly ntp?: string | null
  readonly limits?: Limits
}

/** Checks at a time: most wait for a peer. */
const AT_ONCE = 6

/** Longest texts, in characters: a peer's error may be of any length, and a command must be whole. */
const LONGEST = { cause: 500, mend: 4_000 }

const UNMADE = "the check could not be made: "

const statusOf = (findings: ReadonlyArray<Finding>): CheckStatus => {
  if (findings.some(({ severity }) => severity === "error")) return "error"
  return findings.length > 0 ? "warning" : "ok"
}

/** Why a check could not be made, which is a finding unless it says that it has nothing to look at. */
const failed = (cause: Cause.Cause<unknown>): ReadonlyArray<Finding> | Skipped => {
  const error = Cause.squash(cause)
  return error instanceof Skipped
    ? error
    : [
        fault(
          `${UNMADE}${errorText(error)}`,
          "mend what other checks name; if there is nothing, report it with cairn support-bundle FILE"
        )
      ]
}

const late = (millis: number) =>
  fault(
    `there was no answer within ${millis / 1000} seconds`,
    "look whether what is asked hangs: a disk, the database, a name server or a peer"
  )

const wrongNeeds = ({ needs }: Check, { leftOut }: Patient): string | undefined =>
  needs.find((name) => leftOut.has(name))

/** Makes one check, if all of them are not late: `until` is on the clock of `performance`. */
const runCheck = Effect.fnUntraced(function* (check: Check, patient: Patient, until: number) {
  const wrong = wrongNeeds(check, patient)
  const left = Math.min(patient.limits.check, Math.ceil(until - performance.now()))
  const run = Effect.suspend(() => check.run(patient)).pipe(
    Effect.scoped,
    within(left, Effect.succeed([late(left)])),
    Effect.catchCause((cause) => Effect.succeed(failed(cause)))
  )
  const reason =
    wrong === undefined ? "other checks have taken all of the time" : `${wrong} is wrong, see settings`
  const outcome = wrong === undefined && left > 0 ? yield* run : new Skipped({ reason })
  const { id, title } = check
  const result: CheckResult =
    outcome instanceof Skipped
      ? { id, title, status: "skipped", skipped: outcome.reason, findings: [] }
      : { id, title, status: statusOf(outcome), skipped: null, findings: outcome }
  return result
})

const isOf =
  ({ settings, leftOut }: Patient) =>
  ({ database, needs }: Check): boolean =>
    database === undefined || database === settings.database.kind || needs.some((name) => leftOut.has(name))

/**
 * Without secrets, wherever the text is from, and without control characters, which a terminal would obey.
 */
const cleaned =
  (secrets: ReadonlyArray<string>) =>
  (result: CheckResult): CheckResult => {
    const clean = (text: string, longest = LONGEST.cause) => printable(withoutSecrets(secrets, text), longest)
    return {
      ...result,
      skipped: result.skipped === null ? null : clean(result.skipped),
      findings: result.findings.map(({ severity, cause, mend, about }) => ({
        severity,
        cause: clean(cause),
        mend: clean(mend, LONGEST.mend),
        about: about.map((text) => clean(text))
      }))
    }
  }

/** Makes the patient, whose database is opened by the first check that needs it. */
export const admit = Effect.fnUntraced(function* ({
  environment: given,
  machine = thisMachine,
  ntp = null,
  limits = limitsOf(CHECK_SECONDS)
}: DiagnosisOptions) {
  const read = yield* readSettings(given)
  const scope = yield* Effect.scope
  const opening = yield* Effect.cached(
    Effect.provideService(openDatabase(read.configuration.database), Scope.Scope, scope).pipe(
      within(limits.opening, Effect.fail(new Error("it does not answer")))
    )
  )
  const patient: Patient = { ...read, given, settings: read.configuration, machine, limits, ntp, opening }
  return patient
})

/** Checks that fail because of damaged pages say nothing more than the one that has found those. */
const withoutEchoes = (results: ReadonlyArray<CheckResult>): ReadonlyArray<CheckResult> => {
  if (results.every(({ id, status }) => id !== DAMAGE_CHECK || status !== "error")) return results
  const isEcho = ({ cause }: Finding) => cause.startsWith(UNMADE) && cause.includes("malformed")
  return results.map((result) =>
    result.id !== DAMAGE_CHECK && result.findings.some(isEcho)
      ? {
          ...result,
          status: "skipped",
          skipped: `the database is damaged, see ${DAMAGE_CHECK}`,
          findings: []
        }
      : result
  )
}

/** Makes all checks, in their order. Ends in time, whatever hangs. */
export const diagnose = Effect.fnUntraced(function* (checks: ReadonlyArray<Check>, patient: Patient) {
  const until = performance.now() + patient.limits.whole
  const results = yield* Effect.forEach(
    checks.filter(isOf(patient)),
    (check) => runCheck(check, patient, until),
    { concurrency: AT_ONCE }
    // What the server's own code logs of a failure is in what the check says.
  ).pipe(Effect.provide(Logger.layer([])))
  return withoutEchoes(results).map(cleaned(secretsIn(patient.given, patient.environment)))
})
