import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import {
  contentSecurityPolicy,
  ELEMENT_PATH,
  elementHeaders,
  REFUSAL_PATH,
  refusalHeaders,
  type ViewerFile,
  viewerHeaders
} from "../src/index.ts"
import { builtFiles } from "./support/ViewerStage.ts"

/** It names the language of SVG, and nobody asks it for anything. */
const NAMESPACES = ["http://www.w3.org"]

/**
 * Most bytes that the files may have, each compressed by gzip, about what they have: whoever adds more takes
 * as much away, or says here why the viewer is heavier. In all is what a page loads that needs everything,
 * in every language. The element, and the page that says why it may not be embedded, are loaded without it.
 */
const MOST = { beforeTheFirstEvents: 51_800, inAll: 77_000 }

describe("the built page", () => {
  let files: ReadonlyArray<ViewerFile> = []

  beforeAll(async () => {
    files = await builtFiles()
  })

  it("is one page with what it loads, of known types", () => {
    assert.deepStrictEqual([...new Set(files.map(({ contentType }) => contentType))].toSorted(), [
      "text/css; charset=utf-8",
      "text/html; charset=utf-8",
      "text/javascript; charset=utf-8"
    ])
    assert.deepStrictEqual(
      files.filter(({ immutable }) => !immutable).map(({ path }) => path),
      [ELEMENT_PATH, "/viewer", REFUSAL_PATH]
    )
  })

  it("is compressed beforehand, each file in both codings", () => {
    for (const { path, bytes, encoded } of files) {
      const { br, gzip } = encoded
      assert.isTrue(br !== undefined && brotliDecompressSync(br).equals(bytes), path)
      assert.isTrue(gzip !== undefined && gunzipSync(gzip).equals(bytes), path)
    }
  })

  it("has no more bytes, compressed, than it has had: before the first events, and in all", () => {
    const texts = new Map(files.map(({ path, bytes }) => [path.split("/").at(-1) ?? "", bytes]))
    const html = texts.get("viewer")?.toString() ?? ""
    const first = new Set(["viewer"])
    const load = (name: string) => {
      if (first.has(name)) return
      first.add(name)
      const text = texts.get(name)?.toString() ?? ""
      for (const [, file = ""] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) load(file)
    }
    for (const [, file = ""] of html.matchAll(/viewer\/assets\/([^"]+)/g)) load(file)
    const sizeOf = (names: Iterable<string>) =>
      Array.from(names, (name) => gzipSync(texts.get(name) ?? "", { level: 9 }).length).reduce(
        (a, b) => a + b
      )
    const page = [...texts.keys()].filter((name) => !/^(?:element|refused)\b/.test(name))
    const [before, all] = [sizeOf(first), sizeOf(page)]
    console.info(`The viewer: ${before} bytes compressed before the first events, ${all} in all`)
    assert.isAtMost(before, MOST.beforeTheFirstEvents)
    assert.isAtMost(all, MOST.inAll)
    // The page, its script and its style sheet: each further file would be waited for once more.
    assert.strictEqual(first.size, 3)
    assert.isAbove(before, 20_000, "it is no page at all")
  })

  it("has an element of about a kilobyte, which imports nothing", () => {
    const { bytes, encoded } = files.find(({ path }) => path === ELEMENT_PATH) ?? {}
    assert.isAtMost(encoded?.br?.length ?? Number.POSITIVE_INFINITY, 1_340)
    const text = new TextDecoder().decode(bytes)
    assert.include(text, "cairn-viewer")
    assert.notMatch(text, /\bimport\s*[{*"'(]|innerHTML|\beval\b/)
  })

  it("has no inline script or style, and names no other host but those of namespaces", () => {
    const text = (path: string) => new TextDecoder().decode(files.find((file) => file.path === path)?.bytes)
    const page = text("/viewer")
    assert.notMatch(page, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
    for (const file of files) {
      const hosts = new TextDecoder().decode(file.bytes).match(/https?:\/\/[\w.-]+/g) ?? []
      assert.deepStrictEqual(
        [...new Set(hosts)].filter((host) => !NAMESPACES.includes(host)),
        [],
        file.path
      )
    }
  })
})

describe("the headers of the page", () => {
  it("allow scripts, styles and requests of its own origin alone", () => {
    const policy = contentSecurityPolicy(["https://app.example.com", "https://*.example.org:8443"])
    assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
    assert.include(policy, "frame-ancestors https://app.example.com https://*.example.org:8443;")
    assert.notInclude(policy, "unsafe")
  })

  it("let nobody embed it unless told", () => {
    assert.include(contentSecurityPolicy([]), "frame-ancestors 'none'")
  })

  it("let anybody embed the page that holds nothing, and load the element, and nothing else", () => {
    const refusal = refusalHeaders({ contentType: "text/html" })["content-security-policy"] ?? ""
    assert.notInclude(refusal, "frame-ancestors")
    assert.include(refusal, "default-src 'none'; script-src 'self'")
    const element = elementHeaders({ contentType: "text/javascript" })
    assert.strictEqual(element["access-control-allow-origin"], "*")
    assert.include(element["content-security-policy"], "frame-ancestors 'none'")
    assert.notProperty(
      viewerHeaders({ contentType: "text/html", immutable: false }, []),
      "access-control-allow-origin"
    )
  })

  it("take no directive from who may embed it", () => {
    assert.include(contentSecurityPolicy(["x; script-src *"]), "frame-ancestors 'none'")
  })

  it("keep the page out of every cache, and what it loads for ever", () => {
    const file = { contentType: "text/html" }
    assert.strictEqual(viewerHeaders({ ...file, immutable: false }, [])["cache-control"], "no-store")
    assert.match(viewerHeaders({ ...file, immutable: true }, [])["cache-control"] ?? "", /immutable/)
  })
})
