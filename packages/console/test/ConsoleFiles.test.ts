import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import type { ViewerFile } from "@cairn/viewer"
import { NodeServices } from "@effect/platform-node"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkPageHeaders, consoleHeaders, readConsoleFiles } from "../src/index.ts"

/** The page as it is shipped: the run's setup built it with the bundle. */
const BUILT = fileURLToPath(new URL("../../server/bundle/console/", import.meta.url))

const PAGE = fileURLToPath(new URL("../src/page/index.html", import.meta.url))

/** Most bytes of the first screen, compressed. */
const FIRST_SCREEN = 150_000

const textOf = ({ bytes }: ViewerFile): string => new TextDecoder().decode(bytes)

describe("the built console", () => {
  let files: ReadonlyArray<ViewerFile> = []

  beforeAll(async () => {
    files = await Effect.runPromise(readConsoleFiles(BUILT).pipe(Effect.provide(NodeServices.layer)))
  })

  const named = (name: RegExp): ViewerFile => {
    const found = files.find(({ path }) => name.test(path))
    if (found === undefined) throw new Error(`there is no file like ${name}`)
    return found
  }

  /** A file and all that it loads before it runs, each once. */
  const withImports = (first: ViewerFile): ReadonlySet<ViewerFile> => {
    const loaded = new Set<ViewerFile>()
    const load = (file: ViewerFile) => {
      if (loaded.has(file)) return
      loaded.add(file)
      // A dynamic import has a bracket.
      for (const [, name = ""] of textOf(file).matchAll(/(?:from|import) ?["'`]\.\/([\w.-]+\.js)["'`]/g))
        load(named(new RegExp(`/${name.replaceAll(".", "\\.")}$`)))
    }
    load(first)
    return loaded
  }

  const weight = (some: Iterable<ViewerFile>): number =>
    [...some].reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0)

  it("has a first screen of at most 150 KB compressed: the frame, the overview and all styles", () => {
    const styles = files.filter(({ contentType }) => contentType.startsWith("text/css"))
    const first = new Set([
      named(/^\/console$/),
      ...withImports(named(/\/index-[\w-]+\.js$/)),
      ...withImports(named(/\/OverviewPage-[\w-]+\.js$/)),
      ...styles
    ])
    const bytes = weight(first)
    console.info(`the console's first screen: ${bytes} bytes compressed in ${first.size} files`)
    assert.isAtMost(bytes, FIRST_SCREEN)
    assert.isAbove(bytes, 20_000, "it is no page at all")
  })

  it("loads no page before it is shown", () => {
    const [frame, ...others] = [...withImports(named(/\/index-[\w-]+\.js$/))].map(({ path }) => path)
    assert.match(frame ?? "", /index-/)
    assert.deepStrictEqual(
      others.filter((path) => /Page-/.test(path)),
      []
    )
  })

  it("has no page that weighs more than the first screen may", () => {
    const pages = files.filter(({ path }) => /Page-[\w-]+\.js$/.test(path))
    assert.isAtLeast(pages.length, 16)
    for (const page of pages) assert.isAtMost(weight(withImports(page)), FIRST_SCREEN, page.path)
  })

  it("is compressed beforehand, each file in both codings", () => {
    for (const { path, bytes, encoded } of files) {
      const { br, gzip } = encoded
      assert.isTrue(br !== undefined && brotliDecompressSync(br).equals(bytes), path)
      assert.isTrue(gzip !== undefined && gunzipSync(gzip).equals(bytes), path)
    }
  })

  it("says what it can without JavaScript, also to those without an account, in each language", () => {
    const page = readFileSync(PAGE, "utf8")
    const [, words = ""] = /<noscript>(.*?)<\/noscript>/s.exec(page) ?? []
    const paragraphs = words.match(/<p.*?<\/p>/gs) ?? []
    assert.lengthOf(paragraphs, 3)
    const told = ["needs an account for that", "ein Konto braucht dafür niemand", "アカウントは不要"]
    for (const [index, paragraph] of paragraphs.entries()) {
      assert.include(paragraph, "JavaScript")
      assert.include(paragraph, "<code>cairn-verify</code>")
      assert.include(paragraph, told[index] ?? "none")
    }
    assert.match(textOf(named(/^\/console$/)), /<noscript>.*cairn-verify.*<\/noscript>/s)
  })

  it("has no inline script or style", () => {
    assert.notMatch(textOf(named(/^\/console$/)), /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  })
})

describe("the headers of the console", () => {
  const headers = consoleHeaders({ contentType: "text/html", immutable: false })

  it("allow scripts, styles, requests and frames of its own origin alone, in no frame of anybody", () => {
    const policy = headers["content-security-policy"] ?? ""
    assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
    assert.include(policy, "frame-ancestors 'none'")
    assert.include(policy, "require-trusted-types-for 'script'; trusted-types 'none'")
    assert.notInclude(policy, "unsafe")
    assert.notInclude(policy, "data:")
  })

  it("let the page to check a file with send nothing, in no way", () => {
    const sent = checkPageHeaders({ contentType: "text/html", immutable: false })
    assert.strictEqual(sent["connection-allowlist"], "(response-origin);webrtc=block")
    assert.strictEqual(
      sent["content-security-policy"],
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
  })

  it("keep the page out of every cache, and what it loads for ever", () => {
    assert.strictEqual(headers["cache-control"], "no-store")
    assert.match(
      consoleHeaders({ contentType: "text/css", immutable: true })["cache-control"] ?? "",
      /immutable/
    )
  })
})
