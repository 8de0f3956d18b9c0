import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (file: string) => readFileSync(join(root, file), "utf8")

const Step = Schema.Union([
  Schema.Struct({
    uses: Schema.String,
    with: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  }),
  Schema.Struct({ run: Schema.String })
])

/** What a workflow here may consist of. GitHub ignores no unknown key, so neither does this. */
const Workflow = Schema.Struct({
  name: Schema.String,
  on: Schema.Struct({
    push: Schema.Struct({ branches: Schema.Array(Schema.String) }),
    pull_request: Schema.Null
  }),
  permissions: Schema.Struct({ contents: Schema.Literal("read") }),
  concurrency: Schema.Struct({ group: Schema.String, "cancel-in-progress": Schema.Boolean }),
  jobs: Schema.Record(
    Schema.String,
    Schema.Struct({
      "runs-on": Schema.String,
      "timeout-minutes": Schema.Number,
      steps: Schema.Array(Step)
    })
  )
})
const decode = Schema.decodeUnknownSync(Workflow, { onExcessProperty: "error" })

const workflows = globSync(".github/workflows/*", { cwd: root }).map((file) => ({
  file,
  steps: Object.values(decode(parse(read(file))).jobs).flatMap(({ steps }) => steps)
}))

describe("the workflows", () => {
  const steps = workflows.flatMap((workflow) => workflow.steps)

  it("run what any machine runs, and nothing that is written for the workflow alone", () => {
    const commands = steps.flatMap((step) => ("run" in step ? [step.run] : []))
    assert.deepStrictEqual(commands, [".ci/run"])
    for (const command of commands) assert.isTrue(existsSync(join(root, command)), command)
  })

  it("use actions by the hash of a commit, which no one can move", () => {
    const used = steps.flatMap((step) => ("uses" in step ? [step.uses] : []))
    assert.isAtLeast(used.length, 2)
    for (const action of used) assert.match(action, /^actions\/[a-z-]+@[0-9a-f]{40}$/)
  })

  it("run on the Node that the setup installs", () => {
    const files = steps.flatMap((step) => ("uses" in step ? [step.with?.["node-version-file"]] : []))
    assert.include(files, ".nvmrc")
    assert.match(read(".nvmrc"), /^24\.\d+\.\d+\n$/)
    assert.include(read("scripts/setup.mjs"), 'readFileSync(join(root, ".nvmrc"), "utf8")')
  })
})
