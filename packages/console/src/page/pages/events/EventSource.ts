/** The workspace's events, read with the person's session. */
import type { SessionCalls } from "@cairn/client/session"
import { Event } from "@cairn/core/event"
import {
  BUCKETS,
  CountAnswer,
  EventPage,
  FacetsAnswer,
  HistogramAnswer,
  type LogSource,
  PAGE_SIZE,
  ProofPage,
  type Refusal,
  RequestRefused,
  readLive,
  ViewerSettingsAnswer
} from "@cairn/ui/log"
import type { Selection } from "@cairn/ui/place"
import { Schema } from "effect"
import { type Fault, faultOf } from "../../data/Fault.ts"

/** Why a request failed, in the words of the list. */
const refusalOf = (fault: Fault): Refusal => {
  switch (fault.kind) {
    case "signed_out":
      return { kind: "expired" }
    case "busy":
    case "unavailable":
      return fault
    case "refused":
    case "gone":
      return { kind: fault.kind }
    case "invalid":
      return { kind: "invalid", parameter: Object.keys(fault.fields)[0] }
    default:
      return { kind: "failed" }
  }
}

/** What was answered, if it is what was asked for. */
const checked = async <S extends Schema.Top>(
  schema: S,
  signal: AbortSignal,
  asked: Promise<unknown>
): Promise<S["Type"]> => {
  try {
    const answer = await asked
    if (Schema.is(schema)(answer)) return answer
  } catch (error) {
    if (signal.aborted) throw error
    throw new RequestRefused(refusalOf(faultOf(error)))
  }
  throw new RequestRefused({ kind: "failed" })
}

/** What was answered to a call, if it was not refused. */
const opened = async (signal: AbortSignal, asked: Promise<Response>): Promise<Response> => {
  try {
    return await asked
  } catch (error) {
    if (signal.aborted) throw error
    throw new RequestRefused(refusalOf(faultOf(error)))
  }
}

/** Calls whose answers are read as they come. */
interface Streams {
  readonly live?: Opened
  readonly export?: Opened
}

type Opened = (
  query: Readonly<Record<string, unknown>>,
  options: { readonly signal: AbortSignal }
) => Promise<Response>

/** The events that the calls' workspace has; `mayExport` is whether the person may export them. */
export const eventSource = (
  {
    events,
    workspace
  }: Pick<SessionCalls, "workspace"> & { readonly events: SessionCalls["events"] & Streams },
  mayExport: boolean
): LogSource => {
  const conditions = ({ filter, clock }: Selection) =>
    Object.fromEntries(Object.entries({ ...filter, time: clock }))
  const { live, export: file } = events
  return {
    events: (selection, cursor, signal) =>
      checked(
        EventPage,
        signal,
        events.list({ ...conditions(selection), cursor, limit: PAGE_SIZE, total: "none" }, { signal }).page()
      ),
    count: async (selection, signal) =>
      (await checked(CountAnswer, signal, events.count(conditions(selection), { signal }))).data.total,
    event: (id, signal) => checked(Event, signal, events.get(id, { signal })),
    proofs: (ids, signal) => checked(ProofPage, signal, events.proofs({ ids }, { signal })),
    histogram: async (selection, signal) =>
      (
        await checked(
          HistogramAnswer,
          signal,
          events.histogram({ ...conditions(selection), buckets: BUCKETS }, { signal })
        )
      ).data,
    facets: async (field, prefix, selection, signal) =>
      (
        await checked(
          FacetsAnswer,
          signal,
          events.facets({ ...conditions(selection), field, ...(prefix === "" ? {} : { prefix }) }, { signal })
        )
      ).data,
    settings: async () => {
      const { signal } = new AbortController()
      return (await checked(ViewerSettingsAnswer, signal, workspace.viewerSettings({ signal }))).data
    },
    ...(live !== undefined && {
      live: async (selection, signal, told) => {
        const { body } = await opened(signal, live(conditions(selection), { signal }))
        await readLive(body, signal, told)
      }
    }),
    ...(file !== undefined &&
      mayExport && {
        file: (selection, format, signal) =>
          opened(signal, file({ ...conditions(selection), format }, { signal }))
      })
  }
}
