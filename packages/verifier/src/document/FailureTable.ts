/** What failed, for a person: events by who did what and when, and all else in a sentence. */
import { BREAK_MEANING, printable } from "@cairn/core/verification"
import type { EventName } from "../event/EventNames.ts"
import type { Failure } from "../report/Finding.ts"
import { sayCount } from "./Numbers.ts"
import { failuresOf, findingsOf, type Outcome } from "./Outcome.ts"
import { element, type PageElement } from "./PageElement.ts"

/** Most failures that stand in a report. */
const MOST_FAILURES = 500

/** Failed events that stand on the first page, which has less room where there are two files. */
const mostOnFirstPage = ({ earlier }: Pick<Outcome, "earlier">): number => (earlier === null ? 2 : 1)

/** Characters of a text from the file, on the first page and in the appendix. */
const SHORT = 24
const LONG = 120
const LONGEST_TIME = 40

/** An event of which something failed. */
interface FailedEvent {
  readonly of: string
  readonly sequence: number
  readonly id: string | null
  readonly event: EventName | null
  readonly failures: ReadonlyArray<Failure>
}

const eventOf = ({ subject }: Failure) => (subject.kind === "event" ? subject : undefined)

/** The events of which something failed, each once, in the order of the files. */
const failedEvents = (outcome: Outcome): ReadonlyArray<FailedEvent> => {
  const found = new Map<string, FailedEvent>()
  for (const { of, lists } of findingsOf(outcome)) {
    for (const failure of lists.failed) {
      const subject = eventOf(failure)
      if (subject === undefined) continue
      const { sequence, id } = subject
      const key = `${of} ${sequence} ${id}`
      const before = found.get(key)
      found.set(key, {
        of,
        sequence,
        id,
        event: before?.event ?? failure.event,
        failures: [...(before?.failures ?? []), failure]
      })
    }
  }
  return [...found.values()]
}

const UNREADABLE_CONTENT = "(its content is gone or cannot be read)"

/** A time with a space where a line may break. */
const moment = (text: string | null): string =>
  text === null ? "–" : printable(text, LONGEST_TIME).replace("T", " ")

const row = (failed: FailedEvent, longest: number, says: string): PageElement => {
  const { sequence, event } = failed
  const cell = (text: string) => element("td", {}, printable(text, longest))
  return element(
    "tr",
    {},
    cell(sayCount(sequence)),
    cell(event?.actor ?? UNREADABLE_CONTENT),
    cell(event?.action ?? "–"),
    element("td", {}, moment(event?.occurred_at ?? null)),
    element("td", {}, moment(event?.created_at ?? null)),
    element("td", {}, says)
  )
}

const meaning = ({ type, message }: Failure): string => (type === null ? message : BREAK_MEANING[type])

const head = (...names: ReadonlyArray<string>): PageElement =>
  element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))))

const HEAD = head("Event", "Who", "What", "Happened", "Recorded", "What is wrong")

/** The first events that failed, for the first page; none if none did. */
export const firstFailures = (outcome: Outcome): ReadonlyArray<PageElement> => {
  const events = failedEvents(outcome)
  const shown = events.slice(0, mostOnFirstPage(outcome))
  const more = failuresOf(outcome) - shown.reduce((sum, { failures }) => sum + failures.length, 0)
  if (shown.length === 0 && more === 0) return []
  const rows = shown.map((failed) => {
    const [first] = failed.failures
    return row(failed, SHORT, first === undefined ? "" : meaning(first))
  })
  return [
    element("h2", {}, "What failed"),
    ...(rows.length === 0
      ? []
      : [element("table", { class: "failures" }, HEAD, element("tbody", {}, ...rows))]),
    ...(more === 0
      ? []
      : [
          element(
            "p",
            {},
            `${rows.length === 0 ? "" : "And "}${sayCount(more)} more ${more === 1 ? "failure" : "failures"}: see appendix A. Of a changed event, who, what and when are as the file has them now.`
          )
        ])
  ]
}

const details = ({ message, code, expected, actual }: Failure): ReadonlyArray<PageElement> => [
  element("p", {}, `${printable(message, LONG * 4)} `, element("code", {}, code)),
  ...(expected === null ? [] : [element("p", { class: "hash" }, `expected ${printable(expected, LONG)}`)]),
  ...(actual === null ? [] : [element("p", { class: "hash" }, `actual ${printable(actual, LONG)}`)])
]

const subjectOf = ({ subject }: Failure): string => {
  switch (subject.kind) {
    case "anchor":
      return `Anchor ${printable(subject.id, LONG)}`
    case "checkpoint":
      return subject.size === null ? "The checkpoint" : `The checkpoint at ${sayCount(subject.size)}`
    case "event":
      return `Event ${sayCount(subject.sequence)}`
    case "bundle":
      return "The file as a whole"
  }
}

const eventRows = (failed: FailedEvent, isSeveral: boolean): ReadonlyArray<PageElement> => {
  const says = [...new Set(failed.failures.map(meaning))].join("; ")
  const id = failed.id === null ? "" : `id ${printable(failed.id, LONG)}`
  const of = isSeveral ? `${failed.of}. ` : ""
  return [
    row(failed, LONG, says),
    element(
      "tr",
      { class: "detail" },
      element("td"),
      element(
        "td",
        { colspan: "5" },
        element("p", { class: "hash" }, `${of}${id}`),
        ...failed.failures.flatMap(details)
      )
    )
  ]
}

/** All that failed, up to {@link MOST_FAILURES}, for the appendix. */
export const allFailures = (outcome: Outcome): ReadonlyArray<PageElement> => {
  const lists = findingsOf(outcome)
  const others = lists.flatMap(({ of, lists: { failed } }) =>
    failed.filter((failure) => eventOf(failure) === undefined).map((failure) => ({ of, failure }))
  )
  const events = failedEvents(outcome)
  const total = failuresOf(outcome)
  if (total === 0) {
    const isRead = outcome.main.unreadable === null && (outcome.earlier?.unreadable ?? null) === null
    return isRead ? [element("p", {}, "Nothing failed.")] : []
  }
  const shown = { others: others.slice(0, MOST_FAILURES), events: events.slice(0, MOST_FAILURES) }
  const said = shown.others.length + shown.events.reduce((sum, { failures }) => sum + failures.length, 0)
  const isSeveral = lists.length > 1
  return [
    ...(shown.others.length === 0
      ? []
      : [
          element(
            "ul",
            {},
            ...shown.others.map(({ of, failure }) =>
              element(
                "li",
                {},
                element("p", {}, element("strong", {}, `${isSeveral ? `${of}. ` : ""}${subjectOf(failure)}`)),
                ...details(failure)
              )
            )
          )
        ]),
    ...(shown.events.length === 0
      ? []
      : [
          element(
            "table",
            { class: "failures" },
            HEAD,
            element("tbody", {}, ...shown.events.flatMap((failed) => eventRows(failed, isSeveral)))
          )
        ]),
    ...(said === total
      ? []
      : [element("p", {}, `And ${sayCount(total - said)} more, which cairn-verify --json counts.`)])
  ]
}
