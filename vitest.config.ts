import { defineConfig } from "vitest/config"
import LongestFirst from "./scripts/test/LongestFirst.ts"

// Workspace packages resolve to their TypeScript sources: for vite through this condition, and in the worker
// threads and child processes that a test forks through Node's own flag, which they inherit.
const source = "@cairn/source"

/** What kills, fills, floods or outlasts the service, or tries thousands of cases: `npm run test:hold`. */
const trials = ["packages/server/test/hold/*.test.ts", "{packages,examples}/*/test/**/*.trial.ts"]

/**
 * The HTTP tests, which run over each storage: on SQLite by `npm test`, on PostgreSQL with the trials, and in
 * memory where nothing is waited for but them.
 */
const http = "packages/server/test/http/*.test.ts"
/** Those of them that wait for limits, or send very much: with the trials on both databases. */
const longHttp = "packages/server/test/http/long/*.test.ts"

const httpOn = (storage: string, name = `http on ${storage}`, include = [http, longHttp]) => ({
  extends: true as const,
  test: { name, include, env: { CAIRN_TEST_STORAGE: storage } }
})

export default defineConfig({
  // A list given here replaces vite's default one, so the default follows ours.
  ssr: { resolve: { conditions: [source, "module", "node", "development|production"] } },
  test: {
    pool: "forks",
    // A worker keeps what it has loaded for the files that follow: loading took half the time of most files.
    isolate: false,
    globalSetup: ["scripts/test/Setup.ts"],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // A test that was left as the only one would hide all others of its file.
    allowOnly: false,
    // Older releases of Node announce node:sqlite and type stripping as experimental in every process.
    execArgv: [`--conditions=${source}`, "--disable-warning=ExperimentalWarning"],
    // A machine under load may need minutes for what takes seconds.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "scripts/test/*.test.ts"],
          exclude: [...trials, http, longHttp]
        }
      },
      httpOn("memory"),
      httpOn("sqlite", "http on sqlite", [http]),
      httpOn("sqlite", "long http on sqlite", [longHttp]),
      httpOn("postgres"),
      {
        extends: true,
        // A process of its own for each, so that one measures the memory and the turns of nobody else.
        test: { name: "trials", include: trials, isolate: true, env: { CAIRN_TRIALS: "yes" } }
      }
    ]
  }
})
