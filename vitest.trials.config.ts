import { defineConfig } from "vitest/config"
import tests from "./vitest.config.ts"

// The long trials: too many cases for every `npm test`, which runs a fixed part of them. One after the other, so that the memory and
// the cores are one's own.
export default defineConfig({
  ...(tests.ssr === undefined ? {} : { ssr: tests.ssr }),
  test: {
    pool: "forks",
    fileParallelism: false,
    execArgv: tests.test?.execArgv ?? [],
    // It takes as long as it takes; a trial that hangs is ended with the run that it is part of.
    testTimeout: 0,
    hookTimeout: 0,
    include: ["packages/*/test/**/*.trial.ts", "examples/*/test/**/*.trial.ts"]
  }
})
