/** From the body of a request to checked events, or to what is wrong with each. */
import { Result, Schema } from "effect"
import { readLarge } from "../encoding/LargeJson.ts"
import { finished, type Steps, TURN_SIZE } from "../encoding/Pace.ts"
import * as StrictJson from "../encoding/StrictJson.ts"
import {
  copyOfEvent,
  decodeInOne,
  decodingEvent,
  INPUT_NAMES,
  refuseAltered,
  type UnknownMembers
} from "../event/EventDecoding.ts"
import { MAX_BATCH, MAX_METADATA_BYTES } from "../event/EventInput.ts"
import { bothInvalid, InvalidInput, sayFault } from "../event/InvalidInput.ts"
import { knownMembers } from "../event/KnownMembers.ts"
import type { ValidEvent } from "../event/ValidEvent.ts"

/** Most warnings about one batch; beyond it the last one counts the others. */
export const MAX_WARNINGS = 100

/** Checks one event. */
export type DecodeEvent = (value: unknown) => Result.Result<ValidEvent, InvalidInput>

/** One event as a text. */
export const decodeText = (
  text: string,
  decode: DecodeEvent
): Result.Result<ValidEvent, StrictJson.MalformedJson | InvalidInput> => {
  const reading = StrictJson.read(text)
  if (Result.isFailure(reading)) return Result.fail(reading.failure)
  const { value, altered } = reading.success
  const event = decode(value)
  if (altered === undefined) return event
  const invalid = bothInvalid(Result.isFailure(event) ? event.failure : undefined, refuseAltered(altered))
  return invalid === undefined ? event : Result.fail(invalid)
}

/** The checked items of a batch, in order. */
export interface DecodedBatch {
  readonly items: ReadonlyArray<ValidEvent | InvalidInput>
  /** What was left out; at most `MAX_WARNINGS`. */
  readonly warnings: ReadonlyArray<string>
}

const unknownIn = knownMembers(Schema.Struct({ events: Schema.Unknown }))

/** Where a text of a batch was altered: within which items, and elsewhere. */
interface BatchAlterations {
  readonly byItem: ReadonlyMap<number, StrictJson.Altered>
  readonly elsewhere: StrictJson.Altered | undefined
}

const alterationsOf = (altered: StrictJson.Altered | undefined): BatchAlterations => {
  const found = altered instanceof Map ? altered : new Map<string, StrictJson.Altered>()
  const events = found.get("events")
  if (!Array.isArray(events)) return { byItem: new Map(), elsewhere: altered }
  const others = [...found].filter(([name]) => name !== "events")
  return { byItem: new Map(events), elsewhere: others.length === 0 ? undefined : new Map(others) }
}

/** The items of a batch, if there are few enough. */
const itemsOf = (value: unknown): Result.Result<ReadonlyArray<unknown>, InvalidInput> => {
  const refuse = (path: string, reason: string) => Result.fail(new InvalidInput({ path, reason }))
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse("", "must be an object")
  const events: unknown = "events" in value ? value.events : undefined
  if (events === undefined) return refuse("events", "is required")
  if (!Array.isArray(events)) return refuse("events", "must be an array")
  if (events.length === 0) return refuse("events", "must have at least one item")
  return events.length > MAX_BATCH
    ? refuse("events", `must have at most ${MAX_BATCH} items`)
    : Result.succeed(events)
}

/** A checked item of a batch. */
function* decodeItem(
  item: unknown,
  index: number,
  altered: StrictJson.Altered | undefined,
  unknownMembers: UnknownMembers
): Generator<number, ValidEvent | InvalidInput> {
  const at = ["events", index]
  const inOne = decodeInOne(item, at)
  if (inOne !== undefined && Result.isSuccess(inOne)) yield inOne.success.metadata.length
  const decoded = inOne ?? (yield* decodingEvent(item, at, unknownMembers))
  if (Result.isSuccess(decoded)) return refuseAltered(altered, at) ?? decoded.success
  yield MAX_METADATA_BYTES
  return bothInvalid(decoded.failure, refuseAltered(altered, at)) ?? decoded.failure
}

/** Checks the items one after the other, and pauses where they are large. */
function* decodeItems(
  bodies: ReadonlyArray<unknown>,
  byItem: BatchAlterations["byItem"],
  unknownMembers: UnknownMembers,
  itemOf: (body: unknown) => unknown
): Steps<ReadonlyArray<ValidEvent | InvalidInput>> {
  const decoded: Array<ValidEvent | InvalidInput> = []
  let size = 0
  for (const [index, item] of bodies.entries()) {
    const decoding = decodeItem(itemOf(item), index, byItem.get(index), unknownMembers)
    let step = decoding.next()
    for (; step.done !== true; step = decoding.next()) {
      size += step.value
      if (size <= TURN_SIZE) continue
      size = 0
      yield
    }
    decoded.push(step.value)
  }
  return decoded
}

const warningsOf = (
  unknown: InvalidInput | undefined,
  items: ReadonlyArray<ValidEvent | InvalidInput>
): ReadonlyArray<string> => {
  const all = [
    ...(unknown?.faults.map(sayFault) ?? []),
    ...items.flatMap((item) => (item instanceof InvalidInput ? [] : (item.warnings ?? [])))
  ]
  if (all.length <= MAX_WARNINGS) return all
  const named = all.slice(0, MAX_WARNINGS - 1)
  return [...named, `${all.length - named.length} other warnings are left out`]
}

/** A batch that was read. What is wrong with it as a whole rejects it whole. */
function* decodeBatch(
  { value, altered }: { readonly value: unknown; readonly altered: StrictJson.Altered | undefined },
  unknownMembers: UnknownMembers,
  itemOf: (body: unknown) => unknown = (body) => body
): Steps<Result.Result<DecodedBatch, InvalidInput>> {
  const { byItem, elsewhere } = alterationsOf(altered)
  const bodies = itemsOf(value)
  const unknown = unknownIn(value)
  const wrong = bothInvalid(Result.isFailure(bodies) ? bodies.failure : undefined, refuseAltered(elsewhere))
  const invalid = unknownMembers === "warn" && wrong === undefined ? undefined : bothInvalid(unknown, wrong)
  if (invalid !== undefined) return Result.fail(invalid)
  const items = yield* decodeItems(
    Result.getOrElse(bodies, () => []),
    byItem,
    unknownMembers,
    itemOf
  )
  return Result.succeed({ items, warnings: warningsOf(unknown, items) })
}

/** A batch as a text of at most {@link TURN_SIZE} characters. */
export const decodeBatchText = (
  text: string,
  unknownMembers: UnknownMembers
): Result.Result<DecodedBatch, StrictJson.MalformedJson | InvalidInput> =>
  Result.flatMap(StrictJson.read(text), (reading) => finished(decodeBatch(reading, unknownMembers)))

/** A batch as a longer text, in steps. */
export function* decodeLargeBatch(
  text: string,
  unknownMembers: UnknownMembers
): Steps<Result.Result<DecodedBatch, StrictJson.MalformedJson | InvalidInput>> {
  const reading = yield* readLarge(text, INPUT_NAMES)
  return Result.isFailure(reading)
    ? Result.fail(reading.failure)
    : yield* decodeBatch(reading.success, unknownMembers)
}

/** A batch as a value of a program, in steps. */
export const decodeBatchValue = (
  value: unknown,
  unknownMembers: UnknownMembers
): Steps<Result.Result<DecodedBatch, InvalidInput>> =>
  decodeBatch({ value, altered: undefined }, unknownMembers, copyOfEvent)
