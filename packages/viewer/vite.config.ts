/**
 * Builds the page into dist/page: one HTML file, one script, one style sheet, all of the service's own
 * origin.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  root: path("src/page"),
  logLevel: "warn",
  resolve: { conditions: ["@cairn/source", "browser", "module", "import", "default"] },
  // The page is at `viewer`, and what it loads below `viewer/`, wherever the service is mounted.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `viewer/${file}` : { relative: true })
  },
  build: {
    outDir: path("dist/page"),
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
        manualPureFunctions: ["Context", "Effect", "Layer", "Schema"]
      }
    }
  }
})
