/** The board and the alert rules of `ops/`, held against the metrics that there are. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { FAMILIES } from "../../src/metrics/Families.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = fileURLToPath(new URL("../../../../ops/", import.meta.url))
const read = (name: string) => readFileSync(join(folder, name), "utf8")

const temporary = temporaryFolder()

/** Prometheus' own tool, of Debian's package `prometheus`. */
const PROMTOOL = "/usr/bin/promtool"
const hasPromtool = existsSync(PROMTOOL)

/** Without what is skipped a test would say nothing of it. */
const skipped = hasPromtool ? "" : " (skipped: there is no promtool here; Debian's package prometheus has it)"

const families = new Map(FAMILIES.map((family) => [family.name, family]))

const METRIC = /\b(?:cairn|process)_[a-z_]+\b/g

/** The family that a name in an expression means; undefined if there is none. */
const familyOf = (name: string) => {
  const known = families.get(name)
  if (known !== undefined) return known.type === "histogram" ? undefined : known
  const of = families.get(name.replace(/_(?:bucket|sum|count)$/, ""))
  return of?.type === "histogram" ? of : undefined
}

const Board = Schema.Struct({
  panels: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      id: Schema.Number,
      gridPos: Schema.Struct({ x: Schema.Number, y: Schema.Number, w: Schema.Number, h: Schema.Number }),
      targets: Schema.optionalKey(Schema.Array(Schema.Struct({ expr: Schema.String })))
    })
  )
})
const board = Schema.decodeUnknownSync(Schema.fromJsonString(Board))(read("grafana.json"))

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      rules: Schema.Array(
        Schema.Struct({
          alert: Schema.String,
          expr: Schema.String,
          labels: Schema.Struct({ severity: Schema.Literals(["critical", "warning"]) }),
          annotations: Schema.Struct({ summary: Schema.String, description: Schema.String })
        })
      )
    })
  )
})
const rules = Schema.decodeUnknownSync(Rules)(parse(read("alerts.yaml"))).groups.flatMap(({ rules }) => rules)

const expressions = [
  ...board.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))
  ),
  ...rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr }))
]

describe("the board and the alert rules", () => {
  it("ask for metrics that there are, and for labels that these have", () => {
    assert.isAbove(expressions.length, 50)
    for (const { where, expr } of expressions) {
      const found = [...expr.matchAll(METRIC)].map(([name]) => name)
      if (!expr.startsWith("up{")) assert.isNotEmpty(found, where)
      for (const name of found) assert.isDefined(familyOf(name), `${where}: ${name}`)
      const labels = new Set([
        ...found.flatMap((name) => Object.keys(familyOf(name)?.labels ?? {})),
        "instance",
        "job",
        "le"
      ])
      const asked = [
        ...[...expr.matchAll(/([a-z_]+)(?:=~|!=|!~|=)"/g)].map(([, label = ""]) => label),
        ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "))
      ]
      for (const label of asked) assert.isTrue(labels.has(label), `${where}: ${label}`)
    }
  })

  it("show every metric of the service somewhere", () => {
    const asked = new Set(
      expressions.flatMap(({ expr }) => [...expr.matchAll(METRIC)].map(([name]) => familyOf(name)?.name))
    )
    assert.deepStrictEqual(
      FAMILIES.map(({ name }) => name).filter((name) => name.startsWith("cairn_") && !asked.has(name)),
      []
    )
  })

  it("lie beside each other on the board, and not over each other", () => {
    const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`)
    )
    assert.strictEqual(new Set(cells).size, cells.length)
    const ids = board.panels.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it.skipIf(!hasPromtool)(`are what Prometheus takes, and raise what they should${skipped}`, () => {
    const run = (...args: ReadonlyArray<string>) => execFileSync(PROMTOOL, args, { encoding: "utf8" })
    assert.include(run("check", "rules", join(folder, "alerts.yaml")), `${rules.length} rules found`)
    assert.include(run("test", "rules", join(folder, "alerts.test.yaml")), "SUCCESS")
    // Each expression of the board, as a rule.
    const file = join(temporary, "board.yaml")
    const recorded = expressions.map(({ expr }, index) => ({
      record: `board:panel${index}`,
      expr: expr.replaceAll("$instance", ".*")
    }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: "board", rules: recorded }] }))
    assert.include(run("check", "rules", file), `${recorded.length} rules found`)
  })
})
