/** Builds the page into dist/page. */
import { fileURLToPath } from "node:url"
import { pageConfig } from "@cairn/ui/vite"
import { defineConfig } from "vite"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig(
  pageConfig({
    root: path("src/page"),
    outDir: path("dist/page"),
    // The page has many addresses, and one place from which it loads.
    address: (file) => `/console/${file}`
  })
)
