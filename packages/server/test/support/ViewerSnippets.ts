/** The snippets of docs/Viewer.md, as they stand there, and built as a product builds them. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { compileScript, parse } from "vue/compiler-sfc"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const page = readFileSync(join(root, "docs/Viewer.md"), "utf8")

/** The service's address in the snippets. */
const EXAMPLE = "https://cairn.example.com"

/** The first snippet of a language. */
export const snippet = (language: "html" | "tsx" | "ts" | "vue"): string => {
  const [, text] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? []
  if (text === undefined) throw new Error(`docs/Viewer.md has no snippet in ${language}`)
  return text
}

/** The HTML that embeds the viewer of a service. */
export const htmlSnippet = (service: string): string => snippet("html").replaceAll(EXAMPLE, service)

/** The script of a page, of these files; the first one is its entry. They lie where packages are found. */
const bundled = async (name: string, files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = join(root, "node_modules/.cache", `viewer-snippet-${name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
    const build = await rolldown({
      input: join(folder, Object.keys(files)[0] ?? ""),
      platform: "browser",
      transform: {
        define: {
          "process.env.NODE_ENV": '"production"',
          __VUE_OPTIONS_API__: "false",
          __VUE_PROD_DEVTOOLS__: "false",
          __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false"
        },
        jsx: { runtime: "automatic", development: false }
      },
      logLevel: "silent"
    })
    const { output } = await build.generate({ format: "esm" })
    await build.close()
    return output[0].code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The script of a page with the snippet for React in its `main`. */
export const reactScript = (): Promise<string> =>
  bundled("react", {
    "entry.tsx": `import { createRoot } from "react-dom/client"
      import { AuditLog } from "./AuditLog.tsx"
      createRoot(document.querySelector("main")).render(<AuditLog />)`,
    "AuditLog.tsx": snippet("tsx")
  })

/** The script of a page with the snippet for Vue in its `main`. */
export const vueScript = (): Promise<string> => {
  const { descriptor, errors } = parse(snippet("vue"))
  if (errors.length > 0) throw errors[0]
  const isCustomElement = (tag: string) => tag === "cairn-viewer"
  const { content } = compileScript(descriptor, {
    id: "snippet",
    inlineTemplate: true,
    templateOptions: { compilerOptions: { isCustomElement } }
  })
  return bundled("vue", {
    "entry.js": `import { createApp } from "vue"
      import AuditLog from "./AuditLog.js"
      createApp(AuditLog).mount("main")`,
    "AuditLog.js": content
  })
}
