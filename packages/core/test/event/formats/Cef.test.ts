import type { Event } from "@cairn/core/event"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { cef } from "../../../src/event/formats/Cef.ts"
import { bare, full, hostile, origin, real, samples } from "./Samples.ts"

const generated = generatedTests(import.meta.url)

/**
 * Reads CEF as its specification says, one character at a time: the fields of the header and the pairs of the
 * extension.
 */
const parse = (line: string) => {
  const fields: Array<string> = []
  let field = ""
  let index = 0
  for (; fields.length < 7; index++) {
    const character = line[index]
    if (character === undefined) return assert.fail("the header ends early")
    if (character === "\\") {
      const escaped = line[++index]
      assert.include(["\\", "|"], escaped)
      field += escaped
    } else if (character === "|") {
      fields.push(field)
      field = ""
    } else field += character
  }
  // A value runs to the space before the next key, so an equals sign that is not escaped ends a key.
  const pairs = new Map<string, string>()
  for (const [, key, raw] of line
    .slice(index)
    .matchAll(/(?:^|\s)([A-Za-z0-9]+)=((?:\\.|[^\\=])*)(?=\s[A-Za-z0-9]+=|$)/g)) {
    assert.isFalse(pairs.has(key ?? ""), `${key} comes twice`)
    pairs.set(
      key ?? "",
      (raw ?? "").replace(/\\(.)/g, (_, escaped) => ({ n: "\n", r: "\r" })[escaped as "n"] ?? escaped)
    )
  }
  return { fields, pairs }
}

/** C0, DEL, C1 and the two separators of Unicode. */
const ENDINGS = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  0x2028,
  0x2029
].map((code) => String.fromCharCode(code))

/** A text as a reader of CEF gets it: of what ends lines, only what CEF has an escape for comes back. */
const named = (text: string): string =>
  Array.from(text, (character) =>
    ENDINGS.includes(character) && !"\r\n".includes(character)
      ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
      : character
  ).join("")

const encoded = (event: Event) => parse(cef.encode(event, origin))

describe("CEF", () => {
  it.each(samples)("%s is one line of seven header fields", (_, event) => {
    const line = cef.encode(event, origin)
    assert.notMatch(line, /[\r\n]/)
    const { fields } = parse(line)
    assert.deepStrictEqual(fields.slice(0, 4), ["CEF:0", "Cairn", "Cairn", "1"])
    assert.strictEqual(fields[6], "3")
  })

  it("writes what its dictionary has a key for", () => {
    const { fields, pairs } = encoded(full)
    assert.strictEqual(fields[4], "document.deleted")
    assert.deepStrictEqual(Object.fromEntries(pairs), {
      externalId: full.id,
      rt: "1714564801999",
      start: "1714564800000",
      suid: "user-1",
      suser: "Ada Lovelace",
      act: "document.deleted",
      cat: "destructive",
      cn1Label: "sequence",
      cn1: "7",
      cs1Label: "tenant_id",
      cs1: "acme",
      cs2Label: "session_id",
      cs2: "s-1",
      cs3Label: "resource",
      cs3: "document",
      cs4Label: "resource_id",
      cs4: "doc-1",
      cs5Label: "event_hash",
      cs5: "a".repeat(64),
      cs6Label: "ip_country",
      cs6: "GB",
      fname: "Notes",
      msg: JSON.stringify(full.metadata)
    })
  })

  it("leaves out what the event does not have", () => {
    assert.deepStrictEqual(
      [...encoded(bare).pairs.keys()],
      ["externalId", "rt", "start", "suid", "act", "cn1Label", "cn1"]
    )
  })

  it("brings back, through its escapes, every character of a value", () => {
    const { fields, pairs } = encoded(hostile)
    assert.strictEqual(pairs.get("suid"), named(hostile.actor.id))
    assert.strictEqual(pairs.get("suser"), named(hostile.actor.name ?? ""))
    assert.strictEqual(pairs.get("act"), named(hostile.action))
    assert.strictEqual(pairs.get("fname"), named(hostile.resource.name ?? ""))
    assert.strictEqual(pairs.get("cs1"), named(hostile.tenant_id ?? ""))
    assert.deepStrictEqual(JSON.parse(pairs.get("msg") ?? ""), hostile.metadata)
    assert.strictEqual(
      fields[4],
      named(hostile.action.replace(/\r\n|\r|\n/g, " ")),
      "a header has no escape for a line break"
    )
  })

  it("has no control character and no line separator, whatever the event holds, and every name of one", () => {
    const unit = FastCheck.oneof(FastCheck.constantFrom(...ENDINGS, "\\", "=", "|", "u"), FastCheck.string())
    const text = FastCheck.array(unit).map((units) => units.join(""))
    generated.property(
      FastCheck.property(text, (text) => {
        const event = { ...full, action: text, actor: { ...full.actor, name: text }, metadata: { text } }
        const line = cef.encode(event, origin)
        for (const ending of ENDINGS) assert.isFalse(line.includes(ending), JSON.stringify(ending))
        const { pairs } = parse(line)
        assert.strictEqual(pairs.get("suser"), named(text))
        assert.deepStrictEqual(JSON.parse(pairs.get("msg") ?? ""), { text })
      }),
      { numRuns: 500 }
    )
    const all = ENDINGS.join("")
    assert.strictEqual(parse(cef.encode({ ...full, action: all }, origin)).pairs.get("act"), named(all))
  })

  it.skipIf(real().length === 0)("brings back real metadata (needs CAIRN_FOREIGN)", () => {
    for (const event of real()) {
      assert.strictEqual(encoded(event).pairs.get("msg"), JSON.stringify(event.metadata))
    }
  })
})
