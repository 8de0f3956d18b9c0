/** The values of a content that events are filtered by. A store keeps them in columns of their own. */
import { ENVELOPE, TARGET } from "./Envelope.ts"
import type { EventContent } from "./EventContent.ts"

type ContentColumn = Exclude<keyof FilterColumns, "targets">

/** The filter columns of an event: values that {@link filterColumns} derives from its content. */
export interface FilterColumns {
  readonly action: string
  readonly actorId: string
  readonly resourceType: string | null
  readonly resourceId: string | null
  readonly tenantId: string | null
  readonly sessionId: string | null
  readonly targets: ReadonlyArray<{ readonly type: string; readonly id: string | null }>
}

/** Derives the filter columns of a content. */
export const filterColumns = (content: EventContent): FilterColumns => ({
  action: content.action,
  actorId: content.actor.id,
  resourceType: content.resource.type,
  resourceId: content.resource.id,
  tenantId: content.tenant_id,
  sessionId: content.session_id,
  targets: content.targets.map((target) => ({ type: target.type, id: target.id ?? null }))
})

/** Columns of the envelope, each with its member and, where the member is an object, the member inside it. */
const CONTENT_COLUMNS = ENVELOPE.flatMap(
  (member): ReadonlyArray<readonly [column: ContentColumn, name: string, inner?: string]> => {
    if (member.kind === "group")
      return member.members.flatMap((inner) =>
        "column" in inner ? [[inner.column, member.name, inner.name]] : []
      )
    return "column" in member ? [[member.column, member.name]] : []
  }
)

const TARGET_COLUMNS = TARGET.members.flatMap((member) => ("column" in member ? [member.column] : []))

/** Whether two have equal values. */
export const sameColumns = (one: FilterColumns, other: FilterColumns): boolean =>
  CONTENT_COLUMNS.every(([column]) => one[column] === other[column]) &&
  one.targets.length === other.targets.length &&
  one.targets.every((target, index) =>
    TARGET_COLUMNS.every((column) => target[column] === other.targets[index]?.[column])
  )

type Values = Readonly<Record<string, unknown>>

/** The content with the values that its columns have. */
export const withColumns = (content: EventContent, columns: FilterColumns): unknown => {
  const value: Record<string, unknown> = { ...content }
  for (const [column, name, inner] of CONTENT_COLUMNS) {
    value[name] =
      inner === undefined ? columns[column] : { ...(value[name] as Values), [inner]: columns[column] }
  }
  const targets = columns.targets.map((target, index) => {
    const kept: Values = content.targets[index] ?? {}
    return Object.fromEntries(
      TARGET.members.flatMap((member) => {
        const held = "column" in member ? target[member.column] : kept[member.name]
        return held === undefined || held === null ? [] : [[member.name, held]]
      })
    )
  })
  return { ...value, [TARGET.name]: targets }
}
