/**
 * Builds the page into dist/page. A package's TypeScript would be loaded as it is, by a Node that may be too
 * old for it: `npm start` builds the pages before the newer one is used.
 */
import { fileURLToPath } from "node:url"
import { mergeConfig, type Plugin, type UserConfig } from "vite"
import { pageConfig, small } from "../ui/vite.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const page = pageConfig({
  root: path("src/page"),
  outDir: path("dist/page"),
  // The page is at `viewer`, and what it loads below `viewer/`, wherever the service is mounted.
  address: (file) => `viewer/${file}`
})

/** Loads a script as browsers do: vite would have the page look for style sheets beside it, and has none. */
const plainImports = (): Plugin => ({
  name: "plain-imports",
  enforce: "pre",
  load: (id) =>
    id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load()" : undefined,
  generateBundle(_, bundle) {
    for (const { name, ...chunk } of Object.values(bundle)) {
      if (chunk.type === "chunk" && chunk.isDynamicEntry && chunk.viteMetadata?.importedCss.size !== 0)
        this.error(`The style sheet of ${name} would not be loaded: import it in main.tsx`)
    }
  }
})

export default mergeConfig(page, {
  plugins: [small(), plainImports()],
  build: {
    rolldownOptions: {
      input: {
        index: path("src/page/index.html"),
        refused: path("src/page/refused.html"),
        element: path("src/page/element/CairnViewer.ts")
      },
      // Products load the element by a name that stays.
      output: {
        entryFileNames: ({ name }) => (name === "element" ? "element.js" : "assets/[name]-[hash].js")
      }
    }
  }
} satisfies UserConfig)
