/** The workspace's events, read with the person's session. */
import type { SessionCalls } from "@cairn/client/session"
import { Event } from "@cairn/core/event"
import {
  BUCKETS,
  CountAnswer,
  EventPage,
  HistogramAnswer,
  type LogSource,
  PAGE_SIZE,
  ProofPage,
  type Refusal,
  RequestRefused
} from "@cairn/ui/log"
import { type Selection, selectionParameters } from "@cairn/ui/place"
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

/** The events that the calls' workspace has. */
export const eventSource = ({ events }: SessionCalls): LogSource => {
  const conditions = (selection: Selection) => Object.fromEntries(selectionParameters(selection))
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
      ).data
  }
}
