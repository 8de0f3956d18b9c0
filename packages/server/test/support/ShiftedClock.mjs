// Preloaded into a process: shifts its wall clock, and only that, by the seconds that a file holds. A
// relative path is no use to the worker threads, so the file is named by an environment variable.
import { readFileSync } from "node:fs"

const file = process.env.TEST_CLOCK_FILE
const now = Date.now

Date.now = () => {
  try {
    return now() + Number(readFileSync(file, "utf8")) * 1000
  } catch {
    return now()
  }
}
