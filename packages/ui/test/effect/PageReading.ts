/** How the page reads what the service answers, and verifies it. */
import { Event } from "@cairn/core/event"
import { ProvenEvent } from "@cairn/core/proof"
import { Result, Schema } from "effect"
import {
  CountAnswer,
  EventPage,
  FacetsAnswer,
  HistogramAnswer,
  ProofPage,
  ViewerSettingsAnswer
} from "../../src/log/LogSource.ts"
import { EventVerifier } from "../../src/log/verification/EventVerifier.ts"

/** Whether an answer is one, by what was asked for. */
export const isAnswer = {
  page: Schema.is(EventPage),
  event: Schema.is(Event),
  proofs: Schema.is(ProofPage),
  count: Schema.is(CountAnswer),
  histogram: Schema.is(HistogramAnswer),
  settings: Schema.is(ViewerSettingsAnswer),
  facets: Schema.is(FacetsAnswer)
}

const decodeProof = Schema.decodeUnknownResult(ProvenEvent)

/** Whether a proof is one. */
export const isProof = (given: unknown): boolean => Result.isSuccess(decodeProof(given))

/** Whether it is one that was read. */
export const isReadProof = Schema.is(ProvenEvent)

export { EventVerifier }
