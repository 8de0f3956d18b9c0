/** What each language has to say. */
import type { FieldName } from "../log/filter/Fields.ts"
import type { Likeness } from "../log/filter/Likeness.ts"
import type { StarNote } from "../log/filter/StarNote.ts"
import type { SentenceTexts } from "../log/sentence/SentenceTable.ts"
import type { KeyUse } from "../log/toolbar/KeyUses.ts"
import type { FilterName } from "../place/Filter.ts"
import type { PeriodName } from "../place/Period.ts"
import type { Clock } from "../place/Place.ts"

/**
 * The texts of one language. Numbers come in formatted, and with the number itself where grammar needs it.
 */
export interface Messages {
  readonly title: string
  readonly loading: string
  readonly retry: string
  readonly close: string
  readonly refresh: string
  readonly previous: string
  readonly next: string
  readonly filters: string
  readonly clearFilters: string
  readonly remove: (label: string) => string
  readonly conditions: Readonly<Record<FilterName, string>>
  readonly period: string
  readonly periods: Readonly<Record<PeriodName | "all" | "custom", string>>
  /** The bar that filters. */
  readonly filter: {
    readonly label: string
    readonly placeholder: string
    readonly fields: Readonly<Record<FieldName, string>>
    /** What can be typed for a field. */
    readonly hints: Readonly<Record<FieldName, string>>
    readonly suggestions: string
    readonly found: (count: number, formatted: string) => string
    readonly none: string
    readonly searchFor: string
    /** Beside a pattern of actions: what it finds. */
    readonly below: string
    readonly ending: string
    readonly byId: string
    readonly counted: (events: string, complete: boolean) => string
    readonly full: (most: string) => string
    readonly starNotes: Readonly<Record<StarNote, string>>
    readonly or: string
    readonly and: string
    readonly only: Readonly<Record<Likeness, string>>
    readonly named: string
    readonly date: string
    readonly time: string
    readonly monthBefore: string
    readonly monthAfter: string
    readonly zone: (name: string) => string
    readonly wrongOrder: string
    readonly apply: string
  }
  readonly columns: Readonly<Record<"verification" | "actor" | "action" | "resource" | "place", string>>
  readonly showRelative: string
  readonly showAbsolute: string
  readonly counting: string
  readonly total: (count: number, formatted: string) => string
  readonly activity: string
  readonly activityHint: string
  readonly activitySummary: (total: string, from: string, to: string, most: string, at: string) => string
  readonly empty: string
  readonly emptyHint: string
  readonly emptyFiltered: string
  readonly emptyFilteredHint: string
  readonly expired: string
  readonly expiredHint: string
  readonly missing: string
  readonly missingHint: string
  readonly refused: string
  readonly refusedHint: string
  readonly elsewhere: string
  readonly elsewhereHint: string
  /** A condition that the service does not take; without a name, it is not known which. */
  readonly invalid: (condition: string | undefined) => string
  readonly invalidHint: string
  readonly gone: string
  readonly goneHint: string
  readonly failed: string
  readonly failedHint: string
  readonly busy: (seconds: string) => string
  readonly unavailable: (seconds: string) => string
  readonly byCairn: string
  readonly marks: Readonly<Record<"checking" | "proven" | "broken" | "unchecked", string>>
  readonly provenStatement: (sequence: string, size: string) => string
  readonly provenHere: string
  readonly signedBy: (key: string) => string
  readonly notSigned: string
  readonly anchoredIn: (id: string) => string
  readonly notAnchored: string
  readonly brokenStatement: string
  readonly uncheckedReasons: Readonly<Record<"no_hash" | "no_proof" | "unreachable", string>>
  readonly expected: string
  readonly found: string
  readonly log: string
  readonly changes: string
  readonly field: string
  readonly before: string
  readonly after: string
  readonly absent: string
  readonly metadata: string
  /** In which fields of an event the words that were searched for stand. */
  readonly foundIn: (words: string, fields: string) => string
  readonly targets: string
  readonly details: string
  readonly fields: Readonly<
    Record<
      | "recorded"
      | "occurred"
      | "actor"
      | "resource"
      | "category"
      | "place"
      | "tenant"
      | "session"
      | "id"
      | "version"
      | "idempotencyKey"
      | "eventHash"
      | "previousHash",
      string
    >
  >
  readonly showMore: (count: string) => string
  readonly copy: string
  readonly copied: string
  readonly copyFailed: string
  readonly onlyThis: (label: string) => string
  /** What was recorded since the list was read. */
  readonly live: { readonly news: (count: number, formatted: string) => string }
  /** The export of what is filtered. */
  readonly exportOf: Readonly<Record<"cancel" | "saved" | "failed" | "refused", string>> & {
    readonly as: (format: string) => string
    readonly busy: (seconds: string) => string
  }
  /** How many of the events that are shown verified. */
  readonly verified: Readonly<Record<"checking" | "next", string>> & {
    readonly of: (count: number, proven: string, shown: string) => string
  }
  /** What the keyboard does, and the controls above the list. */
  readonly keys: Readonly<Record<"title" | "single" | "skip" | "toolbar" | "copyLink", string>> & {
    readonly uses: Readonly<Record<KeyUse, string>>
  }
  /** What stands above a printed list. */
  readonly print: { readonly printed: string; readonly of: (rows: string, total: string) => string }
  /** Which time counts, and in which zone it is shown. */
  readonly clock: {
    readonly byOccurrence: string
    readonly byRecording: string
    readonly inUtc: string
    readonly inLocal: string
    /** The time of an event that does not count, where it is another one. */
    readonly other: Readonly<Record<Clock, (at: string) => string>>
  }
  readonly sentence: SentenceTexts
  readonly drawer: Readonly<Record<"technical" | "json" | "added" | "removed" | "changed", string>> & {
    readonly showAll: (count: string) => string
  }
}
