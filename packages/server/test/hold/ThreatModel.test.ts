/**
 * docs/ThreatModel.md, "Attacks by someone who holds the database and the signing key", one by one, on a log
 * on a real database, and who finds it out. Each attack leaves a chain that verifies by itself.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { compareEvidence, layerTools, verifyEvidence } from "@cairn/verifier"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { Anvil } from "../../../anchor-base/test/Anvil.ts"
import { contentHashOf, eventHashOf, rootOf } from "../../../core/test/support/PlainHashFormat.ts"
import { ACCOUNT, anchor, append, chainVariables, verifyAnchor } from "../support/AnchoredLog.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, makeTenant, startServer, type Tenant } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, type TestDatabase, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Events of the anchored period beside the workspace's own two; ten more follow. */
const EVENTS = 500

/**
 * So the log fills two tiles of the stored tree to the last leaf, and the tree alone, whatever the events
 * are, has the root that was signed.
 */
const SIGNED = 512

const decodeEvents = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      sequence: Schema.Number,
      id: Schema.String,
      created_at: Schema.Number,
      content: Schema.String,
      salt: Schema.String,
      previous_event_hash: Schema.NullOr(Schema.String),
      event_hash: Schema.String
    })
  )
)

const decodeVerified = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      valid: Schema.Boolean,
      store: Schema.Struct({ sound: Schema.Boolean }),
      breaks: Schema.Array(Schema.Struct({ type: Schema.String })),
      unknown_transactions: Schema.Number,
      against: Schema.optionalKey(Schema.Struct({ agrees: Schema.Boolean, text: Schema.String }))
    })
  )
)

const bytesOf = (file: string) => Stream.fromIterable([Uint8Array.from(readFileSync(file))])

/** What an offline verifier finds wrong with a bundle. */
const failuresOf = async (file: string, anchorAddress: string | null = null) => {
  const report = await Effect.runPromise(
    Effect.provide(verifyEvidence(bytesOf(file), { anchorAddress }), layerTools)
  )
  return report.failed.map(({ code }) => code)
}

/** What it finds wrong between two. */
const failuresBetween = async (older: string, newer: string) => {
  const report = await Effect.runPromise(
    Effect.provide(compareEvidence(bytesOf(older), bytesOf(newer)), layerTools)
  )
  assert.deepStrictEqual(report.older.failed, [])
  return [...report.failed, ...report.newer.failed].map(({ code }) => code)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Cuts the log off after a sequence, and moves the head there. */
const cutAfter = (sequence: number): ReadonlyArray<string> => [
  `DELETE FROM event WHERE sequence > ${sequence}`,
  `UPDATE head SET sequence = ${sequence},
    event_hash = (SELECT event_hash FROM event WHERE sequence = ${sequence}),
    event_id = (SELECT id FROM event WHERE sequence = ${sequence}),
    created_at = (SELECT created_at FROM event WHERE sequence = ${sequence})`
]

/** Key of another account that the node gives a balance. */
const OTHER_KEY = "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"

/** Takes away what the service remembers of the log beside it. */
const forget = (...tables: ReadonlyArray<"anchor" | "checkpoint" | "tree_tile">): ReadonlyArray<string> =>
  tables.map((table) => `DELETE FROM ${table}`)

/** The same with every trace of an anchor. */
const forgetAnchors: ReadonlyArray<string> = [
  ...forget("anchor", "checkpoint", "tree_tile"),
  ...["anchor_nonce", "anchor_transaction", "anchor_submission"].map((table) => `DELETE FROM ${table}`)
]

/** Changes who did what from a sequence on, and computes every hash anew, as docs/HashFormat.md says. */
const rewrite = async (target: TestDatabase, workspaceId: string, from: number): Promise<void> => {
  const rows = await target.rows(
    `SELECT sequence, id, created_at, content, salt, previous_event_hash, event_hash FROM event WHERE sequence >= ${from} ORDER BY sequence`
  )
  const events = decodeEvents(
    rows.map((row) => ({ ...row, sequence: Number(row.sequence), created_at: Number(row.created_at) }))
  )
  let previous = events[0]?.previous_event_hash ?? null
  const statements: Array<string> = []
  for (const event of events) {
    const content = event.content.replace('"id":"ada"', '"id":"eve"')
    const content_hash = contentHashOf(event.salt, content)
    const event_hash = eventHashOf({
      content_hash,
      created_at: Micros.format(event.created_at),
      id: event.id,
      previous_event_hash: previous,
      sequence: event.sequence,
      workspace_id: workspaceId
    })
    statements.push(
      `UPDATE event SET content = ${quoted(content)}, content_hash = '${content_hash}', event_hash = '${event_hash}',
        previous_event_hash = ${previous === null ? "NULL" : `'${previous}'`} WHERE sequence = ${event.sequence}`
    )
    previous = event_hash
  }
  await target.run(...statements, `UPDATE head SET event_hash = '${previous}'`)
}

/** Gives the anchor the root and the hashes that its events have now. */
const fitAnchor = async (target: TestDatabase): Promise<void> => {
  const rows = await target.rows(
    `SELECT event_hash FROM event WHERE sequence <= (SELECT last_sequence FROM anchor) ORDER BY sequence`
  )
  const hashes = rows.map(({ event_hash }) => String(event_hash))
  await target.run(
    `UPDATE anchor SET merkle_root = '${rootOf(hashes)}', first_event_hash = '${hashes.at(0)}', last_event_hash = '${hashes.at(-1)}'`
  )
}

describe.each(DATABASES)("what is done to a log on %s by whoever holds the database and the key", (kind) => {
  const folder = temporaryFolder()
  const { newDatabase } = testDatabases(kind)
  const node = new Anvil({})
  const variables: Record<string, string> = { CAIRN_SECRET_KEY: Buffer.alloc(32, 3).toString("base64") }

  let honest: TestDatabase
  let tenant: Tenant
  /** What an auditor has: a bundle, a checkpoint, the id of an anchor. */
  const kept = { bundle: join(folder, "kept.cairn"), checkpoint: join(folder, "kept.txt"), anchorId: "" }

  /** A service on a database, for as long as `use` lasts. */
  const served = async <A>(target: TestDatabase, use: (client: ApiClient) => Promise<A>): Promise<A> => {
    const server = await startServer({ database: target.database, variables })
    try {
      return await use(apiClient(server.baseUrl, tenant.key))
    } finally {
      await server.stop()
    }
  }

  let files = 0
  const bundleOf = async (target: TestDatabase): Promise<string> => {
    const file = join(folder, `bundle-${++files}.cairn`)
    const { code, stderr } = await cairn(["evidence", "--output", file], {
      database: target.database,
      variables
    })
    assert.strictEqual(code, 0, stderr)
    return file
  }

  beforeAll(async () => {
    await node.start()
    Object.assign(variables, chainVariables(node.url))
    honest = await newDatabase()
    tenant = await makeTenant("Honest", { database: honest.database, variables })
    await served(honest, async (client) => {
      await append(client, EVENTS)
      kept.anchorId = (await anchor(node, client)).id
      await append(client, 10)
      const note = String((await client.get("/checkpoint")).body)
      assert.strictEqual(note.split("\n")[1], String(SIGNED))
      writeFileSync(kept.checkpoint, note)
    })
    await cairn(["evidence", "--output", kept.bundle], { database: honest.database, variables })
  })
  afterAll(() => node.dispose())

  /** A copy of the honest log with nothing in the way of an attacker. */
  const attacked = async (...statements: ReadonlyArray<string>): Promise<TestDatabase> => {
    const target = await honest.copy()
    await target.disarm()
    if (statements.length > 0) await target.run(...statements)
    // Whoever takes the checkpoint away takes away what is remembered of it and of the log in the other
    // places, too.
    if (statements.some((statement) => forget("checkpoint").includes(statement))) {
      await target.forgetEnds()
    }
    return target
  }

  /** What `cairn verify` says, and of a file that somebody kept. */
  const verify = async (target: TestDatabase, file?: string) => {
    const flags = file === undefined ? [] : ["--against", file]
    const { code, stdout } = await cairn(["verify", "--json", ...flags], {
      database: target.database,
      variables
    })
    const found = decodeVerified(stdout)
    assert.strictEqual(code, found.valid && found.store.sound && found.against?.agrees !== false ? 0 : 1)
    return found
  }

  /**
   * The log verifies by itself, and what an auditor kept says that it is another one. Gives what differs
   * between two bundles.
   */
  const assertOnlyTheAuditorKnows = async (target: TestDatabase) => {
    for (const file of [kept.checkpoint, kept.bundle]) {
      const { valid, against } = await verify(target, file)
      assert.deepStrictEqual([valid, against?.agrees], [true, false], against?.text)
    }
    const now = await bundleOf(target)
    assert.deepStrictEqual(await failuresOf(now), [])
    return failuresBetween(kept.bundle, now)
  }

  /** Every row on SQLite; on PostgreSQL those that come down to how a database is read. */
  const test = (title: string, where: "both" | "SQLite", body: () => Promise<void>) => {
    if (where === "both" || where === kind) it(title, { timeout: 300_000 }, body)
  }

  test("nothing: everybody agrees", "both", async () => {
    for (const file of [kept.checkpoint, kept.bundle]) {
      const { valid, against } = await verify(honest, file)
      assert.deepStrictEqual([valid, against?.agrees], [true, true], against?.text)
    }
    assert.deepStrictEqual(await failuresBetween(kept.bundle, await bundleOf(honest)), [])
  })

  test("the end cut off is found by whoever kept a longer checkpoint or bundle", "both", async () => {
    // Behind the anchor, which so still fits.
    const target = await attacked(...forget("checkpoint"), ...cutAfter(EVENTS + 5))
    assert.include(await assertOnlyTheAuditorKnows(target), "dropped_since")
  })

  test(
    "the end cut off is found by the checkpoint that the service remembers, over which it signs no other",
    "SQLite",
    async () => {
      const target = await attacked(...cutAfter(EVENTS + 5))
      await served(target, async (client) => {
        assert.strictEqual((await client.get("/checkpoint")).status, 503)
        const { valid, breaks } = await client.verify()
        assert.isFalse(valid)
        assert.deepStrictEqual(
          breaks.map(({ type }) => type),
          ["chain_break"]
        )
      })
    }
  )

  test(
    "the end cut off with that checkpoint is found by what is remembered of it beside the log",
    "both",
    async () => {
      const target = await attacked(...cutAfter(EVENTS + 5))
      await target.run(...forget("checkpoint"))
      await served(target, async (client) => {
        assert.strictEqual((await client.get("/checkpoint")).status, 503)
        assert.isFalse((await client.verify()).valid)
      })
    }
  )

  test(
    "the end cut off within an anchored period is found by the anchor, and without it by the chain",
    "SQLite",
    async () => {
      const cut = await attacked(...forget("checkpoint"), ...cutAfter(EVENTS - 50))
      assert.isFalse((await verify(cut)).valid)
      await served(cut, async (client) => {
        const { valid, chain_valid } = await verifyAnchor(client, kept.anchorId)
        assert.deepStrictEqual([valid, chain_valid], [false, true])
      })
      const anchorless = await attacked(...forgetAnchors, ...cutAfter(EVENTS - 50))
      // The account has sent a transaction that nobody here knows of.
      assert.strictEqual((await verify(anchorless)).unknown_transactions, 1)
      assert.include(await assertOnlyTheAuditorKnows(anchorless), "dropped_since")
    }
  )

  for (const tree of ["its stored tree too", "its stored tree left as it was"] as const) {
    test(
      `the whole log written anew, ${tree}, is found by a checkpoint, a bundle and the anchor`,
      tree === "its stored tree too" ? "SQLite" : "both",
      async () => {
        const target = await attacked(...forget("checkpoint"))
        await rewrite(target, tenant.workspaceId, 1)
        if (tree === "its stored tree too") await target.run(...forget("tree_tile"))
        // The anchor remembers the last event of its period.
        const { breaks } = await verify(target)
        assert.deepStrictEqual(
          breaks.map(({ type }) => type),
          ["chain_break"]
        )
        await fitAnchor(target)
        await served(target, async (client) => {
          assert.isTrue((await client.verify()).valid)
          // It has the root of the new log now, and the chain has that of the old one.
          const { valid, expected, actual, on_chain } = await verifyAnchor(client, kept.anchorId)
          assert.deepStrictEqual([valid, on_chain?.status], [false, "differs"])
          assert.strictEqual(expected, actual)
        })
        for (const file of [kept.checkpoint, kept.bundle]) {
          const { valid, against } = await verify(target, file)
          assert.deepStrictEqual([valid, against?.agrees], [true, false], against?.text)
        }
        const now = await bundleOf(target)
        assert.include(await failuresOf(now), "transaction_payload")
        assert.include(await failuresBetween(kept.bundle, now), "changed_since")
      }
    )
  }

  test(
    "the log written anew after its anchor is found by whoever kept a checkpoint or a bundle",
    "SQLite",
    async () => {
      const target = await attacked(...forget("checkpoint", "tree_tile"))
      await rewrite(target, tenant.workspaceId, EVENTS + 6)
      assert.include(await assertOnlyTheAuditorKnows(target), "changed_since")
    }
  )

  test(
    "a log shown to two auditors in two ways is found when they compare what they were shown",
    "both",
    async () => {
      const shown = async (target: TestDatabase, count: number) => {
        const checkpoint = join(folder, `shown-${count}.txt`)
        await served(target, async (client) => {
          await append(client, count)
          writeFileSync(checkpoint, String((await client.get("/checkpoint")).body))
        })
        return { target, bundle: await bundleOf(target), checkpoint }
      }
      const [one, other] = [await shown(await attacked(), 3), await shown(await attacked(), 4)]
      // Each is right by itself, and goes on from what was kept before.
      for (const { bundle } of [one, other]) {
        assert.deepStrictEqual(await failuresBetween(kept.bundle, bundle), [])
      }
      const between = await failuresBetween(one.bundle, other.bundle)
      assert.includeMembers(between, ["changed_since", "checkpoint_inconsistent"])
      // The checkpoint of one is enough to tell the log of the other.
      assert.isTrue((await verify(other.target, other.checkpoint)).against?.agrees)
      assert.isFalse((await verify(other.target, one.checkpoint)).against?.agrees)
    }
  )

  test(
    "a second chain of anchors by another account is found by whoever knows the account",
    "SQLite",
    async () => {
      const target = await attacked(...forgetAnchors)
      await rewrite(target, tenant.workspaceId, 1)
      const server = await startServer({
        database: target.database,
        variables: { ...variables, CAIRN_ANCHOR_PRIVATE_KEY: OTHER_KEY }
      })
      await anchor(node, apiClient(server.baseUrl, tenant.key))
      await server.stop()
      const hidden = await bundleOf(target)
      assert.deepStrictEqual(await failuresOf(hidden), [])
      assert.deepStrictEqual(await failuresOf(hidden, ACCOUNT), ["transaction_sender"])
    }
  )
})
