/** Every endpoint's answer, counted among those that may be large. */
import type { EndpointName } from "@cairn/api"
import { MAX_EVENT_BYTES } from "@cairn/core/event"
import { MAX_LIMIT } from "@cairn/core/log"
import { Effect, Stream } from "effect"
import type { Endpoint } from "../gate/Endpoint.ts"
import { type AnswerBudget, heldBytes, SMALL_ANSWER, wantedBy } from "./AnswerBudget.ts"

/** Most bytes of an event or its proof: its content, hashes and a checkpoint. */
export const MAX_PROOF_BYTES = MAX_EVENT_BYTES + 16 * 1024

/** Most bytes of a page of what is no event: an export's conditions, all escaped, have the most. */
const MAX_PAGE_BYTES = MAX_LIMIT * 24 * 1024

/** The most that is reserved before it is built. Other answers are counted once they are built. */
const RESERVED: Readonly<Partial<Record<EndpointName, number>>> = {
  getEvent: MAX_PROOF_BYTES,
  eventProof: MAX_PROOF_BYTES,
  listAlerts: MAX_PAGE_BYTES,
  listAlertRules: MAX_PAGE_BYTES,
  listAnchors: MAX_PAGE_BYTES,
  listApiKeys: MAX_PAGE_BYTES,
  listCheckpoints: MAX_PAGE_BYTES,
  listDeliveries: MAX_PAGE_BYTES,
  listExports: MAX_PAGE_BYTES,
  listLogStreams: MAX_PAGE_BYTES,
  listMembers: MAX_PAGE_BYTES,
  listSessions: MAX_PAGE_BYTES,
  listWebhookDeliveries: MAX_PAGE_BYTES,
  listWebhooks: MAX_PAGE_BYTES
}

/** Those that reserve by themselves what their request needs, in the budget of lists and proofs. */
const BY_THEMSELVES: ReadonlySet<EndpointName> = new Set<EndpointName>(["listEvents", "eventProofs"])

/**
 * The endpoint, whose answer waits until the budget has room for it. What is read as it is sent, as a file
 * is, is never in memory as a whole and not counted.
 */
export const countedAnswer = (budget: AnswerBudget, name: EndpointName, endpoint: Endpoint): Endpoint => {
  if (BY_THEMSELVES.has(name)) return endpoint
  const most = RESERVED[name]
  return (request) => {
    const sized = Effect.map(endpoint(request), (answer) => ({
      answer,
      body: Stream.isStream(answer.body) ? "" : answer.body
    }))
    if (most !== undefined) {
      return Effect.map(budget.build(wantedBy(request, most), sized), ({ answer }) => answer)
    }
    // Reserved by the time that it takes, a walk through the log would be in the way of everything else.
    return Effect.flatMap(sized, (built) => {
      const held = heldBytes(built.body)
      return held <= SMALL_ANSWER
        ? Effect.succeed(built.answer)
        : Effect.map(budget.build(wantedBy(request, held), Effect.succeed(built)), ({ answer }) => answer)
    })
  }
}
