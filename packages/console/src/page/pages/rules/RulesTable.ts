/** What the pages of rules have to say, in whichever language. */

import type { RuleType, Unit } from "./RuleDraft.ts"
import type { FieldFault } from "./RuleFaults.ts"

/** Texts of one language. Numbers, times and lengths of time come in formatted. */
export interface RulesTable {
  readonly hint: string
  readonly list: string
  readonly newRule: string
  readonly allRules: string
  readonly empty: string
  readonly emptyHint: string
  readonly limit: (used: string, limit: string) => string
  readonly limitReached: string
  readonly columns: Readonly<Record<"rule" | "watches" | "state" | "changed" | "actions", string>>
  readonly on: string
  readonly off: string
  /** The name of the switch of a rule. */
  readonly watching: (name: string) => string
  readonly edit: string
  readonly editNamed: (name: string) => string
  readonly remove: string
  readonly removeNamed: (name: string) => string
  readonly removeTitle: string
  readonly removeExplained: (name: string) => string
  /** A type's name, what it is for, and what a rule of it is called first. */
  readonly types: Readonly<
    Record<RuleType, { readonly name: string; readonly hint: string; readonly first: string }>
  >
  /** What a rule watches. */
  readonly newCountry: string
  readonly destructive: (threshold: string, within: string, isOne: boolean) => string
  readonly repeated: (threshold: string, within: string) => string
  readonly spike: (factor: string, within: string, minimum: string) => string
  readonly offHours: (days: string, start: string, end: string, timezone: string) => string
  readonly offHoursAlways: string
  readonly patterns: string
  readonly onlyAction: string
  readonly onlyTenant: string
  readonly pause: (span: string) => string
  readonly pauseWhole: (span: string) => string
  readonly noPause: string
  readonly form: FormTable
  readonly trial: TrialTable
}

/** What the form says. */
export interface FormTable {
  readonly create: string
  readonly save: string
  readonly cancel: string
  readonly unchanged: string
  readonly type: string
  readonly typeStays: string
  readonly name: string
  readonly nameHint: string
  readonly enabled: string
  readonly enabledHint: string
  readonly what: string
  readonly which: string
  readonly whichHint: string
  readonly often: string
  readonly patterns: string
  readonly patternsHint: string
  readonly threshold: string
  readonly destructiveHint: string
  readonly repeatedHint: string
  readonly within: string
  readonly withinHint: string
  readonly scope: string
  readonly scopeHint: string
  readonly scopes: Readonly<Record<"actor" | "workspace", string>>
  readonly window: string
  readonly windowHint: string
  readonly factor: string
  readonly factorHint: string
  readonly minimum: string
  readonly minimumHint: string
  readonly timezone: string
  readonly timezoneHint: string
  readonly days: string
  readonly noDays: string
  readonly start: string
  readonly end: string
  readonly startHint: string
  readonly endHint: string
  readonly action: string
  readonly actionHint: string
  readonly tenant: string
  readonly tenantHint: string
  readonly cooldown: string
  readonly cooldownHint: string
  readonly unitOf: (field: string) => string
  readonly units: Readonly<Record<Unit, string>>
  readonly faults: {
    readonly [Kind in FieldFault["kind"]]: (least: string, most: string) => string
  }
}

/** What the preview says. */
export interface TrialTable {
  readonly title: string
  readonly hint: string
  readonly running: string
  readonly unfinished: string
  readonly noEvents: string
  readonly none: (events: string) => string
  readonly some: (count: number, alerts: string, events: string) => string
  readonly recent: (alerts: string) => string
  readonly more: (alerts: string, events: string) => string
  readonly moreHint: string
  readonly alerts: string
  readonly events: string
  readonly upTo: (most: string) => string
  readonly bar: (at: string, alerts: string, events: string) => string
  readonly plot: (alerts: string, from: string, to: string, most: string, at: string) => string
  readonly first: string
  readonly rest: (count: number, formatted: string) => string
  readonly event: string
}
