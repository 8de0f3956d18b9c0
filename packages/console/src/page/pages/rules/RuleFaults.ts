/** What is wrong with the fields of a rule, by the service's own bounds: it decides again. */
import { inputOf, type RuleDraft, type Span, type SpikeWindow, secondsOf } from "./RuleDraft.ts"

/** What is wrong with a field. */
export type FieldFault =
  | { readonly kind: "required" }
  | { readonly kind: "long" }
  /** A whole number between these. */
  | { readonly kind: "between"; readonly least: number; readonly most: number }
  /** A number above 1, at most this. */
  | { readonly kind: "factor"; readonly most: number }
  /** Whole seconds between these. */
  | { readonly kind: "span"; readonly least: number; readonly most: number }
  | { readonly kind: "patterns"; readonly most: number }
  | { readonly kind: "timezone" }
  | { readonly kind: "time" }
  /** What was restricted to a tenant, or to actions, cannot be lifted. */
  | { readonly kind: "kept" | "keptAction" }

/** The faults, by the paths that the service has for the fields. */
export type RuleFaults = Readonly<Record<string, FieldFault>>

/** Most characters (code points) of a name, a pattern and a tenant. */
const MAX_TEXT = 256
/** Most patterns of a rule. */
const MAX_PATTERNS = 50
const MAX_THRESHOLD = 1_000
const MAX_FACTOR = 1_000
const MAX_MINIMUM = 10_000_000
/** A week, in seconds. */
const MAX_COOLDOWN = 604_800
/** A day, in seconds. */
const MAX_WINDOW = 86_400

/** Lengths of the window of a spike that are offered, in seconds. */
export const SPIKE_WINDOWS: ReadonlyArray<SpikeWindow> = [10, 30, 60, 120, 300, 600, 900, 1_800, 3_600]

const between = (value: number, least: number, most: number): FieldFault | undefined =>
  Number.isInteger(value) && value >= least && value <= most ? undefined : { kind: "between", least, most }

const span = (value: Span, least: number, most: number): FieldFault | undefined => {
  const seconds = secondsOf(value)
  return Number.isInteger(seconds) && seconds >= least && seconds <= most
    ? undefined
    : { kind: "span", least, most }
}

const text = (value: string): FieldFault | undefined =>
  [...value].length > MAX_TEXT ? { kind: "long" } : undefined

/** Whether the browser knows a time zone of the IANA database by this name. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const isTime = (value: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(value)

/** The faults of the fields of the draft's own type. */
const ofParameters = (draft: RuleDraft): Readonly<Record<string, FieldFault | undefined>> => {
  const { destructive, repeated, hours } = draft
  const input = inputOf(draft)
  switch (input.rule_type) {
    case "new_country":
      return {}
    case "high_volume_destructive": {
      const { actions, threshold } = input.parameters ?? {}
      const patterns = actions ?? []
      const isCount = patterns.length >= 1 && patterns.length <= MAX_PATTERNS
      return {
        actions:
          isCount && patterns.every((pattern) => text(pattern) === undefined)
            ? undefined
            : { kind: "patterns", most: MAX_PATTERNS },
        threshold: between(threshold ?? Number.NaN, 1, MAX_THRESHOLD),
        window_seconds: span(destructive.window, 1, MAX_WINDOW)
      }
    }
    case "ingestion_spike": {
      const { factor, minimum_events } = input.parameters ?? {}
      const times = factor ?? Number.NaN
      return {
        factor: times > 1 && times <= MAX_FACTOR ? undefined : { kind: "factor", most: MAX_FACTOR },
        minimum_events: between(minimum_events ?? Number.NaN, 1, MAX_MINIMUM)
      }
    }
    case "repeated_action":
      return {
        threshold: between(input.parameters?.threshold ?? Number.NaN, 2, MAX_THRESHOLD),
        window_seconds: span(repeated.window, 1, MAX_WINDOW)
      }
    case "off_hours":
      return {
        timezone: isTimeZone(hours.timezone.trim()) ? undefined : { kind: "timezone" },
        start: isTime(hours.start) ? undefined : { kind: "time" },
        end: isTime(hours.end) ? undefined : { kind: "time" }
      }
  }
}

/** Whether a restriction that there was would be lifted. */
const isLifted = (before: string | undefined, now: string): boolean =>
  before !== undefined && before !== "" && now.trim() === ""

/** What is wrong with a draft; with `before` the change of that rule. */
export const faultsOf = (draft: RuleDraft, before?: RuleDraft): RuleFaults => {
  const all: ReadonlyArray<readonly [string, FieldFault | undefined]> = [
    ["name", draft.name.trim() === "" ? { kind: "required" } : text(draft.name.trim())],
    ["action", isLifted(before?.action, draft.action) ? { kind: "keptAction" } : text(draft.action.trim())],
    ["tenant_id", isLifted(before?.tenant, draft.tenant) ? { kind: "kept" } : text(draft.tenant)],
    ["cooldown_seconds", span(draft.cooldown, 0, MAX_COOLDOWN)],
    ...Object.entries(ofParameters(draft)).map(([name, fault]) => [`parameters.${name}`, fault] as const)
  ]
  return Object.fromEntries(all.flatMap(([path, fault]) => (fault === undefined ? [] : [[path, fault]])))
}

/** Whether the rule can be tried: its name and what may not be lifted do not matter for that. */
export const canTry = (faults: RuleFaults): boolean =>
  Object.entries(faults).every(([path, { kind }]) => path === "name" || kind.startsWith("kept"))
