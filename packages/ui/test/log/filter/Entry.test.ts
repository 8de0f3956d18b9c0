import { assert, describe, it } from "@effect/vitest"
import { de } from "../../../src/locale/de.ts"
import { ja } from "../../../src/locale/ja.ts"
import { entryOf, termsOf } from "../../../src/log/filter/Entry.ts"
import type { FieldName } from "../../../src/log/filter/Fields.ts"

const FIELDS: ReadonlyArray<FieldName> = ["actor", "action", "session"]

const read = (text: string, { filter } = de) => entryOf(text, FIELDS, filter.fields)

describe("what is typed into the bar", () => {
  it.each<readonly [string, FieldName, string]>([
    ["actor:ada", "actor", "ada"],
    ["actor:", "actor", ""],
    ["  Actor :  Ada Lovelace", "actor", "Ada Lovelace"],
    ["AKTEUR:ada", "actor", "ada"],
    ["Sitzung:a:b", "session", "a:b"]
  ])("is a field with a text in %j", (text, field, rest) => {
    assert.deepStrictEqual(read(text), { field, text: rest })
  })

  it("has its fields and its colon as East Asian keyboards have them", () => {
    assert.deepStrictEqual(read("実行者：田中", ja), { field: "actor", text: "田中" })
  })

  it.each(["ada", "http://actor", "a actor:b", ":actor", "tenant:acme", "constructor:x", "actor", ""])(
    "is a text alone in %j",
    (text) => {
      assert.deepStrictEqual(read(text), { field: undefined, text })
    }
  )
})

describe("the words of a search", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["", []],
    ["  ada  lovelace ", ["ada", "lovelace"]],
    ["ada ada", ["ada"]],
    ['invoice "ada lovelace" paid', ["invoice", "ada lovelace", "paid"]],
    ['"ada lovel', ["ada lovel"]],
    ["„ada lovelace“ paid", ["ada lovelace", "paid"]],
    ['"" " "', []],
    ['size:"a b"', ["size:", "a b"]],
    ["請求書\u3000田中", ["請求書", "田中"]]
  ])("of %j are %j", (text, words) => {
    assert.deepStrictEqual(termsOf(text), words)
  })
})
