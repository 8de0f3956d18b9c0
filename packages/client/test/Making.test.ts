/** A client that cannot be made says which option to mend, and repeats no key. */
import { assert, describe, it } from "@effect/vitest"
import { Cairn } from "../src/index.ts"

const messageOf = (url: unknown, apiKey: unknown): string => {
  try {
    new Cairn({ url: url as string, apiKey: apiKey as string, handleExit: false })
  } catch (error) {
    return String(error)
  }
  return "none"
}

const URL_ERROR = "TypeError: url must be such as https://audit.example.com, without user, query or fragment"
const KEY_ERROR = "TypeError: apiKey must be set, to visible ASCII characters"

describe("A client", () => {
  for (const url of [undefined, "", "audit.example.com", "ftp://audit.test", "https://a:secret@audit.test"]) {
    it(`is not made for the address ${url}`, () => {
      assert.strictEqual(messageOf(url, "key"), URL_ERROR)
    })
  }

  for (const apiKey of [undefined, null, "", "a secret", "secret\n", "sécret", 42]) {
    it(`is not made with the key ${JSON.stringify(apiKey)}`, () => {
      assert.strictEqual(messageOf("https://audit.test", apiKey), KEY_ERROR)
    })
  }
})
