/**
 * What happened, as a sentence: by the workspace's own template for the action, else by the verb that the
 * action ends in, else by naming actor, action and object. Whatever an event holds stays a piece of its own.
 */
import type { Event } from "@cairn/core/event"
import type { Machine, Outcome, SentenceTexts } from "./SentenceTable.ts"
import { type ReadAction, readAction } from "./Verbs.ts"

/** A piece of a sentence. */
export interface Piece {
  /** `name`: of an actor or a thing; `aside`: what is said of it; `text`: everything else. */
  readonly kind: "text" | "name" | "aside"
  readonly text: string
}

/** Sentences of a workspace by action or `prefix.*`, and by language. */
export type Templates = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What an event's sentence is made with. */
export interface Telling {
  readonly texts: SentenceTexts
  /** Such as `de`. */
  readonly language: string
  readonly templates: Templates
  readonly number: (value: number) => string
}

type Pieces = ReadonlyArray<Piece>

const text = (value: string): Piece => ({ kind: "text", text: value })
const name = (value: string): Piece => ({ kind: "name", text: value })
const aside = (value: string): Piece => ({ kind: "aside", text: value })

/** What kinds of actors are called that have no name of their own. */
const MACHINES: ReadonlyMap<string, Machine> = new Map([
  ["api_key", "api_key"],
  ["apikey", "api_key"],
  ["key", "api_key"],
  ["system", "system"],
  ["service", "service"],
  ["service_account", "service"],
  ["api_client", "service"],
  ["machine", "service"],
  ["bot", "service"]
])

/** The actor: by name, or as a program of its kind, or by id. */
const actorPieces = ({ actor }: Event, { texts }: Telling): Pieces => {
  if (actor.name) return [name(actor.name)]
  const machine = MACHINES.get((actor.type ?? "").toLowerCase())
  if (machine === undefined) return [name(actor.id)]
  const label = texts.actors[machine]
  return actor.id.toLowerCase() === machine ? [name(label)] : [text(`${label} `), name(actor.id)]
}

type Thing = { readonly [key in "type" | "id" | "name"]?: string | null }

const namesOf = (thing: Thing | undefined): Pieces => {
  const given = thing?.name || thing?.id || thing?.type
  return given ? [name(given)] : []
}

/** The first target, and how many there are beside it. */
const targetPieces = ({ targets }: Event, { texts, number }: Telling): Pieces => {
  const first = namesOf(targets[0])
  const others = targets.length - 1
  return first.length === 0 || others < 1 ? first : [...first, text(` ${texts.more(number(others))}`)]
}

const isActor = ({ actor, resource }: Event): boolean => resource.id === actor.id

/** What was acted on: the resource, or the target of an event that names none. */
const objectPieces = (event: Event, telling: Telling, detail: string): Pieces => {
  const named = namesOf(event.resource)
  const object = named.length > 0 ? named : targetPieces(event, telling)
  return object.length === 0 || detail === "" ? object : [...object, text(" "), aside(`(${detail})`)]
}

const HOLES = /\{([a-z_]+)\}/g

/** The template with its names filled in; undefined if the event has nothing for one of them. */
const fill = (template: string, values: Readonly<Record<string, Pieces | undefined>>): Pieces | undefined => {
  const pieces: Array<Piece> = []
  let end = 0
  for (const hole of template.matchAll(HOLES)) {
    const [whole, key = ""] = hole
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    if (value === undefined || value.length === 0) return undefined
    if (hole.index > end) pieces.push(text(template.slice(end, hole.index)))
    pieces.push(...value)
    end = hole.index + whole.length
  }
  if (end < template.length) pieces.push(text(template.slice(end)))
  return pieces
}

/** The patterns that match an action, the longest first. */
const patternsOf = (action: string): ReadonlyArray<string> => {
  const patterns = [action]
  for (let dot = action.lastIndexOf("."); dot > 0; dot = action.lastIndexOf(".", dot - 1)) {
    patterns.push(`${action.slice(0, dot)}.*`)
  }
  return patterns
}

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/**
 * By the workspace's templates: the one of the longest pattern, in the reader's language, that can be filled.
 */
const byTemplate = (event: Event, telling: Telling): Pieces | undefined => {
  const { templates, language } = telling
  if (Object.keys(templates).length === 0) return undefined
  const { resource, tenant_id: tenant } = event
  const values = {
    actor: actorPieces(event, telling),
    action: [text(event.action)],
    resource: namesOf(resource),
    resource_type: resource.type ? [text(resource.type)] : [],
    target: targetPieces(event, telling),
    tenant: tenant ? [name(tenant)] : []
  }
  for (const pattern of patternsOf(event.action)) {
    const template = own(own(templates, pattern) ?? {}, language)
    const filled = template === undefined ? undefined : fill(template, values)
    if (filled !== undefined) return filled
  }
  return undefined
}

const followedBy = (pieces: Pieces, object: Pieces): Pieces =>
  object.length === 0 ? pieces : [...pieces, text(" · "), ...object]

/** By the verb of the action. */
const byVerb = (event: Event, telling: Telling, { verb, noun, detail }: ReadAction): Pieces | undefined => {
  const { texts } = telling
  const form = texts.verbs[verb]
  const object = objectPieces(event, telling, detail)
  const values = {
    actor: actorPieces(event, telling),
    verb: [text(form)],
    noun: noun === "" ? [] : [text(detail === "" ? noun : `${noun} ${detail}`)],
    target: targetPieces(event, telling)
  }
  const plain = objectPieces(event, telling, "")
  if (object.length === 0 || isActor(event)) {
    const alone = texts.alone[verb]
    if (alone !== undefined) return fill(alone, values)
  }
  const leading = namesOf(event.resource).length > 0 ? texts.withTarget[verb] : undefined
  const led = leading === undefined ? undefined : fill(leading, { ...values, object })
  if (led !== undefined) return led
  const template = form.includes("{") ? form : texts.sentence
  if (template.includes("{object}"))
    return fill(template, { ...values, object: object.length > 0 ? object : values.noun })
  const said = fill(template, values)
  return said === undefined ? undefined : followedBy(said, isActor(event) ? [] : plain)
}

/** What happened. */
export const sentenceOf = (event: Event, telling: Telling): Pieces => {
  const templated = byTemplate(event, telling)
  if (templated !== undefined) return templated
  const read = readAction(event.action)
  const said = read === undefined ? undefined : byVerb(event, telling, read)
  if (said !== undefined) return said
  const values = { actor: actorPieces(event, telling), action: [text(event.action)] }
  return followedBy(fill(telling.texts.neutral, values) ?? [], objectPieces(event, telling, ""))
}

/** What sentences of an action say was done, without who and with what: `signed in`; empty if not known. */
export const deedOf = (action: string, { verbs, alone }: SentenceTexts): string => {
  const read = readAction(action)
  if (read === undefined) return ""
  const form = verbs[read.verb]
  // A sentence of its own names no thing; the form of another verb is said of one.
  if (form.includes("{")) return (alone[read.verb] ?? form).replaceAll(HOLES, "").trim()
  return `${form} ${read.noun}`.trim()
}

/** What failures and refusals are called in the metadata of events. */
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ["failed", "failed"],
  ["failure", "failed"],
  ["error", "failed"],
  ["denied", "denied"],
  ["forbidden", "denied"],
  ["blocked", "denied"]
])

/**
 * What became of it, where the event's metadata says that it came to nothing: `outcome`, `result`, `success`.
 */
export const outcomeOf = ({ metadata, action }: Event): Outcome | undefined => {
  const read = readAction(action)
  if (metadata === null || read?.verb === "failed" || read?.verb === "denied") return undefined
  if (read?.verb === "login_failed") return undefined
  if (own(metadata, "success") === false) return "failed"
  const said = [own(metadata, "outcome"), own(metadata, "result")].find((value) => typeof value === "string")
  return typeof said === "string" ? OUTCOMES.get(said.toLowerCase()) : undefined
}
