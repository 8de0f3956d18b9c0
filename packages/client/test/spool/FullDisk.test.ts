import { spawnSync } from "node:child_process"
import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { openSpool, readSpool } from "../../src/spool/index.ts"
import { eventOf, settle } from "./SpoolSteps.ts"

const disk = mkdtempSync(join(tmpdir(), "cairn-full-"))
const isMounted =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "cairn-test", disk]).status === 0

afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
  rmdirSync(disk)
})

describe.skipIf(!isMounted)("a full disk (needs to mount a tmpfs: root on Linux)", () => {
  it("keeps what was confirmed, rejects the rest, and takes events again when there is room", async () => {
    const folder = join(disk, "spool")
    const spool = await openSpool({ folder })
    const confirmed: Array<string> = []
    const errors: Array<unknown> = []
    for (let round = 0; round < 60; round++) {
      // Of different lengths, so that the disk is full at any place of a group.
      const group = Array.from({ length: 10 }, (_, index) =>
        eventOf(`e${round}-${index}`, { metadata: { text: "x".repeat(700 + round * 13 + index) } })
      )
      await Promise.all(
        group.map((event) =>
          spool.add(event).then(
            () => confirmed.push(event.key),
            (error: unknown) => errors.push(error)
          )
        )
      )
    }
    assert.isAbove(confirmed.length, 100)
    assert.isAbove(errors.length, 100)
    for (const error of errors) assert.match(String(error), /ENOSPC/)
    const { waiting, damaged } = await readSpool(folder)
    assert.deepStrictEqual([waiting.map(({ key }) => key), damaged], [confirmed, 0])
    const taken = await spool.take({ count: 1000, bytes: 2 ** 30 })
    assert.deepStrictEqual(
      taken.map(({ key }) => key),
      confirmed
    )
    await settle(spool, confirmed)
    await spool.add(eventOf("after"))
    await spool.close()
    assert.deepStrictEqual((await readSpool(folder)).waiting, [eventOf("after")])
  })
})
