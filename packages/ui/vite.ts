/** How a page of the service is built: one HTML file, scripts and style sheets, all of its own origin. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, gzipSync } from "node:zlib"
import type { Plugin, UserConfig } from "vite"

/** Writes each file compressed beside it, as well as can be: it is done once, and served as it is. */
const compressed = (): Plugin => ({
  name: "compressed",
  writeBundle: async ({ dir = "" }, bundle) => {
    for (const name of Object.keys(bundle)) {
      const bytes = await readFile(join(dir, name))
      await writeFile(join(dir, `${name}.br`), brotliCompressSync(bytes))
      await writeFile(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    }
  }
})

/** Texts, comments and brackets of a program: what tells where a call ends. */
const TOKEN = /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[()]/g

const ANNOTATE = ".annotate("

/** The program without its calls of `annotate`. */
const withoutAnnotations = (code: string): string => {
  const at = code.indexOf(ANNOTATE)
  if (at < 0) return code
  let depth = 0
  for (const { 0: token, index } of code.slice(at).matchAll(TOKEN)) {
    if (token === "(") depth++
    else if (token === ")") depth--
    if (token === ")" && depth === 0)
      return code.slice(0, at) + withoutAnnotations(code.slice(at + index + 1))
  }
  return code
}

/** The description that a helper of `FieldSchemas` gets as its last argument: a text of several words. */
const DESCRIPTION = /"[^"\\\n]* [^"\\\n]*"(?=\s*\))/g

const withoutDescriptions = (code: string): string =>
  code.includes("/FieldSchemas.ts") ? code.replace(DESCRIPTION, '""') : code

/** Leaves out what the core's schemas say of themselves for the OpenAPI document. */
const unannotated = (): Plugin => ({
  name: "unannotated",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("/core/src/") ? withoutAnnotations(withoutDescriptions(code)) : undefined
})

const SMALL: Readonly<Record<string, string>> = {
  effect: fileURLToPath(new URL("src/effect/index.ts", import.meta.url)),
  "effect/encoding": fileURLToPath(new URL("src/effect/Encoding.ts", import.meta.url))
}

/**
 * Builds a page with what src/effect has in place of Effect, and fails if anything else of Effect would be in
 * it.
 */
export const small = (): Plugin => ({
  name: "small",
  enforce: "pre",
  resolveId: (id, importer = "") => (importer.includes("/ui/src/effect/") ? undefined : SMALL[id]),
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue
      for (const [id, { renderedLength }] of Object.entries(chunk.modules))
        if (renderedLength > 0 && id.includes("/node_modules/effect/"))
          this.error(`${chunk.fileName} would have ${id}: src/effect of packages/ui lacks what is used of it`)
    }
  }
})

/** What tells pages apart. */
interface PageOptions {
  /** The folder of its sources. */
  readonly root: string
  /** The folder that it is built into. */
  readonly outDir: string
  /** The address of a file that it loads, as the HTML says it. */
  readonly address: (file: string) => string
}

/** The configuration of vite for a page. */
export const pageConfig = ({ root, outDir, address }: PageOptions): UserConfig => ({
  plugins: [unannotated(), compressed()],
  root,
  logLevel: "warn",
  resolve: { conditions: ["@cairn/source", "browser", "module", "import", "default"] },
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? address(file) : { relative: true })
  },
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    // Nothing is inlined: the content security policy allows no `data:` address.
    assetsInlineLimit: 0,
    rolldownOptions: {
      treeshake: {
        // Signals make components follow them by being loaded.
        moduleSideEffects: (id) => /\/page\/|\/@preact\/signals\/|\.css$/.test(id),
        // Calls of these build values and do nothing else, so that what no one uses is left out: a tenth of
        // the page.
        manualPureFunctions: ["Context", "Effect", "Layer", "Schema", "Struct"],
        // No property is read for what reading it does: a test looks for it.
        propertyReadSideEffects: false
      }
    }
  }
})
