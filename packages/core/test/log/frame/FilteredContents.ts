/** Contents that differ in what events are filtered by, and filters that select some of them. */
import * as FastCheck from "fast-check"
import type { EventContent } from "../../../src/event/EventContent.ts"
import type { EventFilter } from "../../../src/event/EventFilter.ts"
import { bare } from "../../event/BareContent.ts"

/** Beginnings with more dots, and with more bytes, than are listed. */
const DEEP = "a.".repeat(9)
const LONG = `${"a".repeat(64)}.`

/** Few different ones, so that filters find some; also the same in several fields, and one in another. */
const someValue = FastCheck.constantFrom(
  DEEP,
  `${DEEP}b.c`,
  LONG,
  `${LONG}b`,
  `a.${DEEP}b`,
  `b.${"a".repeat(63)}`,
  `b.${LONG}b`,
  "a",
  "a.",
  "a.b",
  "a.b.c",
  "a.é",
  "A",
  "",
  "*",
  "\u{1f600}",
  "\ufeff",
  "\ufeffa",
  "a\u0000"
)
const someTarget = FastCheck.record({
  type: someValue,
  id: FastCheck.option(someValue),
  name: FastCheck.option(someValue)
})
export const someContent: FastCheck.Arbitrary<EventContent> = FastCheck.record({
  action: someValue,
  actor: someValue,
  actorName: FastCheck.option(someValue),
  resource: FastCheck.option(someValue),
  resourceId: FastCheck.option(someValue),
  tenant: FastCheck.option(someValue),
  session: FastCheck.option(someValue),
  category: FastCheck.option(someValue),
  country: FastCheck.option(someValue),
  name: FastCheck.option(someValue),
  targets: FastCheck.array(someTarget, { maxLength: 3 })
}).map(
  ({
    action,
    actor,
    actorName,
    resource,
    resourceId,
    tenant,
    session,
    targets,
    category,
    country,
    name
  }) => ({
    ...bare,
    action,
    actor: { ...bare.actor, id: actor, name: actorName },
    action_category: category,
    ip_country: country,
    resource: { type: resource, id: resourceId, name },
    tenant_id: tenant,
    session_id: session,
    targets: targets.map(({ type, id, name }) => ({
      ...(id === null ? {} : { id }),
      ...(name === null ? {} : { name }),
      type
    }))
  })
)

/** A value, or several; none of them, of one of which no event can have the value. */
const several = (value: FastCheck.Arbitrary<string>) =>
  FastCheck.oneof(
    value,
    FastCheck.array(FastCheck.oneof(value, FastCheck.constant("\ud83d")), { maxLength: 4 })
  )

const someWanted = several(someValue)

export const someFilter: FastCheck.Arbitrary<EventFilter> = FastCheck.record(
  {
    action: several(
      FastCheck.oneof(
        someValue,
        FastCheck.constantFrom("a.*", "a.b.*", "b.*", "*", ".*", `${DEEP}*`, `${LONG}*`),
        FastCheck.constantFrom("*.b", "*.c", "*.", `*.${DEEP}b`, `*.${"a".repeat(63)}`, `*.${LONG}b`)
      )
    ),
    category: someWanted,
    actorId: someWanted,
    resource: someWanted,
    resourceId: someWanted,
    resourceName: someWanted,
    tenantId: someWanted,
    sessionId: someWanted,
    country: someWanted,
    targetType: someWanted,
    targetId: someWanted
  },
  { requiredKeys: [] }
)
