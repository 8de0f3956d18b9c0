import { placeFrom } from "@cairn/ui/place"
import { assert, describe, it } from "@effect/vitest"
import { subjectOf } from "../../../src/page/service/ViewerToken.ts"
import { appearanceFrom, queryOf } from "../../../src/page/state/Address.ts"

const parameters = (query: string) => new URLSearchParams(query)

describe("the viewer's address", () => {
  it("holds a place and gives it back", () => {
    const query =
      "?search=a+b&search=c&action=user.*&action=*.b&actor_id=x&from=2024-01-01&time=absolute&event=1"
    assert.strictEqual(queryOf(placeFrom(parameters(query), new Date(0)), parameters("")), query)
  })

  it("keeps what the product chose and the workspace, and never the token", () => {
    const current = parameters(
      "token=secret&workspace=wsp_1&theme=dark&locale=de&accent=f00&key=a%2Bb&key=c&other=1"
    )
    const place = placeFrom(parameters(""), new Date(0))
    assert.strictEqual(
      queryOf(place, current),
      "?workspace=wsp_1&theme=dark&locale=de&accent=f00&key=a%2Bb&key=c"
    )
    assert.strictEqual(queryOf(place, parameters("token=secret")), "")
  })

  it("has no condition where it has an empty one", () => {
    assert.deepStrictEqual(placeFrom(parameters("action=&search=+"), new Date(0)).filter, {})
  })

  it("has a theme only of the two there are", () => {
    assert.strictEqual(appearanceFrom(parameters("theme=dark")).theme, "dark")
    assert.isUndefined(appearanceFrom(parameters("theme=blue")).theme)
  })

  it("takes a key whose plus signs nobody escaped", () => {
    assert.deepStrictEqual(appearanceFrom(parameters("key=a+b+c")).keys, ["a+b+c"])
  })
})

describe("the subject of a token", () => {
  const token = (payload: string) => `e30.${Buffer.from(payload).toString("base64url")}.sig`

  it("is the workspace", () => {
    assert.strictEqual(subjectOf(token('{"sub":"wsp_ü","exp":12}')), "wsp_ü")
  })

  it.each(["", "a.b.c", token("[]"), token("null"), token('{"sub":1,"exp":"x"}')])(
    "is none in %j",
    (text) => {
      assert.isUndefined(subjectOf(text))
    }
  )
})
