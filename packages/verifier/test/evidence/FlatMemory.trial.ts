/** That memory does not grow with the bundle: a hundred thousand events take no more than ten thousand. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const program = fileURLToPath(new URL("./MemoryProbe.ts", import.meta.url))

/**
 * Bytes of live memory after each fiftieth of a bundle, from a process of its own that collects garbage
 * before it looks.
 */
const probe = (events: number): ReadonlyArray<number> => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--conditions=@cairn/source",
      "--expose-gc",
      "--disable-warning=ExperimentalWarning",
      program,
      String(events)
    ],
    { encoding: "utf8", timeout: 120_000 }
  )
  assert.strictEqual(status, 0, stderr)
  return stdout.trim().split(" ").map(Number)
}

describe("the memory of a verification", () => {
  it("does not grow with the number of events", { timeout: 120_000 }, () => {
    const samples = probe(100_000)
    assert.strictEqual(samples.length, 50)
    // Live memory leaps up now and then for what is in progress; it never leaps down. The first samples are
    // of code just loaded.
    const [early, late] = [Math.min(...samples.slice(5, 20)), Math.min(...samples.slice(-15))]
    const bytesAnEvent = (late - early) / 60_000
    assert.isBelow(bytesAnEvent, 8, `samples ${samples.join(" ")}`)
  })
})
