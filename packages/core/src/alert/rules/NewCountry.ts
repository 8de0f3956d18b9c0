/** `new_country`: an actor acts from a country in which it was never seen before. */
import { Schema } from "effect"
import { isAccessAction } from "../../event/AccessAction.ts"
import {
  type AlertStateKey,
  type AlertStateRow,
  type AlertStateRows,
  rowCodec,
  stateTable
} from "../AlertState.ts"
import { type AlertEvent, actorLabel, type RuleEvaluator } from "../RuleEvaluator.ts"

/** It has no parameters: an object without members. */
export const NewCountryParameters = Schema.Struct({})
  // A schema without members accepts any value except null.
  .check(
    Schema.makeFilter(
      (value: unknown) =>
        typeof value === "object" && !Array.isArray(value) ? undefined : "must be an object",
      { toJsonSchema: () => ({ type: "object", properties: {}, additionalProperties: false }) }
    )
  )
  .annotate({
    identifier: "NewCountryParameters",
    description: "It has no parameters: an object without members"
  })
export type NewCountryParameters = typeof NewCountryParameters.Type

/**
 * Every actor's countries, recorded from the workspace's first event on, with or without a rule, so that a
 * new rule knows where people worked before. Countries from which an actor only reads the log are kept apart:
 * who first reads from a country and then acts from it acts from a new one.
 */
interface ActorCountries {
  /** The row of the event's actor; `undefined` if the event has no country. */
  readonly key: (event: AlertEvent) => string | undefined
  /** Adds the event's country and returns the countries known before it; `undefined` if there were none. */
  readonly observe: (event: AlertEvent) => ReadonlyArray<string> | undefined
  readonly changed: () => ReadonlyArray<AlertStateRow>
}

const countries = rowCodec(Schema.Array(Schema.String))

const actingKey = (actorId: string): string => `countries:${actorId}`
const readingKey = (actorId: string): string => `reading-countries:${actorId}`

/** The rows that hold an actor's countries: those of its actions, and those of its access events. */
export const countriesKeys = (actorId: string): ReadonlyArray<AlertStateKey> =>
  [actingKey(actorId), readingKey(actorId)].map((key) => ({ ruleId: "", key }))

/** Opens the actors' countries. A row grows at most to the number of countries in the world. */
export const actorCountries = (stored: AlertStateRows): ActorCountries => {
  const table = stateTable(countries, "", stored)
  const key = ({ content: { action, actor, ip_country } }: AlertEvent) => {
    if (ip_country === null) return undefined
    return isAccessAction(action) ? readingKey(actor.id) : actingKey(actor.id)
  }
  return {
    key,
    observe: (event) => {
      const row = key(event)
      const country = event.content.ip_country
      if (row === undefined || country === null) return undefined
      const known = table.get(row, event.createdAt)
      if (known === undefined || !known.includes(country)) table.set(row, [...(known ?? []), country], null)
      return known
    },
    changed: table.changed
  }
}

/** The first country is the baseline and raises no alert, nor does a return to a known one. */
export const newCountry = (): RuleEvaluator => ({
  concern: ({ content }) =>
    content.ip_country === null ? undefined : { row: null, actor: content.actor.id },
  step: ({ content }, _, { countries }) =>
    content.ip_country === null || countries === undefined || countries.includes(content.ip_country)
      ? undefined
      : `${actorLabel(content)} ${isAccessAction(content.action) ? "read" : "acted"} from ${content.ip_country} for the first time; seen before: ${countries.slice(0, 10).join(", ")}${countries.length > 10 ? ", …" : ""}`,
  changed: () => []
})
