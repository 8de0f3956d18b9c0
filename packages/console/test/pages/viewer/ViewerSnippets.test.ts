import { assert, describe, it } from "@effect/vitest"
import {
  CODE_LANGUAGES,
  elementSnippet,
  serverSnippet,
  viewerPath
} from "../../../src/page/pages/viewer/ViewerSnippets.ts"

const ORIGIN = "https://cairn.example.com"
const PLAIN = { theme: "", locale: "", accent: "" } as const

describe("viewerPath", () => {
  it("has the token and what was chosen of the looks, and nothing else", () => {
    assert.strictEqual(viewerPath("a.b", PLAIN), "/viewer?token=a.b")
    assert.strictEqual(
      viewerPath("a.b", { theme: "dark", locale: "de", accent: "#0b5cad" }),
      "/viewer?token=a.b&theme=dark&locale=de&accent=0b5cad"
    )
  })

  it("lets nothing that was typed add a parameter", () => {
    assert.strictEqual(
      viewerPath("a&b=c", { ...PLAIN, locale: "de&token=x" }),
      "/viewer?token=a%26b%3Dc&locale=de%26token%3Dx"
    )
  })
})

describe("elementSnippet", () => {
  it("is the script of the service and its element, with what was chosen of the looks", () => {
    assert.strictEqual(
      elementSnippet(ORIGIN, { theme: "dark", locale: "de", accent: "#0b5cad" }),
      `<script type="module" src="${ORIGIN}/viewer/element.js"></script>
<cairn-viewer
  token-url="/audit-log-token"
  theme="dark"
  locale="de"
  accent="0b5cad"
></cairn-viewer>`
    )
    assert.notInclude(elementSnippet(ORIGIN, PLAIN), "theme")
  })

  it("lets nothing that was typed leave its attribute", () => {
    const text = elementSnippet(ORIGIN, { ...PLAIN, locale: 'a&b"><script>' })
    assert.include(text, '  locale="a&amp;b&quot;><script>"\n></cairn-viewer>')
  })
})

describe("serverSnippet", () => {
  it("asks for what was chosen, written as each language writes texts", () => {
    const input = { tenant_id: 'a"b', ttl: 900 }
    const curl = serverSnippet("curl", ORIGIN, input)
    assert.include(curl, `-d '{"tenant_id":"a\\"b","ttl":900}'`)
    assert.include(curl, `curl -X POST ${ORIGIN}/api/v1/viewer-token`)
    assert.include(serverSnippet("typescript", ORIGIN, input), 'create({ tenant_id: "a\\"b", ttl: 900 })')
    assert.include(serverSnippet("python", ORIGIN, input), 'create({"tenant_id":"a\\"b","ttl":900})')
  })

  it("has no key in it, but the name of the variable that has", () => {
    for (const language of CODE_LANGUAGES) {
      assert.include(serverSnippet(language, ORIGIN, { ttl: 60 }), "CAIRN_API_KEY")
    }
  })
})
