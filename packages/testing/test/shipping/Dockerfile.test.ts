import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { localNodeVersion } from "@cairn/testing/OldestNode"
import { assert, describe, it } from "@effect/vitest"
import { instructions, lastTexts, root, variables, wordsOf } from "./Dockerfile.ts"

const texts = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text)

describe("the Dockerfile", () => {
  it("is built on an exact version of Node, that of the repository, and on nothing else", async () => {
    assert.deepStrictEqual(texts("ARG"), [`NODE_IMAGE=node:${await localNodeVersion()}-bookworm-slim`])
    for (const text of texts("FROM")) assert.match(text, /^(?:.* )?\$\{NODE_IMAGE\} AS \w+$|^scratch$/)
  })

  it("runs scripts of the repository alone, and none in its last stage", () => {
    assert.isNotEmpty(texts("RUN"))
    for (const text of texts("RUN")) assert.match(text, /(?:^| )(?:node|sh) \S+ \/image$/)
    assert.deepStrictEqual(lastTexts("RUN"), [])
    assert.deepStrictEqual(lastTexts("FROM"), ["scratch"])
  })

  it("serves as a user by number, with an init, a check and a place for data", () => {
    assert.match(lastTexts("USER")[0] ?? "", /^[1-9]\d*:[1-9]\d*$/)
    assert.strictEqual(wordsOf("ENTRYPOINT")[0], "tini")
    assert.match(lastTexts("HEALTHCHECK")[0] ?? "", /healthcheck\.mjs/)
    // A database that the image named would stand in the way of CAIRN_DATABASE_URL_FILE.
    assert.deepStrictEqual(Object.keys(variables()), ["PATH", "NODE_ENV", "CAIRN_HOST"])
    assert.deepStrictEqual([lastTexts("WORKDIR"), lastTexts("VOLUME")], [["/"], ["/data"]])
    // The user of the database's folder is the one that serves.
    assert.isTrue(lastTexts("COPY").some((text) => text.includes(`--chown=${lastTexts("USER")[0]} `)))
  })

  it("gets nothing of the checkout but what .dockerignore names", () => {
    const [first, ...rest] = readFileSync(join(root, ".dockerignore"), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
    assert.strictEqual(first, "*")
    for (const line of rest.filter((one) => one.startsWith("!"))) {
      assert.isNotEmpty(globSync(line.slice(1), { cwd: root }), line)
    }
    assert.notInclude(rest.join(), "data")
  })
})
