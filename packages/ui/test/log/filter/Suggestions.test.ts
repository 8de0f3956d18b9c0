import { assert, describe, it } from "@effect/vitest"
import { enSentences } from "../../../src/locale/sentences/en.ts"
import type { Entry } from "../../../src/log/filter/Entry.ts"
import { FIELD_NAMES, type SourceKey } from "../../../src/log/filter/Fields.ts"
import { foremost, leastCounted, suggestionsFor } from "../../../src/log/filter/Suggestions.ts"
import type { Facets } from "../../../src/log/LogSource.ts"
import { deedOf } from "../../../src/log/sentence/Sentence.ts"
import type { Filter } from "../../../src/place/index.ts"

const facets = (
  ...values: ReadonlyArray<readonly [value: string, count: number, label?: string, type?: string]>
): Facets => ({
  values: values.map(([value, count, label = null, type = null]) => ({ value, count, label, type })),
  events: 100_000,
  complete: false
})

const suggest = (
  entry: Entry,
  answers: Partial<Record<SourceKey, Facets>> = {},
  filter: Filter = {},
  locale = "en"
) => {
  const known = new Map(Object.entries(answers)) as ReadonlyMap<SourceKey, Facets>
  return suggestionsFor({
    entry,
    filter,
    fields: FIELD_NAMES,
    facets: known,
    locale,
    deedOf: (action) => deedOf(action, enSentences)
  })
}

/** Each suggestion as its text, and the values that it sets. */
const linesOf = (groups: ReturnType<typeof suggest>) =>
  groups.flatMap(({ suggestions }) =>
    suggestions.map(({ text, choice }) =>
      choice.kind === "values"
        ? `${text} → ${choice.name}=${choice.values.join("|")}`
        : choice.kind === "search"
          ? `search ${choice.words.join("|")}`
          : `${choice.field}:`
    )
  )

const typed = (text: string): Entry => ({ field: undefined, text })

describe("suggestions for a text", () => {
  it("are the search, and the actors, actions and resources that it may mean", () => {
    const lines = linesOf(
      suggest(typed("ada"), {
        actor_id: facets(["usr_1", 12, "Ada Lovelace"]),
        action: facets(["adapter.added", 3]),
        resource: facets(["adapter", 4]),
        resource_id: facets(["doc_1", 2, "Ada's list", "document"])
      })
    )
    assert.deepStrictEqual(lines, [
      "search ada",
      "Ada Lovelace → actor_id=usr_1",
      "adapter.added → action=adapter.added",
      "adapter → resource=adapter",
      "Ada's list → resource_id=doc_1"
    ])
  })

  it("are the fields where nothing is typed", () => {
    assert.deepStrictEqual(
      linesOf(suggest(typed(""))),
      FIELD_NAMES.map((name) => `${name}:`)
    )
  })

  it("are everything below an action that is typed, or begun", () => {
    const answers = { action: facets(["document.viewed", 3], ["document.deleted", 2], ["documents", 1]) }
    for (const text of ["document", "docu"]) {
      assert.deepStrictEqual(linesOf(suggest(typed(text), answers)).slice(1), [
        "document.* → action=document|document.*",
        "document.viewed → action=document.viewed",
        "document.deleted → action=document.deleted",
        "documents → action=documents"
      ])
    }
  })
})

describe("suggestions for a field", () => {
  const action = (text: string): Entry => ({ field: "action", text })

  it("are what begins so, what was counted, all that end so, and the action as typed", () => {
    const answers = { action: facets(["deleted.forever", 3]) }
    assert.deepStrictEqual(linesOf(suggest(action("deleted"), answers)), [
      "deleted.* → action=deleted|deleted.*",
      "deleted.forever → action=deleted.forever",
      "*.deleted → action=*.deleted",
      "deleted → action=deleted"
    ])
    assert.deepStrictEqual(linesOf(suggest(action("deleted"))), [
      "*.deleted → action=*.deleted",
      "deleted.* → action=deleted|deleted.*",
      "deleted → action=deleted"
    ])
    assert.deepStrictEqual(linesOf(suggest(action("user.role"))), [
      "user.role.* → action=user.role|user.role.*",
      "user.role → action=user.role"
    ])
  })

  it("are what is below an action that ends with its dot", () => {
    assert.deepStrictEqual(linesOf(suggest(action("user."), { action: facets(["user.created", 1]) })), [
      "user.* → action=user|user.*",
      "user.created → action=user.created",
      "*.user → action=*.user",
      "user. → action=user."
    ])
  })

  it("are no beginning and no end of others where an action is typed whole", () => {
    const answers = { action: facets(["deleted", 3]) }
    assert.deepStrictEqual(linesOf(suggest(action("deleted"), answers)), ["deleted → action=deleted"])
  })

  it("are a pattern as it stands", () => {
    for (const text of ["*.deleted", "user.*", "*"]) {
      assert.deepStrictEqual(linesOf(suggest(action(text))), [`${text} → action=${text}`])
    }
  })

  it("are nothing that is set already", () => {
    const answers = { actor_id: facets(["usr_1", 12, "Ada"], ["usr_2", 3, "Adam"]) }
    const filter: Filter = { actor_id: ["usr_1", "ada"] }
    assert.deepStrictEqual(linesOf(suggest({ field: "actor", text: "ada" }, answers, filter)), [
      "Adam → actor_id=usr_2"
    ])
    const set = (...values: ReadonlyArray<string>) => linesOf(suggest(action("user"), {}, { action: values }))
    assert.deepStrictEqual(set("user"), ["*.user → action=*.user", "user.* → action=user|user.*"])
    assert.deepStrictEqual(set("user", "user.*"), ["*.user → action=*.user"])
    assert.deepStrictEqual(set("user", "*.user"), ["user.* → action=user|user.*"])
  })

  it("are twenty of one condition at most, and five of each where there are several", () => {
    const many = facets(...Array.from({ length: 30 }, (_, at) => [`a${at}`, 30 - at] as const))
    const counts = (entry: Entry) =>
      suggest(entry, { actor_id: many, action: many })
        .filter(({ name }) => name === "actor_id" || name === "action")
        .map(({ suggestions }) => suggestions.length)
    assert.deepStrictEqual(counts({ field: "actor", text: "" }), [20])
    assert.deepStrictEqual(counts(typed("a")), [5, 5])
  })

  it("tell things of one name apart by their types and ids", () => {
    const answers = { resource_id: facets(["doc_1", 2, "List", "document"], ["list", 1, "list"], ["x", 1]) }
    assert.deepStrictEqual(
      suggest({ field: "resource", text: "" }, answers).flatMap(({ suggestions }) =>
        suggestions.map(({ text, detail }) => [text, detail])
      ),
      [
        ["List", "document · doc_1"],
        ["list", ""],
        ["x", ""]
      ]
    )
  })

  it("are countries by their names in the reader's language, the ones in the events first", () => {
    const answers = { country: facets(["JP", 9], ["DE", 7]) }
    const german = (text: string) => suggest({ field: "country", text }, answers, {}, "de")
    assert.deepStrictEqual(linesOf(german("")), ["🇯🇵 Japan → country=JP", "🇩🇪 Deutschland → country=DE"])
    assert.strictEqual(linesOf(german("deu"))[0], "🇩🇪 Deutschland → country=DE")
    assert.deepStrictEqual(linesOf(german("österr")), ["🇦🇹 Österreich → country=AT"])
    assert.deepStrictEqual(linesOf(german("JP")), ["🇯🇵 Japan → country=JP"])
    assert.deepStrictEqual(linesOf(german("QX")), [])
  })

  it("are types of targets, each with the count of its things", () => {
    const target = facets(
      ["d1", 5, "Door", "door"],
      ["d2", 2, "Gate", "door"],
      ["a1", 1, "Bell", "alarm"],
      ["n1", 1, "Nothing"]
    )
    const groups = suggest({ field: "target", text: "doo" }, { target_id: facets(), target_type: target })
    assert.deepStrictEqual(
      groups[0]?.suggestions.map(({ text, count }) => [text, count]),
      [["door", 7]]
    )
  })
})

describe("what Enter chooses", () => {
  const chosen = (entry: Entry, answers: Partial<Record<SourceKey, Facets>>) =>
    foremost(suggest(entry, answers), entry)

  it("is the search for a text, and nothing where nothing is typed", () => {
    assert.strictEqual(chosen(typed("ada"), { actor_id: facets(["ada", 1]) }), "search")
    assert.isUndefined(chosen({ field: "actor", text: "" }, { actor_id: facets(["ada", 1]) }))
  })

  it("is the value that is typed, or else the first of a field", () => {
    const answers = { action: facets(["user.created.twice", 9], ["user.created", 2]) }
    assert.strictEqual(chosen({ field: "action", text: "User.Created" }, answers), "action user.created")
    assert.strictEqual(
      chosen({ field: "actor", text: "bo" }, { actor_id: facets(["u1", 1, "Bob"]) }),
      "actor_id u1"
    )
  })
})

describe("actions as sentences tell them", () => {
  const told = facets(["user.logged_in", 40], ["document.shared", 9], ["login.failed", 8])
  const answers = { action: facets(), told }

  it.each<readonly [Entry, ReadonlyArray<string>]>([
    [{ field: undefined, text: "signed in" }, ["search signed|in", "user.logged_in → action=user.logged_in"]],
    [
      { field: undefined, text: "Sign" },
      ["search Sign", "user.logged_in → action=user.logged_in", "login.failed → action=login.failed"]
    ],
    [{ field: undefined, text: "shared user" }, ["search shared|user"]]
  ])("are found by their words: %j", (entry, lines) => {
    assert.deepStrictEqual(
      linesOf(suggest(entry, answers)).filter((line) => !/→ action=(?:\*\.|Sign)/.test(line)),
      lines
    )
  })

  it("stand beside the action, which is offered once", () => {
    const [, group] = suggest(
      { field: undefined, text: "document" },
      { action: facets(["document.shared", 9]), told }
    )
    const shared = group?.suggestions.filter(({ text }) => text === "document.shared")
    assert.deepStrictEqual(
      shared?.map(({ detail, count }) => [detail, count]),
      [["shared document", 9]]
    )
  })
})

describe("of how many events suggestions are", () => {
  it("is of those that say least, and of none that offer nothing", () => {
    const few = { ...facets(["a", 1]), events: 10, complete: false }
    const all = { ...facets(["b", 1]), events: 90, complete: true }
    const nothing = { ...facets(), events: 1, complete: false }
    const map = (...answers: ReadonlyArray<Facets>) =>
      new Map(answers.map((answer, at) => [FIELD_NAMES[at] as unknown as SourceKey, answer]))
    assert.deepStrictEqual(leastCounted(map(all, few, nothing)), { events: 10, complete: false })
    assert.deepStrictEqual(leastCounted(map(all, nothing)), { events: 90, complete: true })
    assert.isUndefined(leastCounted(map(nothing)))
  })
})
