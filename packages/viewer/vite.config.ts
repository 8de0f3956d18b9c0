/**
 * Builds the page into dist/page. A package's TypeScript would be loaded as it is, by a Node that may be too
 * old for it: `npm start` builds the pages before the newer one is used.
 */
import { fileURLToPath } from "node:url"
import { mergeConfig, type UserConfig } from "vite"
import { pageConfig, small } from "../ui/vite.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const page = pageConfig({
  root: path("src/page"),
  outDir: path("dist/page"),
  // The page is at `viewer`, and what it loads below `viewer/`, wherever the service is mounted.
  address: (file) => `viewer/${file}`
})

export default mergeConfig(page, {
  plugins: [small()],
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
