/** What an event is about, as its picture and colour show it beside the words. */
import type { Event } from "@cairn/core/event"
import { KINDS, type Kind } from "./Kinds.ts"
import { firstWords, kindOfVerb, readAction } from "./Verbs.ts"

/** Words by which categories and resources are called. */
const WORDS: Readonly<Partial<Record<Kind, string>>> = {
  access: "auth authentication login session signin sso mfa passkey password security",
  document: "document documents file files folder content data record records report reports page note",
  machine: "api key token integration webhook app service system deployment job server stream",
  money: "billing invoice invoices payment payments subscription order plan finance card checkout",
  people: "user users member members team people customer customers contact contacts administration",
  permission: "permission permissions role roles grant policy authorization sharing",
  read: "access",
  remove: "destructive deletion",
  change: "change changes modification",
  settings: "setting settings config configuration workspace organization project preferences retention",
  transfer: "export exports import imports download downloads upload"
}

const BY_WORD: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) => (WORDS[kind] ?? "").split(" ").map((word) => [word, kind] as const)).filter(
    ([word]) => word !== ""
  )
)

const ofWords = (words: ReadonlyArray<string>): Kind | undefined =>
  words.map((word) => BY_WORD.get(word)).find((kind) => kind !== undefined)

/** The kind of an event: by its category, else by what its action begins with, else by its verb. */
export const kindOf = ({ action, action_category }: Pick<Event, "action" | "action_category">): Kind => {
  const read = readAction(action)
  const verb = read === undefined ? undefined : kindOfVerb(read.verb)
  if (verb === "failure") return verb
  return ofWords(firstWords(action_category ?? "")) ?? ofWords(firstWords(action)) ?? verb ?? "other"
}
