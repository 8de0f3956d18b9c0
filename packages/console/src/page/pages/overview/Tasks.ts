/** What needs somebody's hand. */
import type { PageName } from "../../frame/PageNames.ts"
import type { Readings } from "./Readings.ts"

/** Share of the month's events from which on it is said. */
const MUCH = 0.8

/** Something to be done, and where. */
export type Task =
  | { readonly kind: "findings" | "alerts"; readonly count: number; readonly page: PageName }
  | { readonly kind: "webhook" | "stream"; readonly name: string; readonly page: string }
  | { readonly kind: "quota" | "unheard"; readonly page: PageName }

/** What was read of what needs a hand. */
export type TaskReadings = {
  readonly [name in "verification" | "alerts" | "webhooks" | "streams" | "usage" | "rules" | "noticed"]: Pick<
    Readings[name],
    "data"
  >
}

/** Whether a webhook does not do what it should. */
export const fails = ({
  enabled,
  disabled_reason: reason,
  failing_since: since
}: {
  readonly enabled: boolean
  readonly disabled_reason: string | null
  readonly failing_since: string | null
}): boolean => (enabled ? since !== null : reason !== null)

/** All tasks, the gravest first, without those about things that the person may not read. */
export const tasksOf = ({
  verification,
  alerts,
  webhooks,
  streams,
  usage,
  rules,
  noticed
}: TaskReadings): ReadonlyArray<Task> => {
  const findings = verification.data?.findings_total ?? 0
  const open = alerts.data?.filter(({ acknowledged_at: at }) => at === null).length ?? 0
  const { used = 0, limit = null } = usage.data?.events ?? {}
  return [
    ...(findings > 0 ? [{ kind: "findings", count: findings, page: "integrity" } as const] : []),
    ...(open > 0 ? [{ kind: "alerts", count: open, page: "alerts" } as const] : []),
    ...((rules.data ?? 0) > 0 && noticed.data === 0 ? [{ kind: "unheard", page: "members" } as const] : []),
    ...(webhooks.data ?? []).flatMap((webhook) =>
      fails(webhook)
        ? [
            {
              kind: "webhook",
              name: webhook.description || webhook.url,
              page: `webhooks/${webhook.id}`
            } as const
          ]
        : []
    ),
    ...(streams.data ?? []).flatMap(({ id, name, status }) =>
      status === "down" || status === "retrying" || status === "paused"
        ? [{ kind: "stream", name, page: `streams/${id}` } as const]
        : []
    ),
    ...(limit !== null && used > limit * MUCH ? [{ kind: "quota", page: "usage" } as const] : [])
  ]
}
