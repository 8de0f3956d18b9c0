/** `new_country`: an actor acts from a country in which it was never seen before. */
import { Schema } from "effect"
import {
  type AlertStateKey,
  type AlertStateRow,
  type AlertStateRows,
  rowCodec,
  stateTable
} from "../AlertState.ts"
import { type AlertEvent, actorLabel, type RuleEvaluator } from "../RuleEvaluator.ts"

/** It has no parameters. */
export const NewCountryParameters = Schema.Struct({}).annotate({ identifier: "NewCountryParameters" })
export type NewCountryParameters = typeof NewCountryParameters.Type

/**
 * Every actor's countries, kept from the workspace's first event on whether or not a rule asks for them, so
 * that a rule made today knows where people worked before it.
 */
interface ActorCountries {
  /** The row of the event's actor; `undefined` when the event has no country. */
  readonly key: (event: AlertEvent) => string | undefined
  /** Notes the event's country and returns those known before it; `undefined` when there were none. */
  readonly observe: (event: AlertEvent) => ReadonlyArray<string> | undefined
  readonly changed: () => ReadonlyArray<AlertStateRow>
}

const countries = rowCodec(Schema.Array(Schema.String))

/** The row that holds an actor's countries. */
export const countriesKey = (actorId: string): AlertStateKey => ({ ruleId: "", key: `countries:${actorId}` })

/** Opens the actors' countries. A row grows with the countries of the world and no further. */
export const actorCountries = (stored: AlertStateRows): ActorCountries => {
  const table = stateTable(countries, "", stored)
  const key = ({ content }: AlertEvent) =>
    content.ip_country === null ? undefined : countriesKey(content.actor.id).key
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

/** The first country is the baseline and no alert; neither is a return to one known before. */
export const newCountry = (): RuleEvaluator => ({
  concern: ({ content }) =>
    content.ip_country === null ? undefined : { row: null, actor: content.actor.id },
  step: ({ content }, _, { countries }) =>
    content.ip_country === null || countries === undefined || countries.includes(content.ip_country)
      ? undefined
      : `${actorLabel(content)} acted from ${content.ip_country} for the first time; seen before: ${countries.slice(0, 10).join(", ")}${countries.length > 10 ? ", …" : ""}`,
  changed: () => []
})
