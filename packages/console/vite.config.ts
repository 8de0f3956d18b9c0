/**
 * Builds the page into dist/page. A package's TypeScript would be loaded as it is, by a Node that may be too
 * old for it: `npm start` builds the pages before the newer one is used.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"
import { pageConfig } from "../ui/vite.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig(
  pageConfig({
    root: path("src/page"),
    outDir: path("dist/page"),
    // The page has many addresses, and one place from which it loads.
    address: (file) => `/console/${file}`
  })
)
