import { canonicalize, MalformedJson, Micros, TURN_SIZE } from "@cairn/core/encoding"
import { contentText, decodeEvent, InvalidInput, nowhere } from "@cairn/core/event"
import {
  Acceptance,
  type AcceptContext,
  type BatchOutcome,
  BatchRefused,
  ClockAhead,
  ClockGuard,
  Inbox,
  InboxFull,
  isCountedId
} from "@cairn/core/log"
import {
  escapedKeys,
  eventGenerator,
  hostileEvents,
  hostileGenerator,
  layerManualClock,
  layerSeededRandomness,
  type ManualClock,
  MemoryStorage,
  manualClock,
  workPerTurn
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { MAX_AHEAD_SECONDS } from "../../src/log/ClockGuard.ts"

const NOON = 1_714_564_800_123_456
const context: AcceptContext = { workspaceId: "wsp_1", clientAddress: "192.0.2.7", keysExpireBefore: null }

/** Accepting over memory, at noon. */
const accepting = (
  clock: ManualClock = manualClock(NOON),
  options: MemoryStorage.MemoryStorageOptions = {}
) =>
  Acceptance.layer.pipe(
    Layer.provide([ClockGuard.layer, layerSeededRandomness(1)]),
    Layer.provideMerge(MemoryStorage.layer(options)),
    Layer.provideMerge(layerManualClock(clock))
  )

const one = (body: unknown, within: Partial<AcceptContext> = {}) =>
  Effect.flatMap(Acceptance, (acceptance) =>
    acceptance.one({ ...context, ...within }, typeof body === "string" ? body : JSON.stringify(body))
  )

const batch = (events: ReadonlyArray<unknown>, within: Partial<AcceptContext> = {}) =>
  Effect.flatMap(Acceptance, (acceptance) =>
    Effect.map(
      acceptance.batch({ ...context, ...within }, JSON.stringify({ events })),
      ({ outcomes }) => outcomes
    )
  )

const batchText = (text: string, within: Partial<AcceptContext> = {}) =>
  Effect.flatMap(Acceptance, (acceptance) =>
    Effect.map(acceptance.batch({ ...context, ...within }, text), ({ outcomes }) => outcomes)
  )

/** What is rejected in a batch, and why; the texts that are accepted. */
const outcomesOf = (text: string, within: Partial<AcceptContext> = {}) =>
  Effect.map(
    Effect.result(batchText(text, within)),
    Result.match({
      onFailure: (error) =>
        error instanceof BatchRefused ? error.items.map(({ message }) => message) : [error._tag],
      onSuccess: (outcomes) =>
        outcomes.map((outcome) => (outcome instanceof InvalidInput ? outcome.message : "accepted"))
    })
  )

const depth = Effect.flatMap(Inbox, (inbox) => inbox.depth)

const rows = Effect.map(MemoryStorage.MemoryTables, ({ inbox }) => inbox("wsp_1").rows)

const waiting = (id: string) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.find("wsp_1", id)),
    Option.getOrThrow
  )

const valid = { actor_id: "a", action: "b" }
const keyed = (idempotency_key: string) => ({ ...valid, idempotency_key })

/** The id of an outcome that is no refusal. */
const idOf = (outcome: BatchOutcome | undefined): string =>
  outcome === undefined || !("id" in outcome) ? assert.fail("refused") : outcome.id

/** The text that waits for each event that is accepted, in their order. */
const accepted = Effect.map(rows, (waitingRows) =>
  waitingRows.flatMap(({ events }) => events.map(({ content }) => contentText(content, nowhere)))
)

describe("a value from code", () => {
  it.effect("is accepted as its JSON text is, alone and in a batch", () =>
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const generate = eventGenerator({ seed: 5 })
      const events = Array.from({ length: 50 }, () => ({ ...generate(), idempotency_key: null }))
      for (const event of events) {
        yield* acceptance.one(context, JSON.stringify(event))
        yield* acceptance.one(context, event)
      }
      yield* acceptance.batch(context, JSON.stringify({ events }))
      yield* acceptance.batch(context, { events })
      const texts = yield* accepted
      const [alone, together] = [texts.slice(0, 100), texts.slice(100)]
      assert.strictEqual(together.length, 100)
      assert.deepStrictEqual(
        alone.filter((_, index) => index % 2 === 0),
        alone.filter((_, index) => index % 2 === 1)
      )
      assert.deepStrictEqual(together.slice(0, 50), together.slice(50))
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("may have members that are undefined, and dates, as JSON.stringify writes them", () =>
    Effect.gen(function* () {
      const metadata = { at: new Date(NOON / 1000), none: undefined, nested: [{ none: undefined, n: -0 }] }
      const target = { type: "t", id: undefined, name: undefined, metadata }
      const event = { ...valid, actor_name: undefined, metadata, targets: [target] }
      const acceptance = yield* Acceptance
      yield* acceptance.one(context, JSON.stringify(event))
      yield* acceptance.one(context, event)
      yield* acceptance.batch(context, { events: [event] })
      const [fromText, ...others] = yield* accepted
      assert.include(fromText, '"metadata":{"at":"2024-05-01T12:00:00.123Z","nested":[{"n":0}]}')
      assert.deepStrictEqual(others, [fromText, fromText])
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("is refused as a text is, and where it has no JSON", () =>
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const loop: Record<string, unknown> = {}
      loop.a = loop.b = loop
      for (const [event, reason] of [
        [{ ...valid, actor_id: 7 }, "actor_id: must be a string"],
        [{ ...valid, metadata: { n: 1n } }, "metadata.n: is not a JSON value"],
        [{ ...valid, metadata: { n: Number.NaN } }, "metadata.n: is a number too large for a double"],
        [{ ...valid, metadata: new Date(0) }, "metadata: must be an object"],
        [{ ...valid, metadata: loop }, "must have at most 32 levels"],
        [[], "must be an object"]
      ] as const) {
        const refusal = yield* Effect.flip(acceptance.one(context, event))
        assert.include(refusal.message, reason)
        const batched = yield* Effect.flip(acceptance.batch(context, { events: [event] }))
        assert.include(batched instanceof BatchRefused ? batched.items[0]?.message : "", reason)
      }
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("is written as it was checked, even if it is changed before that", () =>
    Effect.gen(function* () {
      const event = { ...valid, targets: [{ type: "t", id: "1" }] }
      const [target] = event.targets
      const slow = Layer.succeed(ClockGuard, {
        now: Effect.sync(() => {
          event.action = "x".repeat(1_000)
          if (target !== undefined) target.id = "2"
          return NOON
        }),
        reckoned: Effect.succeed(NOON)
      })
      const layer = Acceptance.layer.pipe(Layer.provide([slow, layerSeededRandomness(1)]))
      yield* Effect.flatMap(Acceptance, (acceptance) => acceptance.one(context, event)).pipe(
        Effect.provide(layer)
      )
      const [text] = yield* accepted
      assert.include(text, '{"action":"b",')
      assert.include(text, '"targets":[{"id":"1","type":"t"}]')
    }).pipe(Effect.provide(accepting()))
  )
})

describe("one event", () => {
  it.effect("of the service's own that is not counted has an id that says so", () =>
    Effect.gen(function* () {
      const { ownBatch } = yield* Acceptance
      const body = { actor_id: "a", action: "cairn.access.events" }
      for (const isCounted of [true, false]) {
        const [outcome] = yield* ownBatch({ ...context, isCounted }, [body])
        assert.strictEqual(isCountedId(outcome?.id ?? ""), isCounted)
        assert.match(
          outcome?.id ?? "",
          /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
        )
      }
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("waits as canonical content, dated by its acceptance, with an id of its own", () =>
    Effect.gen(function* () {
      const body = {
        resource: "doc",
        actor_id: "a",
        action: "doc.read",
        metadata: { b: 1, a: -0 },
        targets: [{ id: "1", type: "t" }]
      }
      const outcome = yield* one(body)
      assert.isFalse(outcome.duplicate)
      assert.match(outcome.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const { event, acceptedAt, offset } = yield* waiting(outcome.id)
      assert.deepStrictEqual([acceptedAt, offset, event.idempotencyKey], [NOON, 0, null])
      assert.strictEqual(
        contentText(event.content, { country: "NO", city: "Oslo" }),
        '{"action":"doc.read","action_category":null,"actor":{"id":"a","name":null,"type":null},"idempotency_key":null,' +
          '"ip_city":"Oslo","ip_country":"NO","metadata":{"a":0,"b":1},"occurred_at":"2024-05-01T12:00:00.123456Z",' +
          '"resource":{"id":null,"name":null,"type":"doc"},"session_id":null,"targets":[{"id":"1","type":"t"}],' +
          '"tenant_id":null,"version":null}'
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("keeps the time that the client says it occurred at", () =>
    Effect.gen(function* () {
      const { id } = yield* one({ ...valid, occurred_at: "2024-02-29T23:30:00.1234567-01:00" })
      const { event } = yield* waiting(id)
      assert.include(event.content.tail, '"occurred_at":"2024-03-01T00:30:00.123456Z"')
    }).pipe(Effect.provide(accepting()))
  )

  it.effect(
    "is looked up by the connection's address unless the body gives another, which is not stored",
    () =>
      Effect.gen(function* () {
        const plain = yield* waiting((yield* one(valid)).id)
        const told = yield* waiting((yield* one({ ...valid, ip_address: "2001:db8::1" })).id)
        const nobody = yield* waiting((yield* one(valid, { clientAddress: null })).id)
        const addresses = [plain, told, nobody].map(({ event }) => event.clientAddress)
        assert.deepStrictEqual(addresses, ["192.0.2.7", "2001:db8::1", null])
        assert.notInclude(JSON.stringify(told.event.content), "2001:db8")
      }).pipe(Effect.provide(accepting()))
  )

  for (const text of [
    "",
    "{",
    '{"actor_id":"a",}',
    "\u0000",
    '{"actor_id":"a","action":"b"} x',
    "NaN",
    "'a'"
  ]) {
    it.effect(`is malformed JSON when it reads ${JSON.stringify(text)}`, () =>
      Effect.gen(function* () {
        assert.instanceOf(yield* Effect.flip(one(text)), MalformedJson)
        assert.strictEqual(yield* depth, 0)
      }).pipe(Effect.provide(accepting()))
    )
  }

  for (const { name, json, refusedAt } of hostileEvents) {
    it.effect(refusedAt === undefined ? `is accepted: ${name}` : `is refused by its path: ${name}`, () =>
      Effect.gen(function* () {
        const result = yield* Effect.result(one(json))
        if (refusedAt === undefined) {
          assert.isTrue(Result.isSuccess(result), String(Option.getOrNull(Result.getFailure(result))))
          assert.strictEqual(yield* depth, 1)
          return
        }
        if (Result.isSuccess(result)) return assert.fail("accepted")
        if (!(result.failure instanceof InvalidInput)) return assert.fail(result.failure._tag)
        assert.strictEqual(result.failure.path, refusedAt)
        assert.isAbove(result.failure.reason.length, 0)
        assert.strictEqual(yield* depth, 0)
      }).pipe(Effect.provide(accepting()))
    )
  }

  it.effect("is held in the very bytes that canonical JSON gives it, whatever it holds", () =>
    Effect.gen(function* () {
      const generators = [eventGenerator({ seed: 1 }), hostileGenerator(2)]
      const bodies = generators.flatMap((next) => Array.from({ length: 300 }, () => JSON.stringify(next())))
      const accepted = hostileEvents.flatMap(({ json, refusedAt }) => (refusedAt === undefined ? [json] : []))
      for (const body of [...bodies, ...accepted]) {
        const { event } = yield* waiting((yield* one(body)).id)
        const text = contentText(event.content, nowhere)
        assert.strictEqual(Result.getOrThrow(canonicalize(JSON.parse(text))), text)
        const { metadata } = JSON.parse(text)
        const sent = Result.getOrThrow(decodeEvent(JSON.parse(body))).input.metadata ?? null
        assert.strictEqual(Result.getOrThrow(canonicalize(metadata)), Result.getOrThrow(canonicalize(sent)))
      }
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("keeps each key as it was sent, though V8 takes keys with escapes for one another", () =>
    Effect.gen(function* () {
      for (const [row, before] of escapedKeys.entries()) {
        for (const [column, key] of escapedKeys.entries()) {
          // An object of its own shape for each pair: V8 goes by what it saw in an object of the same shape.
          const shape = ` ${row} ${column}`
          const sent = [before, key].map((each) => ({ [shape]: 1, [each]: 2 }))
          for (const metadata of sent) {
            const { event } = yield* waiting((yield* one({ ...valid, metadata })).id)
            assert.include(event.content.tail, `"metadata":${Result.getOrThrow(canonicalize(metadata))},`)
          }
        }
      }
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("tells the sender of an inexact number to send text", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        one('{"actor_id":"a","action":"b","metadata":{"n":[{"id":9007199254740993}]}}')
      )
      assert.deepStrictEqual(
        error,
        new InvalidInput({
          path: "metadata.n[0].id",
          reason: "9007199254740993 cannot be held exactly as a number; send it as a string"
        })
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("is a duplicate of the first event with its key, whatever its body", () =>
    Effect.gen(function* () {
      const first = yield* one(keyed("k"))
      const again = yield* one({ ...keyed("k"), action: "other" })
      const elsewhere = yield* one(keyed("k"), { workspaceId: "wsp_2" })
      assert.deepStrictEqual(again, { id: first.id, duplicate: true })
      assert.isFalse(elsewhere.duplicate)
      assert.strictEqual(yield* depth, 2)
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("may use a key again once that has expired", () => {
    const clock = manualClock(NOON)
    return Effect.gen(function* () {
      const first = yield* one(keyed("k"))
      clock.advance(Micros.DAY)
      assert.isTrue((yield* one(keyed("k"), { keysExpireBefore: NOON })).duplicate)
      const next = yield* one(keyed("k"), { keysExpireBefore: NOON + 1 })
      assert.isFalse(next.duplicate)
      assert.notStrictEqual(next.id, first.id)
    }).pipe(Effect.provide(accepting(clock)))
  })

  it.effect("waits for room when the inbox is full", () =>
    Effect.gen(function* () {
      yield* one(valid)
      const error = yield* Effect.flip(one(valid))
      assert.instanceOf(error, InboxFull)
      assert.deepStrictEqual([error.depth, error.capacity], [1, 1])
    }).pipe(Effect.provide(accepting(manualClock(NOON), { inboxCapacity: 1 })))
  )
})

describe("a batch", () => {
  it.effect("is accepted as one row, at one moment, in its order", () =>
    Effect.gen(function* () {
      const next = eventGenerator({ seed: 3 })
      const outcomes = yield* batch(Array.from({ length: 100 }, next))
      assert.isTrue(outcomes.every((outcome) => "duplicate" in outcome && !outcome.duplicate))
      const [row, ...others] = yield* rows
      assert.lengthOf(others, 0)
      assert.strictEqual(row?.acceptedAt, NOON)
      assert.deepStrictEqual(
        row?.events.map(({ id }) => id),
        outcomes.map(idOf)
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("holds the refusal of an invalid item in its place, and takes the others", () =>
    Effect.gen(function* () {
      const outcomes = yield* batch([valid, { actor_id: "a" }, valid, null, { ...valid, targets: [{}] }])
      const refusals = outcomes.map((outcome) => (outcome instanceof InvalidInput ? outcome.message : null))
      assert.deepStrictEqual(refusals, [
        null,
        "events[1].action: is required",
        null,
        "events[3]: must be an object",
        "events[4].targets[0].type: is required"
      ])
      const [row] = yield* rows
      assert.deepStrictEqual(
        row?.events.map(({ id }) => id),
        [idOf(outcomes[0]), idOf(outcomes[2])]
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("names hostile items by their path within the batch", () =>
    Effect.gen(function* () {
      const text = `{"events":[${hostileEvents.map(({ json }) => json).join(",")}]}`
      const outcomes = yield* batchText(text)
      const paths = outcomes.map((outcome) => (outcome instanceof InvalidInput ? outcome.path : undefined))
      const expected = hostileEvents.map(({ refusedAt }, index) =>
        refusedAt === undefined ? undefined : `events[${index}]${refusedAt === "" ? "" : `.${refusedAt}`}`
      )
      assert.deepStrictEqual(paths, expected)
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("is refused when every item is, with each item's refusal, and stores nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(batch([{ actor_id: "a" }, 1]))
      assert.instanceOf(error, BatchRefused)
      assert.deepStrictEqual(
        error.items.map(({ path, reason }) => [path, reason]),
        [
          ["events[0].action", "is required"],
          ["events[1]", "must be an object"]
        ]
      )
      assert.strictEqual(yield* depth, 0)
      assert.lengthOf(yield* rows, 0)
    }).pipe(Effect.provide(accepting()))
  )

  const shapes: ReadonlyArray<readonly [text: string, path: string, reason: string]> = [
    ["[]", "", "must be an object"],
    ["null", "", "must be an object"],
    ['"events"', "", "must be an object"],
    ["{}", "events", "is required"],
    ['{"events":null}', "events", "must be an array"],
    ['{"events":{"0":{}}}', "events", "must be an array"],
    ['{"events":[]}', "events", "must have at least one item"],
    [JSON.stringify({ events: Array(101).fill(valid) }), "events", "must have at most 100 items"]
  ]
  for (const [text, path, reason] of shapes) {
    it.effect(`of the wrong shape is refused: ${text.slice(0, 30)} ${reason}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Effect.flip(batchText(text)), new InvalidInput({ path, reason }))
        assert.strictEqual(yield* depth, 0)
      }).pipe(Effect.provide(accepting()))
    )
  }

  it.effect("names a member that is both unknown and repeated as both", () =>
    Effect.gen(function* () {
      const text = `{"later":1,"later":2,${JSON.stringify(valid).slice(1)}`
      const error = yield* Effect.flip((yield* Acceptance).one(context, text))
      assert.instanceOf(error, InvalidInput)
      assert.deepStrictEqual(error.unknown, ["later"])
      assert.deepStrictEqual(error.wrong, [{ path: "later", reason: "is given more than once" }])
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("with an unknown member, or a key that is repeated, is refused whole", () =>
    Effect.gen(function* () {
      const event = JSON.stringify(valid)
      const refusal = (text: string) =>
        Effect.map(Effect.flip(batchText(text)), (error) =>
          error instanceof InvalidInput ? [error.message, error.unknown] : error
        )
      assert.deepStrictEqual(yield* refusal(`{"evnts":1,"events":[${event}]}`), [
        "evnts: is not known; did you mean `events`?",
        ["evnts"]
      ])
      assert.deepStrictEqual(yield* refusal(`{"events":[{}],"events":[${event}]}`), [
        "events: is given more than once",
        undefined
      ])
      assert.strictEqual(yield* depth, 0)
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("says what it left out, where unknown members are a warning", () =>
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const warned = { ...context, unknownMembers: "warn" as const }
      const events = [valid, { ...valid, tennant_id: "t" }, { actor_id: "a", more: 1 }]
      const { outcomes, warnings } = yield* acceptance.batch(warned, { events, later: 1 })
      assert.deepStrictEqual(warnings, [
        "later: is not known; did you mean `events`?",
        "events[1].tennant_id: is not known; did you mean `tenant_id`?"
      ])
      assert.instanceOf(outcomes[2], InvalidInput)
      const many = yield* acceptance.batch(warned, {
        events: Array.from({ length: 60 }, () => ({ ...valid, one: 1, two: 2 }))
      })
      assert.lengthOf(many.warnings, 100)
      assert.strictEqual(many.warnings.at(-1), "21 other warnings are left out")
      const one = yield* acceptance.one(warned, { ...valid, tennant_id: "t" })
      assert.deepStrictEqual(one.warnings, ["tennant_id: is not known; did you mean `tenant_id`?"])
      const { event } = yield* waiting(one.id)
      assert.notInclude(contentText(event.content, nowhere), "tennant")
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("that is no JSON is malformed", () =>
    Effect.gen(function* () {
      assert.instanceOf(yield* Effect.flip(batchText('{"events":[}')), MalformedJson)
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("has its repeated keys point to the first valid item with the key", () =>
    Effect.gen(function* () {
      const stored = yield* one(keyed("stored"))
      const invalid = { ...keyed("a"), action: "" }
      const outcomes = yield* batch([
        invalid,
        keyed("a"),
        keyed("stored"),
        keyed("b"),
        keyed("a"),
        keyed("stored"),
        valid,
        valid
      ])
      assert.instanceOf(outcomes[0], InvalidInput)
      const a = { id: idOf(outcomes[1]), duplicate: false }
      assert.deepStrictEqual(outcomes.slice(1, 6), [
        a,
        { id: stored.id, duplicate: true },
        { id: idOf(outcomes[3]), duplicate: false },
        { id: a.id, duplicate: true },
        { id: stored.id, duplicate: true }
      ])
      assert.notStrictEqual(idOf(outcomes[6]), idOf(outcomes[7]))
      const keys = (yield* rows).at(-1)?.events.map(({ idempotencyKey }) => idempotencyKey)
      assert.deepStrictEqual(keys, ["a", "b", null, null])
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("of duplicates only stores nothing", () =>
    Effect.gen(function* () {
      const first = yield* batch([keyed("a"), keyed("b")])
      const again = yield* batch([keyed("b"), keyed("a"), keyed("b")])
      const [a, b] = [idOf(first[0]), idOf(first[1])]
      assert.deepStrictEqual(
        again,
        [b, a, b].map((id) => ({ id, duplicate: true }))
      )
      assert.lengthOf(yield* rows, 1)
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("has an inexact number and a repeated key refuse their own item only", () =>
    Effect.gen(function* () {
      const n = "9007199254740993"
      const item = (members: string) => `{"actor_id":"a","action":"b",${members}}`
      const items = [
        item('"metadata":{"n":1}'),
        item(`"metadata":{"n":${n}}`),
        item('"metadata":{"n":1,"n":1}'),
        item(`"targets":[{"type":"t"},{"type":"t","metadata":{"n":[1e400]}}]`),
        item(`"targets":[{"type":"t","metadata":{"n":${n}}}]`),
        item(`"version":${n}`),
        item('"tenant_id":"a","tenant_id":"b","metadata":{"a":{"b":1,"b":2}}')
      ]
      const outcomes = yield* batchText(`{"events":[${items.join(",")}]}`)
      assert.deepStrictEqual(
        outcomes.map((outcome) =>
          outcome instanceof InvalidInput ? outcome.faults.map(({ path }) => path) : null
        ),
        [
          null,
          ["events[1].metadata.n"],
          ["events[2].metadata.n"],
          ["events[3].targets[1].metadata.n[0]"],
          ["events[4].targets[0].metadata.n"],
          ["events[5].version"],
          ["events[6].tenant_id", "events[6].metadata.a.b"]
        ]
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("is refused whole when the inbox has no room for it", () =>
    Effect.gen(function* () {
      yield* one(valid)
      assert.instanceOf(yield* Effect.flip(batch([valid, valid])), InboxFull)
      assert.strictEqual(yield* depth, 1)
    }).pipe(Effect.provide(accepting(manualClock(NOON), { inboxCapacity: 2 })))
  )
})

describe("a batch that is larger than what is read in one turn", () => {
  const padded = (text: string) => `${text}${" ".repeat(TURN_SIZE)}`

  it.live("is accepted and refused, item by item, as a small one", () =>
    Effect.gen(function* () {
      const text = `{"events":[${hostileEvents.map(({ json }) => json).join(",")}]}`
      const outcomes = yield* outcomesOf(text)
      assert.isAbove(outcomes.length, 50)
      assert.deepStrictEqual(yield* outcomesOf(padded(text)), outcomes)
      for (const other of ["[]", "{", '{"events":{}}', '{"events":[]}', '{"events":[{}]}', "null"]) {
        assert.deepStrictEqual(yield* outcomesOf(padded(other)), yield* outcomesOf(other))
      }
    }).pipe(Effect.provide(accepting()))
  )

  it.live("has what stands behind very many members that nobody knows, where they are a warning", () =>
    Effect.gen(function* () {
      const unknown = Array.from({ length: 100_000 }, (_, index) => `"_${index}":1`).join(",")
      const event = (fields: string) => `{${unknown},"actor_id":"a","action":"b.c",${fields}}`
      const targets = '"targets":[{"type":"t","metadata":{"n":-9007199254740993}}]'
      const text = `{${unknown},"events":[${event('"version":1')},${event('"metadata":{"n":9007199254740993}')},${event(targets)}]}`
      assert.deepStrictEqual(yield* outcomesOf(text, { unknownMembers: "warn" }), [
        "accepted",
        "events[1].metadata.n: 9007199254740993 cannot be held exactly as a number; send it as a string",
        "events[2].targets[0].metadata.n: -9007199254740993 cannot be held exactly as a number; send it as a string"
      ])
    }).pipe(Effect.provide(accepting()))
  )

  it.live("is read with few others at once, so that memory does not hold them all", () =>
    Effect.gen(function* () {
      const text = `{"events":[{"actor_id":"a","action":"b.c","x":[${"{},".repeat(300_000)}1]}]}`
      let turn = 0
      let next = setImmediate(function count() {
        turn++
        next = setImmediate(count)
      })
      const done = yield* Effect.forEach(
        Array.from({ length: 10 }, () => text),
        (body) => Effect.map(outcomesOf(body), () => turn),
        { concurrency: "unbounded" }
      )
      clearImmediate(next)
      const [first = 0] = done
      // Of ten that were read by turns the first would be done when all are.
      assert.isBelow(first * 3, turn)
      assert.deepStrictEqual(
        [...done].sort((a, b) => a - b),
        done
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.live("waits for one of another workspace at most, however many that sends", () =>
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const text = `{"events":[{"actor_id":"a","action":"b.c","x":[${"{},".repeat(200_000)}1]}]}`
      const order: Array<string> = []
      const send = (workspaceId: string) =>
        Effect.tap(acceptance.batch({ ...context, workspaceId, unknownMembers: "warn" }, text), () =>
          Effect.sync(() => order.push(workspaceId))
        )
      yield* Effect.all([...Array.from({ length: 12 }, () => send("wsp_busy")), send("wsp_other")], {
        concurrency: "unbounded",
        discard: true
      })
      assert.isBelow(order.indexOf("wsp_other"), 5)
    }).pipe(Effect.provide(accepting()))
  )

  const bodies: Record<string, string> = {
    "large events": `{"events":[${Array.from({ length: 100 }, () => `{"actor_id":"a","action":"b.c","metadata":{"m":[${'{"a":1},'.repeat(6_000)}1]}}`).join(",")}]}`,
    "events with large targets": `{"events":[${Array.from({ length: 25 }, () => `{"actor_id":"a","action":"b.c","targets":[${Array.from({ length: 4 }, () => `{"type":"t","metadata":{"m":["${"x".repeat(60_000)}"]}}`).join(",")}]}`).join(",")}]}`,
    "what nobody knows": `{"events":[{"actor_id":"a","action":"b.c","x":[${"1e400,[],".repeat(600_000)}1]}]}`
  }
  for (const [name, text] of Object.entries(bodies)) {
    it.live(`is read a little at a time: ${name}`, () =>
      Effect.gen(function* () {
        const { most, value } = yield* workPerTurn(outcomesOf(text, { unknownMembers: "warn" }))
        assert.isTrue(value.every((outcome) => outcome === "accepted"))
        assert.isAbove(text.length, 16 * TURN_SIZE)
        assert.isBelow(most, 2 * TURN_SIZE)
      }).pipe(Effect.provide(accepting()))
    )
  }
})

describe("events of the service's own", () => {
  const own = (fields: object = {}) => ({ actor_id: "ada", action: "cairn.access.events", ...fields })
  const ownBatch = (bodies: ReadonlyArray<object>, within: Partial<AcceptContext> = {}) =>
    Effect.flatMap(Acceptance, (acceptance) => acceptance.ownBatch({ ...context, ...within }, bodies))

  it.effect("are accepted as one request, and each has its outcome, in order", () =>
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const first = yield* acceptance.own(context, own({ idempotency_key: "cairn.access.events b" }))
      const outcomes = yield* ownBatch([
        own({ idempotency_key: "cairn.access.events a", actor_name: undefined }),
        own({ idempotency_key: "cairn.access.events b" }),
        own({ ip_address: "192.0.2.9" })
      ])
      assert.deepStrictEqual(
        outcomes.map(({ duplicate }) => duplicate),
        [false, true, false]
      )
      assert.strictEqual(outcomes[1]?.id, first.id)
      const [, row, ...others] = yield* rows
      assert.lengthOf(others, 0)
      assert.deepStrictEqual(
        row?.events.map(({ id, idempotencyKey, clientAddress }) => [id, idempotencyKey, clientAddress]),
        [
          [outcomes[0]?.id, "cairn.access.events a", "192.0.2.7"],
          [outcomes[2]?.id, null, "192.0.2.9"]
        ]
      )
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("are all refused when one of them is invalid, or a client's", () =>
    Effect.gen(function* () {
      for (const invalid of [
        own({ action: "document.created" }),
        own({ actor_id: "" }),
        own({ version: "1" })
      ])
        assert.instanceOf(yield* Effect.flip(ownBatch([own(), invalid])), InvalidInput)
      assert.strictEqual(yield* depth, 0)
    }).pipe(Effect.provide(accepting()))
  )

  it.effect("cannot have their idempotency keys taken by a client, alone, in a batch or with a warning", () =>
    Effect.gen(function* () {
      const key = "cairn.webhook.deleted whk_1"
      for (const unknownMembers of ["reject", "warn"] as const) {
        for (const body of [keyed(key), { ...keyed(key), later: 1 }, JSON.stringify(keyed(key))]) {
          const refused = yield* Effect.flip(one(body, { unknownMembers }))
          assert.instanceOf(refused, InvalidInput)
          assert.include(refused.message, "idempotency_key")
        }
        const outcomes = yield* batch([valid, keyed(key)], { unknownMembers })
        assert.instanceOf(outcomes[1], InvalidInput)
      }
      const acceptance = yield* Acceptance
      const deleted = yield* acceptance.own(
        context,
        own({ action: "cairn.webhook.deleted", idempotency_key: key })
      )
      assert.isFalse(deleted.duplicate)
    }).pipe(Effect.provide(accepting()))
  )
})

describe("the clock", () => {
  it.effect("is believed while it agrees with the time that passed", () => {
    const clock = manualClock(NOON)
    return Effect.gen(function* () {
      clock.advance(10 * Micros.DAY)
      const { acceptedAt } = yield* waiting((yield* one(valid)).id)
      assert.strictEqual(acceptedAt, NOON + 10 * Micros.DAY)
    }).pipe(Effect.provide(accepting(clock)))
  })

  it.effect("that leapt ahead stops accepting, one and many, until it comes back", () => {
    const clock = manualClock(NOON)
    return Effect.gen(function* () {
      clock.leap(MAX_AHEAD_SECONDS * Micros.SECOND)
      yield* one(valid)
      clock.leap(Micros.SECOND)
      const ahead = new ClockAhead({ aheadSeconds: MAX_AHEAD_SECONDS + 1 })
      assert.deepStrictEqual(yield* Effect.flip(one(valid)), ahead)
      assert.deepStrictEqual(yield* Effect.flip(batch([valid])), ahead)
      clock.advance(Micros.DAY)
      assert.deepStrictEqual(yield* Effect.flip(one(valid)), ahead)
      assert.strictEqual(yield* depth, 1)
      clock.leap(-2 * Micros.SECOND)
      yield* one(valid)
      assert.strictEqual(yield* depth, 2)
    }).pipe(Effect.provide(accepting(clock)))
  })

  it.effect("that stepped back is no reason to stop", () => {
    const clock = manualClock(NOON)
    return Effect.gen(function* () {
      clock.leap(-Micros.DAY)
      const { acceptedAt } = yield* waiting((yield* one(valid)).id)
      assert.strictEqual(acceptedAt, NOON - Micros.DAY)
    }).pipe(Effect.provide(accepting(clock)))
  })
})
