import { join } from "node:path"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { layerStorage } from "../../src/layers/Storage.ts"
import { readDatabase } from "../../src/settings/Database.ts"
import { cairn, cairnJson } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

const folder = temporaryFolder()

describe("cairn workspace", () => {
  it("changes what is given, shows it, and takes the service's own again", { timeout: 120_000 }, async () => {
    const database = join(folder, "cairn.db")
    await cairnJson(["workspace", "create", "Acme"], { database })
    const shown = async () => Object(await cairnJson(["workspace", "show", "Acme"], { database }))
    const update = (...flags: ReadonlyArray<string>) =>
      cairn(["workspace", "update", "Acme", ...flags], { database })

    const flags = ["--anchor-every", "3600", "--frame-ancestors", "none", "--plan", "pro"]
    const set = await update(...flags, "--key-access-events", "on")
    assert.strictEqual(set.code, 0, set.stderr)
    assert.deepInclude(await shown(), {
      plan: "pro",
      anchor_schedule: { every_seconds: 3_600, offset_seconds: 0 },
      viewer_frame_ancestors: [],
      key_access_events: true
    })

    assert.strictEqual((await update("--anchor-every", "default", "--frame-ancestors", "default")).code, 0)
    assert.deepInclude(await shown(), { plan: "pro", anchor_schedule: null, viewer_frame_ancestors: null })
    assert.strictEqual((await update("--key-access-events", "off")).code, 0)
    assert.deepInclude(await shown(), { plan: "pro", key_access_events: false })
    const sentences = { "document.*": { en: "{actor} changed {resource}" } }
    assert.strictEqual((await update("--viewer-sentences", JSON.stringify(sentences))).code, 0)
    assert.deepInclude(await shown(), { viewer: { sentences } })
    assert.match((await update("--viewer-sentences", "{}x")).stderr, /viewer-sentences: must be default or/)
    assert.match(
      (await update("--viewer-sentences", '{"a": {"en": "{who}"}}')).stderr,
      /viewer\.sentences\.a\.en: must have no other braces/
    )
    assert.deepInclude(await shown(), { viewer: { sentences } })
    assert.strictEqual((await update("--viewer-sentences", "default")).code, 0)
    assert.deepInclude(await shown(), { viewer: null })
    const unclear = await update("--key-access-events", "yes")
    assert.notStrictEqual(unclear.code, 0)
    assert.match(unclear.stderr, /key-access-events/)

    for (const wrong of ["hourly", "59", "60.5", ""]) {
      const refused = await update("--anchor-every", wrong)
      assert.notStrictEqual(refused.code, 0, wrong)
      assert.match(refused.stderr, /anchor.(every|schedule)/, wrong)
    }
    assert.deepInclude(await shown(), { anchor_schedule: null })
  })

  it("sets limits, none below one, and a retention that a shorter plan waits with", {
    timeout: 120_000
  }, async () => {
    const database = join(folder, "limits.db")
    await cairnJson(["workspace", "create", "Acme", "--plan", "pro"], { database })
    const shown = async () => Object(await cairnJson(["workspace", "show", "Acme"], { database }))
    const update = (...flags: ReadonlyArray<string>) =>
      cairn(["workspace", "update", "Acme", ...flags], { database })

    const set = await update("--limits", "retention_days=100, requests_per_minute=unlimited")
    assert.strictEqual(set.code, 0, set.stderr)
    const first = await shown()
    assert.deepInclude(first, {
      overrides: { retention_days: 100, requests_per_minute: null },
      effective_retention_days: 365
    })
    assert.deepInclude(first.pending_retention, { retention_days: 100 })
    assert.strictEqual((await update("--limits", "retention_days=plan")).code, 0)
    assert.deepInclude(await shown(), {
      overrides: { requests_per_minute: null },
      effective_retention_days: 365,
      pending_retention: null
    })
    assert.strictEqual((await update("--retention-days", "10")).code, 0)
    assert.deepInclude(await shown(), { retention_days: 10, effective_retention_days: 365 })
    assert.strictEqual((await update("--retention-days", "plan")).code, 0)
    assert.deepInclude(await shown(), { retention_days: null, pending_retention: null })

    for (const [flag, wrong, named] of [
      ["--limits", "retention_days=0", "limits.retention_days"],
      ["--limits", "requests_per_minute=-1", "limits.requests_per_minute"],
      ["--limits", "requests=5", "limits"],
      ["--limits", "alert_rules", "limits.alert_rules"],
      ["--limits", "alert_rules=5,alert_rules=9", "limits.alert_rules: is given twice"],
      ["--limits", "alert_rules=5, alert_rules=plan", "limits.alert_rules: is given twice"],
      ["--limits", "", "limits"],
      ["--limits", ",", "limits"],
      ["--allow", "", "allow"],
      ["--allow", " ,", "allow"],
      ["--retention-days", "0", "retention-days"],
      ["--retention-days", "366", "retention_days"],
      ["--retention-days", "unlimited", "retention-days"]
    ] as const) {
      const refused = await update(flag, wrong)
      assert.notStrictEqual(refused.code, 0, wrong)
      assert.include(refused.stderr, named, wrong)
    }
    assert.deepInclude(await shown(), { overrides: { requests_per_minute: null }, retention_days: null })
    assert.strictEqual((await update("--allow", "10.0.0.1, 10.0.0.0/8")).code, 0)
    assert.deepInclude(await shown(), { ip_allowlist: ["10.0.0.1", "10.0.0.0/8"] })
    assert.strictEqual((await update("--allow", "all")).code, 0)
    assert.deepInclude(await shown(), { ip_allowlist: [] })
  })
})

const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const decodeCreated = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** Renames a workspace past every check, as an earlier version could. */
const rename = (url: string, id: string, name: string) => {
  const database = readDatabase(url.includes("://") ? url : `sqlite:${url}`)
  if (database === undefined) throw new Error(`${url} is no database`)
  return Effect.runPromise(
    Effect.flatMap(ManagedWorkspaces, (workspaces) => workspaces.update(id, { name }, 1)).pipe(
      Effect.provide(layerStorage({ database, inboxCapacity: 100, connections: 3 }))
    )
  )
}

describe.each(DATABASES)("the name of a workspace on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it("is given once, also by two processes at the same time, and doubles are named by id", {
    timeout: 120_000
  }, async () => {
    const { database } = await newDatabase()
    const { id: other } = decodeId(await cairnJson(["workspace", "create", "Other"], { database }))
    const create = () => cairn(["workspace", "create", "Twin", "--json"], { database })
    const results = await Promise.all([create(), create(), create()])
    assert.sameMembers(
      results.map(({ code }) => code),
      [0, 2, 2],
      JSON.stringify(results)
    )
    const { id } = decodeCreated(results.find(({ code }) => code === 0)?.stdout ?? "")
    for (const { code, stderr } of results) {
      if (code !== 0) assert.include(stderr, `Twin\\" already: ${id}`)
    }
    const renamed = await cairn(["workspace", "update", "-w", "Other", "--name", "Twin"], { database })
    assert.strictEqual(renamed.code, 2)
    assert.include(renamed.stderr, `"Twin" already: ${id}`)
    await rename(database, other, "Twin")
    const ambiguous = await cairn(["key", "list", "-w", "Twin"], { database })
    assert.strictEqual(ambiguous.code, 2)
    assert.include(
      ambiguous.stderr,
      `More than one workspace is named "Twin"; name it by its id: ${other}, ${id}`
    )
    for (const one of [id, other]) await cairnJson(["key", "list", "-w", one], { database })
  })
})
