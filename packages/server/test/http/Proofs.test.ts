import { CheckpointSigner, Checkpoints } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { EventLog } from "@cairn/core/log"
import { ConsistencyProof, verifyConsistency } from "@cairn/core/merkle"
import { logIdOf, openCheckpoint, parseVerifierKey } from "@cairn/core/note"
import { EventProof, EventProofs, verifyEventProof, verifyProvenEvent } from "@cairn/core/proof"
import { BreakNotices, type LogVerificationStatus, SelfVerification } from "@cairn/core/verification"
import { portableEd25519 } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const CHECKPOINT = "/api/v1/checkpoint"

const decodeProof = Schema.decodeUnknownSync(EventProof)
const decodeProofs = Schema.decodeUnknownSync(EventProofs)
const decodeConsistency = Schema.decodeUnknownSync(ConsistencyProof)

/** Accepts and sequences `count` events; gives their ids. */
const accept = Effect.fnUntraced(function* (key: string, count: number) {
  const ids: Array<string> = []
  for (let rest = count; rest > 0; rest -= 100) {
    const events = Array.from({ length: Math.min(rest, 100) }, (_, index) => ({
      ...EVENT,
      metadata: { index }
    }))
    const answer = yield* send({ path: `${EVENTS}/batch`, key, body: { events } })
    for (const { id } of answer.json<{ events: ReadonlyArray<{ id: string }> }>().events) ids.push(id)
  }
  yield* sequence
  return ids
})

/** The checkpoint as an auditor reads it, who trusts the service's key. */
const readCheckpoint = Effect.fnUntraced(function* (key: string) {
  const response = yield* send({ path: CHECKPOINT, key })
  assert.strictEqual(response.status, 200, response.text)
  assert.match(String(response.headers["content-type"]), /^text\/plain/)
  const sha256 = yield* Sha256
  const keys = (yield* (yield* CheckpointSigner).list).map(({ verifierKey }) =>
    Result.getOrThrow(parseVerifierKey(sha256, verifierKey))
  )
  return Result.getOrThrow(openCheckpoint(portableEd25519, response.text, keys))
})

describe("GET /api/v1/checkpoint", () => {
  it.live("is a signed note with the log's id, size and root, which an auditor can open", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      assert.strictEqual((yield* readCheckpoint(key)).checkpoint.size, 0)
      yield* accept(key, 3)
      const { checkpoint, verified } = yield* readCheckpoint(key)
      assert.deepInclude(checkpoint, { origin: logIdOf(workspace.id), size: 3 })
      assert.lengthOf(verified, 1)
      const named = yield* makeTenant({ log_origin: "audit.example.com" })
      const { origin } = (yield* readCheckpoint(named.key)).checkpoint
      assert.strictEqual(origin, `audit.example.com/${named.workspace.id}`)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is signed by the key before too, once the key was rotated", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, 1)
      yield* readCheckpoint(key)
      yield* (yield* CheckpointSigner).rotate
      assert.lengthOf((yield* readCheckpoint(key)).verified, 2)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused for a log that is shorter than one that was signed, or other than it was", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, 4)
      const { newest, issue } = yield* Checkpoints
      yield* readCheckpoint(key)
      const signed = yield* Effect.flatMap(newest(workspace.id), Effect.fromOption)
      yield* issue(workspace.id, { ...signed, size: 9 })
      assert.strictEqual((yield* send({ path: CHECKPOINT, key })).status, 503)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused for a log whose signed part has changed", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, 4)
      yield* readCheckpoint(key)
      const { newest, issue } = yield* Checkpoints
      const signed = yield* Effect.flatMap(newest(workspace.id), Effect.fromOption)
      yield* issue(workspace.id, { ...signed, root: "0".repeat(64) })
      yield* accept(key, 1)
      assert.strictEqual((yield* send({ path: CHECKPOINT, key })).status, 503)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("needs the scope read", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { key } = yield* makeKey(workspace.id, ["ingest"])
      assert.strictEqual((yield* send({ path: CHECKPOINT, key })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("GET /api/v1/checkpoint/consistency", () => {
  it.live("proves that a later checkpoint grew out of an earlier one", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, 300)
      const earlier = (yield* readCheckpoint(key)).checkpoint
      yield* accept(key, 345)
      const later = (yield* readCheckpoint(key)).checkpoint
      const response = yield* send({ path: `${CHECKPOINT}/consistency?from=300&to=645`, key })
      const { data } = response.json<{ data: Record<string, unknown> }>()
      const proof = decodeConsistency({
        firstSize: data.first_size,
        secondSize: data.second_size,
        hashes: data.hashes
      })
      const result = verifyConsistency(yield* Sha256, earlier.root, later.root, proof)
      assert.isTrue(Result.isSuccess(result))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses sizes that the log has not reached, or in the wrong order, by name", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, 3)
      for (const [query, name] of [
        ["", "from"],
        ["from=0&to=3", "from"],
        ["from=1", "to"],
        ["from=1&to=x", "to"],
        ["from=3&to=2", "to"],
        ["from=1&to=4", "to"]
      ]) {
        const response = yield* send({ path: `${CHECKPOINT}/consistency?${query}`, key })
        assert.strictEqual(response.status, 400, query)
        assert.include(response.json().message, `${name}:`, query)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("GET /api/v1/events/{id}/proof", () => {
  it.live("proves each event of a log against its checkpoint", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const ids = yield* accept(key, 10)
      const sha256 = yield* Sha256
      for (const [index, id] of ids.entries()) {
        const response = yield* send({ path: `${EVENTS}/${id.toUpperCase()}/proof`, key })
        assert.strictEqual(response.status, 200, response.text)
        const proof = decodeProof(response.json())
        const checked = Result.getOrThrow(verifyEventProof(sha256, proof))
        assert.isTrue(checked.content)
        assert.deepInclude(proof.header, { id, workspace_id: workspace.id, sequence: index + 1 })
        const event = (yield* send({ path: `${EVENTS}/${id}`, key })).json<{
          integrity: { event_hash: string }
        }>()
        assert.strictEqual(checked.eventHash, event.integrity.event_hash)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("proves an event into its anchor once there is one, of whatever size its period is", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const sha256 = yield* Sha256
      const ids: Array<string> = []
      for (const count of [1, 700, 3]) {
        ids.push(...(yield* accept(key, count)))
        yield* send({ path: "/api/v1/anchors", key, method: "POST" })
      }
      const later = yield* accept(key, 1)
      for (const at of [0, 1, 256, 257, 512, 513, 600, 700, 701, 703]) {
        const response = yield* send({ path: `${EVENTS}/${ids[at]}/proof`, key })
        const proof = decodeProof(response.json())
        const checked = Result.getOrThrow(verifyEventProof(sha256, proof))
        assert.strictEqual(checked.anchorId, proof.anchored?.anchor.id, String(at))
        const period = at < 1 ? [0, 1] : at < 701 ? [1, 700] : [701, 3]
        assert.deepStrictEqual(
          [at - (proof.anchored?.leaf_index ?? -1), proof.anchored?.anchor.events_count],
          period
        )
      }
      const open = decodeProof((yield* send({ path: `${EVENTS}/${later[0]}/proof`, key })).json())
      assert.isNull(open.anchored)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 404 for an event that does not exist, waits for its place, or is another workspace's", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant()
      const [theirs = ""] = yield* accept(other.key, 1)
      const waiting = (yield* send({ path: EVENTS, key, body: EVENT })).json<{ id: string }>().id
      for (const id of [theirs, waiting, "00000000-0000-4000-8000-000000000000", "nothing"]) {
        assert.strictEqual((yield* send({ path: `${EVENTS}/${id}/proof`, key })).status, 404, id)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("POST /api/v1/events/proofs", () => {
  it.live("proves a page under one checkpoint, and leaves out what is not there", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant()
      const ids = yield* accept(key, 100)
      const [theirs = ""] = yield* accept(other.key, 1)
      const body = { ids: [...ids.slice(1), theirs] }
      const response = yield* send({ path: `${EVENTS}/proofs`, key, body })
      assert.strictEqual(response.status, 200, response.text)
      const proofs = decodeProofs(response.json())
      assert.deepStrictEqual(
        proofs.events.map(({ header }) => header.id),
        ids.slice(1)
      )
      const { checkpoint } = yield* readCheckpoint(key)
      const sha256 = yield* Sha256
      for (const event of proofs.events) {
        assert.isTrue(Result.isSuccess(verifyProvenEvent(sha256, checkpoint, event)))
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows an event whose stored content was changed for what it is", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const [id = ""] = yield* accept(key, 1)
      const proof = decodeProof((yield* send({ path: `${EVENTS}/${id}/proof`, key })).json())
      const changed = { ...proof, content: { ...proof.content, action: "nothing.happened" } }
      const result = verifyEventProof(yield* Sha256, changed)
      assert.isTrue(Result.isFailure(result))
      assert.strictEqual((yield* (yield* EventLog).head(workspace.id)).sequence, 1)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses a body that is no list of up to a hundred ids, by name", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const id = "00000000-0000-4000-8000-000000000000"
      for (const [body, status, message] of [
        [{}, 422, "ids:"],
        [{ ids: [] }, 422, "ids:"],
        [{ ids: Array.from({ length: 101 }, () => id) }, 422, "ids:"],
        [{ ids: [id, "x"] }, 422, "ids[1]:"],
        [{ ids: [7] }, 422, "ids[0]:"],
        ["no json", 400, "JSON"]
      ] as const) {
        const response = yield* send({ path: `${EVENTS}/proofs`, key, body })
        assert.strictEqual(response.status, status, JSON.stringify(body))
        assert.include(response.json().message, message)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("GET /api/v1/verification", () => {
  const verification = SelfVerification.layer({ every: Micros.DAY }).pipe(
    Layer.provide(Layer.succeed(BreakNotices, { of: () => Effect.succeed([]) }))
  )
  const get = Effect.fnUntraced(function* (key: string) {
    const response = yield* send({ path: "/api/v1/verification", key })
    assert.strictEqual(response.status, 200, response.text)
    return response.json<{ data: LogVerificationStatus }>().data
  })

  it.live("says how far the service itself has come in this log, and what it found", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const other = yield* makeTenant()
      const ids = yield* accept(key, 4)
      yield* accept(other.key, 2)
      assert.deepInclude(yield* get(key), {
        valid: true,
        complete: false,
        sequence: 0,
        total: 4,
        began_at: null,
        reached_end_at: null,
        paused: false
      })
      const { advance } = yield* SelfVerification
      yield* advance(workspace.id)
      const whole = yield* get(key)
      assert.deepInclude(whole, { valid: true, complete: true, sequence: 4, events_checked: 4, findings: [] })
      assert.isString(whole.reached_end_at)
      assert.isNull((yield* get(other.key)).began_at)

      const { newest, issue } = yield* Checkpoints
      yield* readCheckpoint(key)
      const signed = yield* Effect.flatMap(newest(workspace.id), Effect.fromOption)
      yield* issue(workspace.id, { ...signed, size: 9 })
      yield* advance(workspace.id)
      const broken = yield* get(key)
      assert.deepInclude(broken, { valid: false, findings_total: 1 })
      assert.deepInclude(broken.findings[0], { event_id: ids[3] ?? "", type: "chain_break" })
      assert.isString(broken.findings[0]?.found_at)
    }).pipe(Effect.provide(Layer.provideMerge(verification, testServer())))
  )

  it.live("is for who may verify", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { key } = yield* makeKey(workspace.id, ["ingest"])
      assert.strictEqual((yield* send({ path: "/api/v1/verification", key })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )
})
