/**
 * Writes testdata/hash, the language-neutral test vectors of the hash format:
 *
 *     node packages/core/test/HashVectors.generate.ts
 *
 * The canonical texts are written out here by hand, and every hash comes from the definitions in
 * PlainHashFormat.ts, none from the code under test.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  contentHashOf,
  eventHashOf,
  headerOf,
  type PlainHeader,
  rootOf,
  saltOf,
  uuidOf
} from "../support/PlainHashFormat.ts"

/** One event as a verifier gets it. */
interface ChainEvent {
  readonly sequence: number
  readonly id: string
  readonly created_at: string
  readonly salt: string
  readonly content: string
  readonly content_hash: string
  readonly previous_event_hash: string | null
  readonly event_hash: string
}

type LegacyEvent = Pick<ChainEvent, "sequence" | "id" | "created_at" | "salt" | "content">

interface Break {
  readonly event_id: string
  readonly type: "chain_break" | "hash_mismatch"
  readonly expected_hash: string
  readonly actual_hash: string
}

interface Chain {
  readonly head: { readonly sequence: number; readonly event_hash: string; readonly event_id: string }
  readonly legacy: ReadonlyArray<LegacyEvent>
  readonly events: ReadonlyArray<ChainEvent>
}

const WORKSPACE = "wsp_9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d"

const files = new Map<string, object>()

/** Members of a content as canonical text, where one is not null or empty. */
interface Members {
  readonly action?: string
  readonly category?: string
  readonly actor?: string
  readonly key?: string
  readonly city?: string
  readonly country?: string
  readonly metadata?: string
  readonly occurred?: string
  readonly resource?: string
  readonly session?: string
  readonly targets?: string
  readonly tenant?: string
  readonly version?: string
}

/** The content with its members in their canonical order. */
const contentOf = (members: Members): string =>
  `{"action":${members.action ?? '"document.created"'},"action_category":${members.category ?? "null"},` +
  `"actor":${members.actor ?? '{"id":"ada","name":null,"type":null}'},"idempotency_key":${members.key ?? "null"},` +
  `"ip_city":${members.city ?? "null"},"ip_country":${members.country ?? "null"},` +
  `"metadata":${members.metadata ?? "null"},"occurred_at":${members.occurred ?? '"2026-01-15T09:30:00.000000Z"'},` +
  `"resource":${members.resource ?? '{"id":null,"name":null,"type":null}'},"session_id":${members.session ?? "null"},` +
  `"targets":${members.targets ?? "[]"},"tenant_id":${members.tenant ?? "null"},"version":${members.version ?? "null"}}`

const content = (name: string, description: string, members: Members, salt = saltOf(name)): void => {
  const text = contentOf(members)
  const content_hash = contentHashOf(salt, text)
  files.set(`content/${name}.json`, { description, salt, content: text, content_hash })
}

const contents = (): void => {
  content("minimal", "Only what an event must have.", {})
  content("every-member", "No member is null.", {
    action: '"invoice.sent"',
    category: '"billing"',
    actor: '{"id":"usr_1","name":"Ada Lovelace","type":"user"}',
    key: '"send-4711"',
    city: '"London"',
    country: '"GB"',
    metadata: '{"amount":"129.00","currency":"GBP","lines":[1,2,3]}',
    occurred: '"2026-01-15T09:29:59.999999Z"',
    resource: '{"id":"inv_1","name":"Invoice 1","type":"invoice"}',
    session: '"ses_1"',
    targets: '[{"id":"cus_1","metadata":{"vip":true},"name":"Charles","type":"customer"}]',
    tenant: '"acme"',
    version: "2"
  })
  content(
    "salt-zero",
    "The salt is hashed as text: 32 characters 0, and not 16 zero bytes.",
    {},
    "0".repeat(32)
  )
  content("target-members-absent", "What a target does not have is absent, and not null.", {
    targets: '[{"type":"a"},{"id":"1","type":"b"},{"name":"n","type":"c"},{"metadata":{},"type":"d"}]'
  })
  content(
    "keys-by-utf16",
    "Members are sorted by UTF-16 code units: U+1F602 is written with surrogates and comes before U+FB33.",
    { metadata: '{"\\r":1,"1":2,"\u0080":3,"ö":4,"€":5,"\u{1f602}":6,"\ufb33":7}' }
  )
  content("keys-that-are-numbers", "Keys are texts: 10 comes before 9.", {
    metadata: '{"":0,"1":1,"10":10,"9":9,"A":"A","a":"a"}'
  })
  content(
    "keys-of-objects",
    "Names that mean something to a programming language are names like any other.",
    {
      metadata: '{"__proto__":{"a":1},"constructor":null,"hasOwnProperty":false,"toString":"x"}'
    }
  )
  content("numbers", "Numbers are written as ECMAScript writes them.", {
    metadata:
      '{"n":[0,-1,4.5,0.000001,1e-7,333333333.3333333,100000000000000000000,1e+21,9007199254740991,' +
      "1e+23,5e-324,2.2250738585072014e-308,1.7976931348623157e+308]}"
  })
  content(
    "escapes",
    "Only quotes, backslashes and the characters below U+0020 are escaped, the shortest way.",
    {
      metadata: '{"s":"\\"\\\\/\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\u007f\u2028\u2029\ufeff"}'
    }
  )
  content("unicode-as-it-is", "Nothing is normalised: é as one code point and as two are different texts.", {
    action: '"café.opened"',
    actor: '{"id":"e\u0301","name":"\u00e9","type":null}',
    city: '"São Paulo"',
    country: '"BR"',
    metadata: '{"e\u0301":2,"\u00e9":1}'
  })
  content("nested", "Objects within arrays within objects, empty ones too.", {
    metadata: '{"a":[[],{},[{"b":[{"c":null}]}]],"d":{"e":{"f":{}}}}'
  })
  content("metadata-empty", "An empty object is not null.", { metadata: "{}" })
  content("version-negative", "A version is any integer that a double holds.", {
    version: "-9007199254740991"
  })
  content("occurred-in-year-0", "The first moment that can be written.", {
    occurred: '"0000-01-01T00:00:00.000000Z"'
  })
  content("occurred-in-year-9999", "The last moment that can be written.", {
    occurred: '"9999-12-31T23:59:59.999999Z"'
  })
}

const event = (name: string, description: string, header: PlainHeader): void => {
  files.set(`event/${name}.json`, {
    description,
    ...header,
    header: headerOf(header),
    event_hash: eventHashOf(header)
  })
}

const events = (): void => {
  const header: PlainHeader = {
    content_hash: contentHashOf(saltOf("event"), contentOf({})),
    created_at: "2026-01-15T09:30:00.123456Z",
    id: uuidOf("event"),
    previous_event_hash: eventHashOf({
      content_hash: contentHashOf(saltOf("before"), contentOf({})),
      created_at: "2026-01-15T09:30:00.123455Z",
      id: uuidOf("before"),
      previous_event_hash: null,
      sequence: 1,
      workspace_id: WORKSPACE
    }),
    sequence: 2,
    workspace_id: WORKSPACE
  }
  event("second", "An event with one before it.", header)
  event("first", "The first event: the hash before it is null, and not an empty text.", {
    ...header,
    previous_event_hash: null,
    sequence: 1
  })
  event("whole-second", "The six fractional digits stand there, even when they are zero.", {
    ...header,
    created_at: "2026-01-15T09:30:00.000000Z"
  })
  event("largest-sequence", "The sequence is an integer up to 2^53 - 1, written without an exponent.", {
    ...header,
    sequence: Number.MAX_SAFE_INTEGER
  })
  event(
    "legacy-leaf",
    "What stands for a legacy event in the tree: its sequence is below 1, nothing before it.",
    {
      ...header,
      previous_event_hash: null,
      sequence: -34359738368
    }
  )
}

/** The hash of an event that says of itself what it does. */
const hashOf = (of: Omit<ChainEvent, "event_hash">): string => eventHashOf({ ...of, workspace_id: WORKSPACE })

/** The event with its hashes as they have to be after `before`. */
const chained = (
  of: Pick<ChainEvent, "id" | "created_at" | "salt" | "content">,
  before?: ChainEvent
): ChainEvent => {
  const bare = {
    sequence: (before?.sequence ?? 0) + 1,
    ...of,
    content_hash: contentHashOf(of.salt, of.content),
    previous_event_hash: before?.event_hash ?? null
  }
  return { ...bare, event_hash: hashOf(bare) }
}

const bodyOf = (name: string, second: number, members: Members) => ({
  id: uuidOf(name),
  created_at: `2026-01-15T09:30:0${second}.00000${second}Z`,
  salt: saltOf(name),
  content: contentOf(members)
})

/** Chains the bodies one after the other. */
const chainOf = (bodies: ReadonlyArray<ReturnType<typeof bodyOf>>): ReadonlyArray<ChainEvent> => {
  const chain: Array<ChainEvent> = []
  for (const body of bodies) chain.push(chained(body, chain.at(-1)))
  return chain
}

const headAt = ({ sequence, event_hash, id }: ChainEvent) => ({ sequence, event_hash, event_id: id })

/** The hash with its lowest bit turned over. */
const flipped = (hash: string): string =>
  hash.slice(0, -1) + (Number.parseInt(hash.slice(-1), 16) ^ 1).toString(16)

const chain = (name: string, description: string, of: Chain, breaks: ReadonlyArray<Break>): void => {
  files.set(`chain/${name}.json`, { description, workspace_id: WORKSPACE, ...of, breaks })
}

const chainBreak = ({ id }: { readonly id: string }, expected: string, actual: string): Break => ({
  event_id: id,
  type: "chain_break",
  expected_hash: expected,
  actual_hash: actual
})

const mismatch = ({ id }: { readonly id: string }, expected: string, actual: string): Break => ({
  ...chainBreak({ id }, expected, actual),
  type: "hash_mismatch"
})

const chains = (): void => {
  const bodies = [1, 2, 3, 4, 5].map((number) =>
    bodyOf(`event ${number}`, number, { metadata: `{"number":${number}}` })
  )
  const whole = chainOf(bodies)
  const [one, two, three, four, five] = whole as [ChainEvent, ChainEvent, ChainEvent, ChainEvent, ChainEvent]
  const good: Chain = { head: headAt(five), legacy: [], events: whole }
  const third = (changes: Partial<ChainEvent>): Chain => ({
    ...good,
    events: whole.with(2, { ...three, ...changes })
  })

  chain("five-events", "Nothing is wrong.", good, [])
  chain("one-event", "The shortest chain.", { ...good, head: headAt(one), events: [one] }, [])

  const content = three.content.replace('"number":3', '"number":4')
  chain("content-changed", "One byte of the third content is another.", third({ content }), [
    mismatch(three, hashOf({ ...three, content_hash: contentHashOf(three.salt, content) }), three.event_hash)
  ])
  const salt = flipped(three.salt)
  chain("salt-changed", "One bit of the third salt is turned over.", third({ salt }), [
    mismatch(three, hashOf({ ...three, content_hash: contentHashOf(salt, three.content) }), three.event_hash)
  ])
  const content_hash = flipped(three.content_hash)
  chain(
    "content-hash-changed",
    "The third content hash is not that of its content.",
    third({ content_hash }),
    [mismatch(three, three.content_hash, content_hash)]
  )
  const event_hash = flipped(three.event_hash)
  chain(
    "event-hash-changed",
    "The third event hash is not that of its header, nor what the fourth follows.",
    third({ event_hash }),
    [mismatch(three, three.event_hash, event_hash), chainBreak(four, event_hash, three.event_hash)]
  )
  const previous_event_hash = flipped(two.event_hash)
  chain(
    "previous-event-hash-changed",
    "The third event does not name the second any more. Its own hash is right for the second, so nothing else is said of it.",
    third({ previous_event_hash }),
    [chainBreak(three, two.event_hash, previous_event_hash)]
  )
  const created_at = "2026-01-15T09:30:03.000004Z"
  chain("time-changed", "The third event was recorded a microsecond later, it says.", third({ created_at }), [
    mismatch(three, hashOf({ ...three, created_at }), three.event_hash)
  ])
  const id = uuidOf("another")
  chain("id-changed", "The third event has another id.", third({ id }), [
    mismatch({ id }, hashOf({ ...three, id }), three.event_hash)
  ])

  chain("first-deleted", "The first event is gone.", { ...good, events: whole.slice(1) }, [
    chainBreak(two, "", one.event_hash)
  ])
  chain("third-deleted", "The third event is gone.", { ...good, events: whole.toSpliced(2, 1) }, [
    chainBreak(four, two.event_hash, three.event_hash)
  ])
  chain(
    "last-deleted",
    "The last event is gone; the head still names it.",
    { ...good, events: whole.slice(0, 4) },
    [chainBreak(four, five.event_hash, four.event_hash)]
  )
  chain("all-deleted", "No event is left; the head still names the last.", { ...good, events: [] }, [
    chainBreak(five, five.event_hash, "")
  ])

  const gap = { ...four, sequence: 5 }
  const skipping: ChainEvent = { ...gap, event_hash: hashOf(gap) }
  chain(
    "sequence-skipped",
    "The last event follows the third by its hash and not by its sequence: the fourth is missing.",
    { ...good, head: headAt(skipping), events: [one, two, three, skipping] },
    [chainBreak(four, three.event_hash, three.event_hash)]
  )
  const early = { ...four, sequence: 3 }
  const late = { ...three, sequence: 4 }
  chain(
    "two-exchanged",
    "The third and the fourth event stand in each other's place.",
    { ...good, events: [one, two, early, late, five] },
    [
      chainBreak(four, two.event_hash, three.event_hash),
      mismatch(four, hashOf(early), four.event_hash),
      chainBreak(three, four.event_hash, two.event_hash),
      mismatch(three, hashOf(late), three.event_hash),
      chainBreak(five, three.event_hash, four.event_hash)
    ]
  )

  const rewritten = chainOf(bodies.with(2, { ...bodyOf("event 3", 3, {}) }))
  const last = rewritten.at(-1) ?? five
  chain(
    "rewritten",
    "The third event is another, and every hash from there on was made anew; only the head tells.",
    { ...good, events: rewritten },
    [chainBreak(five, five.event_hash, last.event_hash)]
  )
  const sixth = chained(bodyOf("event 6", 6, {}), five)
  chain(
    "event-after-head",
    "Someone else put an event after the last; it fits, but the head does not name it.",
    { ...good, events: [...whole, sixth] },
    [chainBreak(sixth, five.event_hash, sixth.event_hash)]
  )
  histories()
}

/** Chains with legacy events before them. */
const histories = (): void => {
  const legacy: ReadonlyArray<LegacyEvent> = [1, 2, 3].map((number) => ({
    sequence: -34359738368 + number - 1,
    ...bodyOf(`legacy ${number}`, number, { action: '"document.read"' })
  }))
  const root = (of: ReadonlyArray<LegacyEvent>): string =>
    rootOf(
      of.map((row) =>
        hashOf({ ...row, content_hash: contentHashOf(row.salt, row.content), previous_event_hash: null })
      )
    )
  const started = bodyOf("started", 4, {
    action: '"cairn.chain.started"',
    category: '"cairn"',
    actor: '{"id":"cairn","name":null,"type":"system"}',
    metadata: `{"legacy_events":3,"legacy_merkle_root":"${root(legacy)}"}`
  })
  const whole = chainOf([started, bodyOf("event 1", 5, {}), bodyOf("event 2", 6, {})])
  const [first, , last] = whole as [ChainEvent, ChainEvent, ChainEvent]
  const good: Chain = { head: headAt(last), legacy, events: whole }
  chain("with-history", "Three legacy events before the chain, whose first event commits to them.", good, [])
  const [one, two, three] = legacy as [LegacyEvent, LegacyEvent, LegacyEvent]
  const history = (name: string, description: string, changed: ReadonlyArray<LegacyEvent>): void =>
    chain(name, description, { ...good, legacy: changed }, [chainBreak(first, root(changed), root(legacy))])
  history("history-changed", "One byte of the second legacy content is another.", [
    one,
    { ...two, content: two.content.replace("document.read", "document.reed") },
    three
  ])
  history("history-shortened", "The last legacy event is gone.", [one, two])
  chain("history-deleted", "All legacy events are gone.", { ...good, legacy: [] }, [
    chainBreak(first, "", root(legacy))
  ])
}

/** Every vector's path below testdata/hash, and its text. */
export const hashVectors = (): ReadonlyMap<string, string> => {
  files.clear()
  contents()
  events()
  chains()
  return new Map([...files].map(([path, vector]) => [path, `${JSON.stringify(vector, null, 2)}\n`]))
}

/** Where the vectors are kept. */
export const hashVectorFolder = fileURLToPath(new URL("../../../../testdata/hash/", import.meta.url))

/** The folders below it. */
export const HASH_VECTOR_KINDS = ["content", "event", "chain"] as const

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const kind of HASH_VECTOR_KINDS) {
    rmSync(join(hashVectorFolder, kind), { recursive: true, force: true })
  }
  for (const [path, text] of hashVectors()) {
    mkdirSync(dirname(join(hashVectorFolder, path)), { recursive: true })
    writeFileSync(join(hashVectorFolder, path), text)
  }
}
