import { naughtyNames, naughtyStrings } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as Micros from "../../src/encoding/Micros.ts"
import type { EventContent } from "../../src/event/EventContent.ts"
import {
  actionPattern,
  type EventFilter,
  fold,
  matches,
  searchFields,
  searchTexts
} from "../../src/event/EventFilter.ts"
import { bare } from "./BareContent.ts"

const generated = generatedTests(import.meta.url)

const NOON = Micros.parse("2024-05-01T12:00:00.123456Z") ?? 0

const found = (filter: EventFilter, content: Partial<EventContent> = {}, createdAt = NOON): boolean =>
  matches(filter, { ...bare, ...content }, createdAt)

const byAction = (filter: string, action: string): boolean => found({ action: filter }, { action })

const wellFormed = FastCheck.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed())
const someText = FastCheck.oneof(FastCheck.constantFrom(...naughtyStrings), wellFormed)

describe("a filter by action", () => {
  it.each([
    ["foo.bar", { kind: "exact", action: "foo.bar" }],
    ["foo.*", { kind: "prefix", prefix: "foo." }],
    ["foo.bar.*", { kind: "prefix", prefix: "foo.bar." }],
    ["*", { kind: "any" }],
    [".*", { kind: "prefix", prefix: "." }],
    ["*.*", { kind: "prefix", prefix: "*." }],
    ["*.bar", { kind: "suffix", suffix: ".bar" }],
    ["*.bar.baz", { kind: "suffix", suffix: ".bar.baz" }],
    ["*.", { kind: "suffix", suffix: "." }],
    ["*bar", { kind: "exact", action: "*bar" }],
    ["foo*", { kind: "exact", action: "foo*" }],
    ["foo.*.bar", { kind: "exact", action: "foo.*.bar" }],
    ["foo.**", { kind: "exact", action: "foo.**" }],
    ["**", { kind: "exact", action: "**" }],
    ["", { kind: "exact", action: "" }]
  ])("reads %j as %j", (filter, pattern) => {
    assert.deepStrictEqual(actionPattern(filter), pattern)
  })

  it("takes foo.* for everything below foo, at any depth, and not for foo itself", () => {
    for (const action of ["foo.bar", "foo.bar.baz", "foo.", "foo..", "foo.\u{1F600}", "foo.*", "foo.%"]) {
      assert.isTrue(byAction("foo.*", action), action)
    }
    for (const action of ["foo", "fooo.bar", "Foo.bar", "food", "foo/bar", "foo-bar", "xfoo.bar", ""]) {
      assert.isFalse(byAction("foo.*", action), action)
    }
  })

  it("takes *.bar for everything that ends with bar behind a dot, at any depth, and not for bar itself", () => {
    for (const action of ["foo.bar", "baz.foo.bar", ".bar", "..bar", "\u{1F600}.bar", "*.bar", "%.bar"])
      assert.isTrue(byAction("*.bar", action), action)
    for (const action of ["bar", "foo.bars", "foo.Bar", "foobar", "foo/bar", "foo.bar.", "foo.bar.baz", ""])
      assert.isFalse(byAction("*.bar", action), action)
  })

  it("takes * alone for every action", () => {
    for (const action of naughtyStrings) assert.isTrue(byAction("*", action), action)
  })

  it.each(["*", "%", "_", "?", ".", "\\", "[a-z]", "(x|y)"])(
    "takes %s literally within an action",
    (wild) => {
      const exact = `a${wild}b`
      for (const filter of [exact, `${exact}.*`]) {
        const suffix = filter === exact ? "" : ".c"
        assert.isTrue(byAction(filter, `${exact}${suffix}`))
        for (const other of ["a", "ab", "aXb", "aXYb", "axb", "aab"]) {
          assert.isFalse(byAction(filter, `${other}${suffix}`), `${filter} and ${other}`)
        }
      }
    }
  )

  it("takes any other action for itself alone, in its own case and Unicode form", () => {
    generated.property(
      FastCheck.property(someText, someText, (one, other) => {
        if (one === "*" || one.endsWith(".*") || one.startsWith("*.")) return true
        return byAction(one, other) === (one === other) && byAction(one, one)
      })
    )
  })

  it("takes a prefix for what begins with it", () => {
    generated.property(
      FastCheck.property(
        someText,
        someText,
        someText,
        (prefix, rest, other) =>
          byAction(`${prefix}.*`, `${prefix}.${rest}`) &&
          byAction(`${prefix}.*`, other) === other.startsWith(`${prefix}.`)
      )
    )
  })
})

describe("a filter by a field", () => {
  const fields: ReadonlyArray<
    readonly [
      name: string,
      filter: (text: string) => EventFilter,
      content: (text: string) => Partial<EventContent>
    ]
  > = [
    ["actor_id", (actorId) => ({ actorId }), (id) => ({ actor: { id, name: null, type: null } })],
    ["resource", (resource) => ({ resource }), (type) => ({ resource: { id: null, name: null, type } })],
    ["category", (category) => ({ category }), (action_category) => ({ action_category })],
    ["country", (country) => ({ country }), (ip_country) => ({ ip_country })],
    [
      "resource_name",
      (resourceName) => ({ resourceName }),
      (name) => ({ resource: { id: null, name, type: null } })
    ],
    ["resource_id", (resourceId) => ({ resourceId }), (id) => ({ resource: { id, name: null, type: null } })],
    ["tenant_id", (tenantId) => ({ tenantId }), (tenant_id) => ({ tenant_id })],
    ["session_id", (sessionId) => ({ sessionId }), (session_id) => ({ session_id })],
    ["target_type", (targetType) => ({ targetType }), (type) => ({ targets: [{ type: "t" }, { type }] })],
    ["target_id", (targetId) => ({ targetId }), (id) => ({ targets: [{ type: "t" }, { type: "t", id }] })]
  ]

  describe.each(fields)("%s", (_, filter, content) => {
    it("finds the very same text and no other, whatever a database would make of it", () => {
      const texts = naughtyStrings.filter((text) => text !== "t")
      for (const one of texts) {
        for (const other of texts) {
          if (found(filter(one), content(other)) !== (one === other))
            assert.fail(JSON.stringify([one, other]))
        }
      }
    })

    it("does not find what is null or absent, nor take it for empty text or for null written out", () => {
      const actor = { id: "someone", name: null, type: null }
      for (const text of ["", "null", "undefined"]) {
        assert.isFalse(found(filter(text), { actor }), JSON.stringify(text))
      }
    })
  })

  it("asks for a target's type and id together, of the same target", () => {
    const filter = { targetType: "folder", targetId: "1" }
    assert.isTrue(found(filter, { targets: [{ type: "x" }, { type: "folder", id: "1", name: "n" }] }))
    assert.isFalse(
      found(filter, {
        targets: [
          { type: "folder", id: "2" },
          { type: "file", id: "1" }
        ]
      })
    )
  })
})

describe("a condition of several values", () => {
  it("is met by any of them, and without one by nothing", () => {
    const content = { action: "foo.bar", tenant_id: "t", action_category: "" }
    assert.isTrue(found({ action: ["x", "*.bar"], tenantId: ["u", "t"] }, content))
    assert.isTrue(found({ action: ["foo.*"], category: ["x", ""] }, content))
    assert.isFalse(found({ action: ["x", "*.bar"], tenantId: ["u", "v"] }, content))
    assert.isFalse(found({ action: ["bar", "foo"] }, content))
    assert.isFalse(found({ sessionId: ["", "null"] }, content))
    for (const name of ["action", "category", "country", "resourceName", "tenantId", "targetType"])
      assert.isFalse(found({ [name]: [] }, { ...content, targets: [{ type: "x" }] }), name)
  })

  it("asks for one target that has any of the types and any of the ids", () => {
    const wanted = { targetType: ["folder", "file"], targetId: ["1", "2"] }
    const has = (...targets: ReadonlyArray<{ readonly type: string; readonly id?: string }>) =>
      found(wanted, { targets })
    assert.isTrue(has({ type: "x" }, { type: "file", id: "1" }))
    assert.isTrue(has({ type: "folder", id: "2" }))
    assert.isFalse(has({ type: "folder", id: "3" }, { type: "x", id: "2" }, { type: "file" }))
  })

  it("of texts asks for each of them, in any field", () => {
    const content = { action: "Invoice.Paid", actor: { id: "a", name: "Björn", type: null } }
    assert.isTrue(found({ search: ["björn", "paid"] }, content))
    assert.isTrue(found({ search: ["björn", "", "BJÖ"] }, content))
    assert.isTrue(found({ search: [] }, content))
    assert.isFalse(found({ search: ["björn", "unpaid"] }, content))
    const event = { ...bare, ...content }
    assert.deepStrictEqual(searchFields(event, ["björn", "paid"]), ["action", "actor"])
    assert.deepStrictEqual(searchFields(event, ["", "paid"]), ["action"])
    assert.deepStrictEqual(searchFields(event, []), [])
  })
})

describe("a filter by time", () => {
  it("holds at its bounds and not a microsecond beyond", () => {
    const at = (filter: EventFilter) => [-1, 0, 1].map((offset) => found(filter, {}, NOON + offset))
    assert.deepStrictEqual(at({ from: NOON }), [false, true, true])
    assert.deepStrictEqual(at({ to: NOON }), [true, true, false])
    assert.deepStrictEqual(at({ from: NOON, to: NOON }), [false, true, false])
    assert.deepStrictEqual(at({ from: NOON + 1, to: NOON - 1 }), [false, false, false])
    assert.deepStrictEqual(at({ from: 0 }), [true, true, true])
    assert.deepStrictEqual(at({ to: 0 }), [false, false, false])
  })
})

describe("a search", () => {
  const content: Partial<EventContent> = {
    action: "Invoice.Paid",
    actor: { id: "actor-id", name: "Björn ÇELİK", type: "actor-type" },
    resource: { id: "resource-id", name: "Straße 7", type: "resource-type" },
    metadata: { Key: ["Value", { "nested%": "100_%" }], quote: 'a"b', number: 42.5 },
    tenant_id: "tenant",
    session_id: "session",
    targets: [{ type: "target-type", id: "target-id", name: "target-name" }]
  }
  const search = (text: string) => found({ search: text }, content)

  it.each([
    ["the action", "invoice.p"],
    ["the actor's name", "björn"],
    ["the resource's name", "straße"],
    ["a key of the metadata", "key"],
    ["a value of the metadata", "value"],
    ["a key deep in the metadata", "NESTED"],
    ["a number of the metadata", "42.5"],
    ["the metadata's JSON text", '"key":["value"']
  ])("looks in %s", (_, text) => {
    assert.isTrue(search(text))
  })

  it.each(["actor-id", "actor-type", "resource-id", "resource-type", "tenant", "session", "target"])(
    "does not look where %s stands",
    (text) => {
      assert.isFalse(search(text))
    }
  )

  it("takes case for nothing, and one Unicode form for the other", () => {
    for (const text of ["BJÖRN", "bjo\u0308rn", "BJO\u0308RN", "INVOICE.PAID", "çelİk", "STRAße"]) {
      assert.isTrue(search(text), text)
    }
    assert.isFalse(search("bjorn"))
    assert.isFalse(search("strasse"))
  })

  it("takes wildcards and quotes literally", () => {
    for (const text of ["100_%", "nested%", 'a\\"b']) assert.isTrue(search(text), text)
    for (const text of ["1%0", "v_lue", "%", "_", "*", "inv*"]) {
      const literal = JSON.stringify(content.metadata).includes(text)
      assert.strictEqual(search(text), literal, text)
    }
  })

  it("does not find what begins in one field and ends in another", () => {
    const texts = searchTexts({ ...bare, ...content })
    assert.lengthOf(texts, 4)
    for (const one of texts) {
      for (const other of texts) {
        if (one !== other) assert.isFalse(search(one.slice(-3) + other.slice(0, 3)))
      }
    }
  })

  it("for nothing is none", () => {
    assert.isTrue(search(""))
    assert.isTrue(found({ search: "" }))
  })

  it("finds any part of a name, folded or not", () => {
    const part = FastCheck.constantFrom(...naughtyNames).chain((name) => {
      const characters = [...name]
      return FastCheck.tuple(
        FastCheck.constant(name),
        FastCheck.nat(characters.length),
        FastCheck.nat(characters.length)
      ).map(([whole, start, end]) => ({ whole, some: characters.slice(start, end).join("") }))
    })
    generated.property(
      FastCheck.property(part, ({ whole, some }) => {
        // A part that breaks a letter from its accent is another text in NFC; the fold of the whole decides.
        if (!fold(whole).includes(fold(some))) return true
        return found({ search: some }, { actor: { id: "a", name: whole, type: null } })
      })
    )
  })

  it("folds text that is folded to itself", () => {
    generated.property(
      FastCheck.property(FastCheck.oneof(someText, FastCheck.constantFrom(...naughtyNames)), (text) => {
        const once = fold(text)
        return fold(once) === once
      })
    )
  })
})

describe("several conditions", () => {
  const conditions: ReadonlyArray<EventFilter> = [
    { action: "document.*" },
    { actorId: "ada" },
    { resource: "document" },
    { resourceId: "42" },
    { tenantId: "t" },
    { sessionId: "s" },
    { search: "doc" },
    { targetType: "folder" },
    { from: NOON },
    { to: NOON }
  ]
  const contents: ReadonlyArray<Partial<EventContent>> = [
    {},
    { tenant_id: "t", session_id: "s", resource: { id: "42", name: "Doc", type: "document" } },
    { action: "user.removed", tenant_id: "t", targets: [{ type: "folder" }] },
    { actor: { id: "bob", name: null, type: null }, session_id: "s", targets: [{ type: "folder" }] },
    {
      tenant_id: "t",
      session_id: "s",
      resource: { id: "42", name: null, type: "document" },
      targets: [{ type: "folder" }]
    }
  ]

  it("hold together, and none holds for everything", () => {
    assert.isTrue(contents.every((content) => found({}, content)))
    let foundSome = 0
    generated.property(
      FastCheck.property(
        FastCheck.subarray([...conditions]),
        FastCheck.constantFrom(...contents),
        FastCheck.constantFrom(-1, 0, 1),
        (chosen, content, offset) => {
          const each = chosen.every((condition) => found(condition, content, NOON + offset))
          const together = found(Object.assign({}, ...chosen), content, NOON + offset)
          if (together && chosen.length > 2) foundSome++
          return together === each
        }
      ),
      { numRuns: 1_000 }
    )
    assert.isAbove(foundSome, 0)
  })
})

describe("the fields in which a search finds an event", () => {
  const event: EventContent = {
    ...bare,
    action: "invoice.paid",
    actor: { id: "ada", name: "Ada Paidson", type: "user" },
    resource: { type: "invoice", id: "inv-7", name: "Invoice 7" },
    metadata: { changes: { state: ["open", "PAID"] } }
  }

  it.each([
    ["paid", ["action", "actor", "metadata"]],
    ["INVOICE", ["action", "resource"]],
    ['"state":["open"', ["metadata"]],
    ["invoice 7", ["resource"]],
    // Neither ids nor types are looked in.
    ["inv-7", []],
    ["user", []],
    ["", []],
    [undefined, []]
  ])("are, for %j, %j", (search, fields) => {
    assert.deepStrictEqual<ReadonlyArray<string>>(searchFields(event, search), fields)
  })

  it("are there exactly if the search finds the event", () => {
    generated.property(
      FastCheck.property(someText, someText, someText, (name, value, search) => {
        const content = { actor: { ...bare.actor, name }, metadata: { value } }
        const isNamed = searchFields({ ...bare, ...content }, search).length > 0
        return isNamed === (search !== "" && found({ search }, content))
      })
    )
  })
})
