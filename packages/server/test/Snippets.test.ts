/** How to send an event, in each language: what is shown is that of docs/snippets, and fits the interface. */
import { readFileSync } from "node:fs"
import { openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import {
  membersOf,
  README,
  readmeWithSnippets,
  SNIPPETS,
  SNIPPETS_MODULE,
  type Snippet,
  snippetsModule
} from "./contract/Snippets.ts"

const document = openApiDocument("/")
const schema = JSON.parse(JSON.stringify(document)).components.schemas.EventInput
const known: ReadonlyArray<string> = Object.keys(schema.properties)

/** What is wrong with a snippet, by the OpenAPI document. */
const faultsOf = (snippet: Snippet): ReadonlyArray<string> => {
  const members = membersOf(snippet)
  const required: ReadonlyArray<string> = snippet.hasLibrary
    ? schema.required
    : [...schema.required, "idempotency_key", "occurred_at"]
  const texts = snippet.hasLibrary
    ? []
    : ["/api/v1/events", "Authorization: Bearer ", "Content-Type: application/json"]
  const plain = snippet.text.replace(/"(?:, | => )"|['"](?: => )['"]/g, ": ")
  return [
    ...required.filter((name) => !members.includes(name)).map((name) => `${name} is missing`),
    ...members.filter((name) => !known.includes(name)).map((name) => `${name} is not known`),
    ...texts.filter((text) => !plain.includes(text)).map((text) => `${text} is missing`),
    ...(Object.hasOwn(document.paths, "/api/v1/events") ? [] : ["the path is not the interface's"])
  ]
}

describe("the snippets that send an event", () => {
  it("are shown in README and /docs as they are", () => {
    const readme = readFileSync(README, "utf8")
    assert.isTrue(readme === readmeWithSnippets(readme), "npm run generate:snippets")
    assert.isTrue(readFileSync(SNIPPETS_MODULE, "utf8") === snippetsModule(), "npm run generate:snippets")
    for (const { text } of SNIPPETS) {
      assert.include(readme, text.trimEnd())
      assert.include(document.info.description, text.trimEnd())
    }
  })

  for (const snippet of SNIPPETS) {
    it(`fits the OpenAPI document, in ${snippet.language}`, () =>
      assert.deepStrictEqual(faultsOf(snippet), []))
  }

  it("are found out where they do not", () => {
    for (const snippet of SNIPPETS) {
      const changed = (from: string, to: string) =>
        faultsOf({ ...snippet, text: snippet.text.replaceAll(from, to) })
      assert.deepStrictEqual(changed("actor_id", "actorid"), ["actor_id is missing", "actorid is not known"])
      if (!snippet.hasLibrary) {
        assert.deepStrictEqual(changed("idempotency_key", "request_id"), [
          "idempotency_key is missing",
          "request_id is not known"
        ])
        assert.lengthOf(changed("/api/v1/events", "/api/v2/events"), 1)
        assert.lengthOf(changed("Bearer ", "Basic "), 1)
      }
    }
  })
})
