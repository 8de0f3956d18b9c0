/**
 * The interface's table of `valid` and `chain_valid`, each row produced by changing a real database behind
 * the service's back.
 */
import type { AnchorDetail, AnchorVerification, OnChain } from "@cairn/core/anchor"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Anvil } from "../../../anchor-base/test/Anvil.ts"
import { anchor, append, chainVariables, verifyAnchor } from "../support/AnchoredLog.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server, startServer } from "../support/CairnProcess.ts"
import { DATABASES, type TestDatabase, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Events of the second of three anchors: the first holds two of the workspace's own and three more. */
const [FIRST, MIDDLE, LAST] = [6, 7, 8]
/** The newest event; the third anchor holds it and the two before. */
const NEWEST = 11

type Statements = ReadonlyArray<string>

/** Makes room for an event at a sequence. From the end on: no two events ever have one sequence. */
const shiftedFrom = (sequence: number): Statements =>
  Array.from(
    { length: NEWEST - sequence + 1 },
    (_, back) => `UPDATE event SET sequence = ${NEWEST - back + 1} WHERE sequence = ${NEWEST - back}`
  )

/** A copy of an event at another place, dated just before it: no two have one date. */
const copied = (from: number, to: number): string => `
  INSERT INTO event (workspace, sequence, id, created_at, content, salt, content_hash, previous_event_hash, event_hash)
  SELECT workspace, ${to}, '00000000-0000-4000-8000-000000000000', created_at - 1, content, salt, content_hash,
    previous_event_hash, event_hash FROM event WHERE sequence = ${from}`

const zeros = "0".repeat(64)
const changed = `UPDATE event SET content = replace(content, '"ada"', '"eve"') WHERE sequence = ${MIDDLE}`

/** Events of the second anchor that were modified, inserted or deleted. */
const EVENTS: Record<string, Statements> = {
  "a content is changed": [changed],
  "a salt is changed": [`UPDATE event SET salt = '${"0".repeat(32)}' WHERE sequence = ${MIDDLE}`],
  "a time is changed": [`UPDATE event SET created_at = created_at + 10 WHERE sequence = ${MIDDLE}`],
  "a stored hash is changed": [`UPDATE event SET event_hash = '${zeros}' WHERE sequence = ${MIDDLE}`],
  "a content is removed without a record of it": [
    `UPDATE event SET content = NULL, salt = NULL WHERE sequence = ${MIDDLE}`
  ],
  "the first event is deleted": [`DELETE FROM event WHERE sequence = ${FIRST}`],
  "an event in the middle is deleted": [`DELETE FROM event WHERE sequence = ${MIDDLE}`],
  "the last event is deleted": [`DELETE FROM event WHERE sequence = ${LAST}`],
  "an event is inserted": [...shiftedFrom(MIDDLE), copied(FIRST, MIDDLE)],
  "an event is exchanged for another": [
    `DELETE FROM event WHERE sequence = ${MIDDLE}`,
    copied(FIRST, MIDDLE)
  ],
  "two events change places": [
    `UPDATE event SET sequence = 1000 WHERE sequence = ${FIRST}`,
    `UPDATE event SET sequence = ${FIRST} WHERE sequence = ${MIDDLE}`,
    `UPDATE event SET sequence = ${MIDDLE} WHERE sequence = 1000`
  ]
}

/** The anchor before the second one, modified or deleted. */
const PRECEDING: Record<string, Statements> = {
  "the preceding anchor is deleted": ["DELETE FROM anchor WHERE ordinal = 1"],
  "the preceding anchor's root is changed": [`UPDATE anchor SET merkle_root = '${zeros}' WHERE ordinal = 1`],
  "the preceding anchor's transaction is changed": [
    `UPDATE anchor SET tx_hash = '0x${zeros}' WHERE ordinal = 1`
  ]
}

describe.each(DATABASES)("GET /api/v1/anchors/{id}/verify, of a tampered database on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)
  const node = new Anvil({})
  let base: TestDatabase
  let server: Server
  let client: ApiClient
  const anchors: Array<AnchorDetail> = []

  beforeAll(async () => {
    await node.start()
    base = await newDatabase()
    const { database } = base
    const variables = chainVariables(node.url)
    const tenant = await makeTenant("Anchors", { database, variables })
    server = await startServer({ database, variables })
    client = apiClient(server.baseUrl, tenant.key)
    for (let period = 0; period < 3; period++) {
      await append(client, 3)
      anchors.push(await anchor(node, client))
    }
    assert.deepStrictEqual(
      anchors.map(({ events_count }) => events_count),
      [5, 3, 3]
    )
    await base.disarm()
  })
  afterAll(async () => {
    await server?.stop()
    await node.dispose()
  })

  interface Verdict {
    readonly valid: boolean
    readonly chain_valid: boolean
    readonly on_chain: OnChain["status"] | undefined
  }

  const verdict = (found: AnchorVerification): Verdict => ({
    valid: found.valid,
    chain_valid: found.chain_valid,
    on_chain: found.on_chain?.status
  })
  const intact: Verdict = { valid: true, chain_valid: true, on_chain: "matches" }

  const verify = (ordinal: number) => verifyAnchor(client, anchors[ordinal - 1]?.id ?? "")

  /** What `look` sees while the database is tampered with. It is put back as it was. */
  const tampered = async <A>(statements: Statements, look: () => Promise<A>): Promise<A> => {
    await base.run(
      "CREATE TABLE kept_event AS SELECT * FROM event",
      "CREATE TABLE kept_anchor AS SELECT * FROM anchor"
    )
    try {
      await base.run(...statements)
      return await look()
    } finally {
      await base.run(
        ...["DELETE FROM event", "INSERT INTO event SELECT * FROM kept_event", "DROP TABLE kept_event"],
        ...["DELETE FROM anchor", "INSERT INTO anchor SELECT * FROM kept_anchor", "DROP TABLE kept_anchor"]
      )
    }
  }

  /** Nothing that a test did remains. */
  const assertIntact = async () => {
    for (const ordinal of [1, 2, 3]) assert.deepStrictEqual(verdict(await verify(ordinal)), intact)
  }

  it("is true and true of anchors and events that are intact", async () => {
    await assertIntact()
    const found = await verify(2)
    assert.strictEqual(found.expected, found.merkle_root)
    assert.strictEqual(found.tx_hash, anchors[1]?.tx_hash)
  })

  for (const [what, statements] of Object.entries(EVENTS)) {
    it(`is false and true when ${what}, of no other anchor before it`, async () => {
      await tampered(statements, async () => {
        const found = await verify(2)
        assert.deepStrictEqual(verdict(found), { ...intact, valid: false })
        assert.strictEqual(found.actual, anchors[1]?.merkle_root)
        assert.notStrictEqual(found.expected, found.actual)
        assert.deepStrictEqual(verdict(await verify(1)), intact)
      })
      await assertIntact()
    })
  }

  for (const [what, statements] of Object.entries(PRECEDING)) {
    it(`is true and false when ${what}, of no anchor after the next`, async () => {
      await tampered(statements, async () => {
        assert.deepStrictEqual(verdict(await verify(2)), { ...intact, chain_valid: false })
        assert.deepStrictEqual(verdict(await verify(3)), intact)
      })
      await assertIntact()
    })

    it(`is false and false when ${what} and a content is changed`, async () => {
      await tampered([...statements, changed], async () => {
        const found = await verify(2)
        assert.deepStrictEqual(verdict(found), { ...intact, valid: false, chain_valid: false })
      })
    })
  }

  it("is true and false when the link to the preceding anchor is changed, which the chain has otherwise", async () => {
    await tampered([`UPDATE anchor SET previous_anchor_hash = '${zeros}' WHERE ordinal = 2`], async () => {
      assert.deepStrictEqual(verdict(await verify(2)), {
        valid: true,
        chain_valid: false,
        on_chain: "differs"
      })
    })
  })

  it("is false and true when the anchor's own root is changed, which the chain has otherwise", async () => {
    await tampered([`UPDATE anchor SET merkle_root = '${zeros}' WHERE ordinal = 2`], async () => {
      assert.deepStrictEqual(verdict(await verify(2)), {
        valid: false,
        chain_valid: true,
        on_chain: "differs"
      })
      // To the anchor after it, it is the preceding one.
      assert.deepStrictEqual(verdict(await verify(3)), { ...intact, chain_valid: false })
    })
  })

  it("says the same while no node answers, and that none did", async () => {
    await node.hang()
    try {
      await tampered([changed], async () => {
        const found = await verify(2)
        assert.deepStrictEqual(verdict(found), {
          valid: false,
          chain_valid: true,
          on_chain: "unreachable"
        })
      })
    } finally {
      node.wake()
    }
  })
})
