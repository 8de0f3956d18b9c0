/** Secrets from files, variables that are no settings, and what `cairn config` shows of both. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readConfiguration } from "../../src/settings/Configuration.ts"
import { withSecretFiles } from "../../src/settings/SecretFiles.ts"
import { unknownVariables } from "../../src/settings/UnknownVariables.ts"
import { cairn, cairnJson, killLeftovers } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const SECRET = Buffer.alloc(32, 7).toString("base64")
const file = (name: string, text: string): string => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const decodeConfig = Schema.decodeUnknownSync(
  Schema.Struct({
    settings: Schema.Array(
      Schema.Struct({ name: Schema.String, value: Schema.String, source: Schema.String })
    ),
    unknown: Schema.Array(Schema.String)
  })
)

describe("a secret in a file", () => {
  it("is read without the newline at its end", async () => {
    for (const end of ["", "\n", "\r\n"]) {
      const variables = { CAIRN_SECRET_KEY_FILE: file("key", `${SECRET}${end}`) }
      const read = await Effect.runPromise(Effect.flatMap(withSecretFiles(variables), readConfiguration))
      assert.deepStrictEqual(read.secretKeys, [SECRET])
    }
  })

  it("that is there twice or not at all is one line without it, and exit code 78", async () => {
    const path = file("key", SECRET)
    for (const [variables, expected] of [
      [
        { CAIRN_SECRET_KEY_FILE: path, CAIRN_SECRET_KEY: SECRET },
        "CAIRN_SECRET_KEY is set too; set one of them"
      ],
      // A secret where a path belongs.
      [{ CAIRN_SECRET_KEY_FILE: SECRET }, "the file cannot be read (ENOENT)"]
    ] as const) {
      const { code, stderr } = await cairn(["config"], { database: join(folder, "x.db"), variables })
      assert.strictEqual(code, 78)
      assert.strictEqual(stderr, `cairn: CAIRN_SECRET_KEY_FILE: ${expected}\n`)
    }
  })
})

describe("a variable that is no setting", () => {
  it("is named with the nearest one, and without its value", () => {
    const lines = unknownVariables({
      CAIRN_PROT: "1",
      CAIRN_SECRET_KEY_FLE: SECRET,
      CAIRN_API_KEY: "x",
      CAIRN_PORT: "2",
      CAIRN_SECRET_KEY_FILE: "y",
      PATH: "z"
    })
    assert.deepStrictEqual(lines, [
      "CAIRN_PROT is not known; did you mean `CAIRN_PORT`?",
      "CAIRN_SECRET_KEY_FLE is not known; did you mean `CAIRN_SECRET_KEY_FILE`?"
    ])
  })
})

it("cairn config shows each setting and where it comes from, and no secret", async () => {
  const variables = {
    CAIRN_PORT: "99",
    CAIRN_REDIS_URL: "redis://me:canary@redis.example.com/?password=canary",
    CAIRN_ANCHOR_PRIVATE_KEY: "canary",
    CAIRN_SECRET_KEY_FILE: file("key", SECRET),
    CAIRN_PROT: "canary"
  }
  const shown = decodeConfig(await cairnJson(["config"], { database: join(folder, "x.db"), variables }))
  assert.notInclude(JSON.stringify(shown), "canary")
  assert.notInclude(JSON.stringify(shown), SECRET)
  const of = (name: string) => shown.settings.find((setting) => setting.name === name)
  assert.deepInclude(of("CAIRN_PORT"), { value: "99", source: "environment" })
  assert.deepInclude(of("CAIRN_HOST"), { value: "127.0.0.1", source: "default" })
  assert.deepInclude(of("CAIRN_SECRET_KEY"), { value: "(hidden)", source: "file" })
  assert.include(of("CAIRN_REDIS_URL")?.value, "redis.example.com")
  assert.lengthOf(shown.unknown, 1)
})
