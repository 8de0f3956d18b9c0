import { gzipSync } from "node:zlib"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { type FileHead, readHead } from "../../../src/page/pages/check/FileHead.ts"
import { inOrder, oddityOf } from "../../../src/page/pages/check/FileOrder.ts"

const headed = (to: number, made: string, origin = "cairn.test/1") => ({
  head: { from: 1, to, origin, created_at: `2026-01-0${made}T00:00:00.000000Z` } satisfies FileHead
})
const unknown = { head: null }

describe("the order of two files", () => {
  it("is that of their last events, whichever was made first", () => {
    const [shorter, longer] = [headed(50, "9"), headed(60, "1")]
    assert.deepStrictEqual(inOrder([longer, shorter]), [shorter, longer])
    assert.deepStrictEqual(inOrder([shorter, longer]), [shorter, longer])
  })

  it("is that in which they were made where they end with the same event", () => {
    const [before, after] = [headed(50, "1"), headed(50, "2")]
    assert.deepStrictEqual(inOrder([after, before]), [before, after])
  })

  it("stays as it was given where a file does not say what it is", () => {
    assert.deepStrictEqual(inOrder([headed(60, "1"), unknown]), [headed(60, "1"), unknown])
    assert.deepStrictEqual(inOrder([unknown]), [unknown])
  })

  it("is odd if the earlier file ends later, or is of another log", () => {
    assert.isUndefined(oddityOf([headed(50, "1"), headed(60, "1")]))
    assert.strictEqual(oddityOf([headed(60, "1"), headed(50, "1")]), "order")
    assert.strictEqual(oddityOf([headed(60, "1"), headed(50, "1", "cairn.test/2")]), "logs")
    assert.isUndefined(oddityOf([unknown, headed(50, "1")]))
  })
})

describe("the first line of a file", () => {
  const log = testLog({ events: 5 })
  const bytes = gzipSync(testBundle(log).join(""))

  it("says what the file is", async () => {
    const head = await readHead(new File([bytes], "a"))
    assert.deepInclude(head, { from: 1, to: 5, origin: log.origin })
  })

  it("is none where the file is no evidence file, or none at all", async () => {
    assert.isNull(await readHead(new File(["%PDF-1.7"], "a")))
    assert.isNull(await readHead(new File([gzipSync("{}\n")], "a")))
    assert.isNull(await readHead(new File([], "a")))
    const broken = { name: "a", size: 1, stream: () => new Blob([]).stream() }
    assert.isNull(await readHead(broken))
  })
})
