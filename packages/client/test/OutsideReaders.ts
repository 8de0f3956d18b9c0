/** Readers of outside text, with hostile input for each; `CostOfLength.trial.ts` measures them. */
import { hostileJson, hostileTexts, type OutsideReader } from "@cairn/testing"
import { readDeadLetters } from "../src/spool/DeadLetters.ts"
import { eventLine, markLine, readSegment } from "../src/spool/SegmentLines.ts"

const event = eventLine({ key: "a", json: '{"idempotency_key":"a"}' })
const mark = markLine(["a", "b"])
const letter = '{"time":"2026-01-01T00:00:00Z","key":"a","refusal":{"error":"e","message":"m"},"event":{}}\n'

const repeated = (text: string) => (length: number) => text.repeat(length / text.length)

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<string>> = [
  {
    name: "segment of a spool",
    read: (text) => readSegment(Buffer.from(text)),
    inputs: {
      ...hostileTexts(event),
      "the same event again and again": repeated(event),
      "events and marks in turn": repeated(event + mark),
      "events, then marks": (length) => repeated(event)(length / 2) + repeated(mark)(length / 2),
      "one long mark": (length) => markLine(Array.from({ length: length / 4 }, () => "a"))
    }
  },
  {
    name: "dead letters of a spool",
    read: readDeadLetters,
    inputs: {
      ...hostileTexts(letter),
      ...hostileJson(),
      "the same letter again and again": repeated(letter),
      "letters that begin in one another": repeated(letter.slice(0, 60))
    }
  }
]
