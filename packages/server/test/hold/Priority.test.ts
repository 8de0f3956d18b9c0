import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** The threads of a process: what each is called, and its niceness, field 19 of proc_pid_stat(5). */
const threads = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((id) => {
    const text = readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8")
    const [, name = "", rest = ""] = /\((.*)\) (.*)/.exec(text) ?? []
    return { id: Number(id), name, niceness: Number(rest.split(" ")[16]) }
  })

describe.skipIf(process.platform !== "linux")("where processors are few (Linux)", () => {
  const folder = temporaryFolder()
  killLeftovers()

  it("alerts and streams give way to accepting and sequencing, and nothing else does", async () => {
    const server = await startServer({ database: join(folder, "cairn.db") })
    const pid = server.child.pid ?? 0
    const nice = await eventually("the delivery thread is there", () => {
      const found = threads(pid).filter(({ niceness }) => niceness > 0)
      return found.length > 0 ? found : undefined
    })
    assert.deepStrictEqual(
      nice.map(({ niceness }) => niceness),
      [5]
    )
    assert.notStrictEqual(nice[0]?.id, pid)
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
  })
})
