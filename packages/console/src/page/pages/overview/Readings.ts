/** What the overview reads, each thing only if the person may. */
import { usePageClock } from "@cairn/ui/locale"
import { type Read, useRead } from "../../data/Read.ts"
import { type Schemas, useMay, useSession } from "../../data/Session.ts"
import { type FetchedNote, readNewest } from "../integrity/FetchedNote.ts"
import { canEnd } from "../members/Roles.ts"

/** A week, in milliseconds. */
const WEEK = 7 * 86_400_000
/** Bars of the week's chart: two hours each. */
const BARS = 84
/** Things of a kind that are looked at: more than a workspace has. */
const MANY = 100

/** Whether a member gets mail about the workspace. */
const isNoticed = ({ role, confirmed_at }: Pick<Schemas["Member"], "role" | "confirmed_at">): boolean =>
  !canEnd(role) && confirmed_at !== null

/** Everything. */
export interface Readings {
  readonly verification: Read<Schemas["LogVerificationStatus"]>
  /** The state of the log as the service signs it now. */
  readonly checkpoint: Read<FetchedNote>
  readonly anchor: Read<Schemas["Anchor"] | null>
  readonly alerts: Read<ReadonlyArray<Schemas["ListedAlert"]>>
  readonly webhooks: Read<ReadonlyArray<Schemas["Webhook"]>>
  readonly streams: Read<ReadonlyArray<Schemas["LogStream"]>>
  readonly usage: Read<Schemas["Usage"]>
  /** Alert rules that are on. */
  readonly rules: Read<number>
  /** Owners and admins who get mail; only read where the service sends any. */
  readonly noticed: Read<number>
  readonly week: Read<Schemas["Histogram"]>
}

/** Events that a workspace has at most while nothing but the service itself has written to it. */
const FEW = 100

/** Whether nothing but the service itself has recorded anything yet; undefined until that is known. */
export const useIsNew = ({ usage }: Pick<Readings, "usage">): boolean | undefined => {
  const isYoung = usage.data !== undefined && usage.data.events.used < FEW
  const { data } = useRead(
    ["events", "first"],
    async (calls) => {
      const { data: events } = await calls.events.list({ limit: FEW, total: "none" }).page()
      return events.every(({ action }) => action.startsWith("cairn."))
    },
    { enabled: isYoung }
  )
  return isYoung ? data : false
}

/** Reads it. */
export const useReadings = (): Readings => {
  const clock = usePageClock()
  const verify = { enabled: useMay("log:verify") }
  const isMailed = useSession().person.sign_in.mail
  const [seesRules, seesMembers] = [useMay("alert_rules:read"), useMay("members:read")]
  const mail = { enabled: isMailed && seesRules && seesMembers }
  return {
    verification: useRead(
      ["verification"],
      async (calls) => (await calls.events.verification()).data,
      verify
    ),
    checkpoint: useRead(["checkpoint"], readNewest(clock), verify),
    anchor: useRead(
      ["anchors", "newest"],
      async (calls) => (await calls.anchors.list({ limit: 1 }).page()).data[0] ?? null,
      verify
    ),
    alerts: useRead(
      ["alerts", "newest"],
      async (calls) => (await calls.alerts.list({ limit: 50 }).page()).data,
      {
        enabled: useMay("alerts:read")
      }
    ),
    webhooks: useRead(
      ["webhooks", "all"],
      async (calls) => (await calls.webhooks.list({ limit: MANY }).page()).data,
      { enabled: useMay("webhooks:read") }
    ),
    streams: useRead(
      ["streams", "all"],
      async (calls) => (await calls.logStreams.list({ limit: MANY }).page()).data,
      { enabled: useMay("log_streams:read") }
    ),
    usage: useRead(["usage"], async (calls) => (await calls.workspace.usage()).data, {
      enabled: useMay("usage:read")
    }),
    rules: useRead(
      ["rules", "on"],
      async (calls, signal) => {
        let on = 0
        for await (const { enabled } of calls.alertRules.list({ limit: MANY }, { signal })) if (enabled) on++
        return on
      },
      mail
    ),
    noticed: useRead(
      ["members", "noticed"],
      async (calls, signal) => {
        let noticed = 0
        for await (const member of calls.members.list({ limit: MANY }, { signal }))
          if (isNoticed(member)) noticed++
        return noticed
      },
      mail
    ),
    week: useRead(
      ["events", "week"],
      async (calls) =>
        (await calls.events.histogram({ from: new Date(clock.now() - WEEK).toISOString(), buckets: BARS }))
          .data,
      { enabled: useMay("events:read") }
    )
  }
}
