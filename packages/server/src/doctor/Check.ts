/** One check of `cairn doctor`: what it looks at, and what it may find. */
import type { Effect, Scope } from "effect"
import type { Patient } from "./Patient.ts"

/** Something that is wrong, and what mends it. */
export interface Finding {
  readonly severity: "warning" | "error"
  /** One sentence without a dot at its end, and without anything that belongs to a customer. */
  readonly cause: string
  /** The command, the statement or the setting that mends it. */
  readonly mend: string
  /** What is concerned, by id or address: belongs to the operator or a customer, and stays out of bundles. */
  readonly about: ReadonlyArray<string>
}

/** The service works, and not as it should, or not for long. */
export const warning = (cause: string, mend: string, about: ReadonlyArray<string> = []): Finding => ({
  severity: "warning",
  cause,
  mend,
  about
})

/** The service does not work, or may lose something. */
export const fault = (cause: string, mend: string, about: ReadonlyArray<string> = []): Finding => ({
  severity: "error",
  cause,
  mend,
  about
})

/** A check. It only reads, save for the temporary file of the one that measures the disk. */
export interface Check {
  /** For scripts; never changes. */
  readonly id: string
  readonly title: string
  /** What it looks at and what it complains about, in one line of Markdown. */
  readonly looks: string
  /** The variables that it relies on: it is skipped while one of them is wrong. */
  readonly needs: ReadonlyArray<string>
  /** The kind of database that it is for; every kind unless it is given. */
  readonly database?: "sqlite" | "postgres"
  readonly run: (patient: Patient) => Effect.Effect<ReadonlyArray<Finding>, unknown, Scope.Scope>
}

/** How a check ended. */
export type CheckStatus = "ok" | "warning" | "error" | "skipped"

/** The result of a check. */
export interface CheckResult {
  readonly id: string
  readonly title: string
  readonly status: CheckStatus
  /** Why it was skipped; null if it was not. */
  readonly skipped: string | null
  readonly findings: ReadonlyArray<Finding>
}
