import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import type { EventInput } from "@cairn/core/event"
import { type ChainBreak, ChainVerification } from "@cairn/core/verification"
import { wholeVerification } from "@cairn/testing"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ApiClient, apiClient, type Query } from "../support/ApiClient.ts"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { seedDatabase } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** A row as the tests look at it before and after. */
const Row = Schema.Struct({
  sequence: Schema.Number,
  id: Schema.String,
  created_at: Schema.Number,
  content: Schema.String,
  salt: Schema.String,
  content_hash: Schema.String,
  previous_event_hash: Schema.NullOr(Schema.String),
  event_hash: Schema.String
})
type Row = typeof Row.Type
const decodeRows = Schema.decodeUnknownSync(Schema.Array(Row))
const decodeVerification = Schema.decodeUnknownSync(ChainVerification)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The format of docs/HashFormat.md, written once more. */
const hashContent = ({ salt, content }: Pick<Row, "salt" | "content">): string =>
  sha256(`cairn.content.v1\n${salt}\n${content}`)
const moment = (micros: number): string =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, "0")}Z`
const hashEvent = (workspaceId: string, row: Row): string =>
  sha256(
    `cairn.event.v1\n${JSON.stringify({
      content_hash: hashContent(row),
      created_at: moment(row.created_at),
      id: row.id,
      previous_event_hash: row.previous_event_hash,
      sequence: row.sequence,
      v: 1,
      workspace_id: workspaceId
    })}`
  )

/** Another character in the place of one, so that exactly one byte differs. */
const flip = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`

const EVENTS: ReadonlyArray<EventInput> = Array.from({ length: 8 }, (_, index) => ({
  actor_id: `actor-${index}`,
  action: `thing.changed.${index}`,
  resource: "thing",
  resource_id: `thing-${index}`,
  tenant_id: `tenant-${index}`,
  session_id: `session-${index}`,
  metadata: { note: `note 0${index}` },
  targets: [
    { type: "folder", id: `folder-${index}`, name: "A folder" },
    { type: "user", id: `user-${index}` }
  ]
}))
/** Two events more: that of the workspace, and that of its key. */
const LENGTH = EVENTS.length + 2
/** The event that is tampered with, somewhere in the middle. */
const VICTIM = 6

/** What there is before the tampering, and what it is done with. */
interface Scene {
  readonly workspaceId: string
  /** The event with a sequence, as it was. */
  readonly row: (sequence: number) => Row
  /** Runs a statement; `:workspace` is the workspace's number. */
  readonly run: (sql: string, values?: Record<string, SQLInputValue>) => void
  /** Sets columns of one event. */
  readonly set: (sequence: number, columns: Record<string, SQLInputValue>) => void
  /** The hash an event would have with other values. */
  readonly hashOf: (row: Row) => string
}

type Break = readonly [type: ChainBreak["type"], eventId: string, expected: string, actual: string]

/**
 * One way to tamper, and the breaks that must be reported: all of them, or those with which the report
 * begins.
 */
interface Tampering {
  readonly tamper: (scene: Scene) => ReadonlyArray<Break>
  readonly query?: (scene: Scene) => Query
  readonly first?: true
  /** Held by the command too. */
  readonly command?: true
}

/** One byte of one field that the hash covers. */
const field = (change: (victim: Row) => Partial<Row>): Tampering => ({
  tamper: ({ row, set, hashOf }) => {
    const victim = row(VICTIM)
    const forged = { ...victim, ...change(victim) }
    set(VICTIM, { ...change(victim) })
    return [["hash_mismatch", forged.id, hashOf(forged), victim.event_hash]]
  }
})

const INSERT = `INSERT INTO event (workspace, sequence, id, created_at, content, salt, content_hash, previous_event_hash,
  event_hash)
  SELECT workspace, :sequence, :id, :created_at, content, salt, content_hash, :previous, :hash
  FROM event WHERE workspace = :workspace AND sequence = 1`

const FORGED_ID = "00000000-0000-4000-8000-000000000000"

/** A well-made event out of the first one's content: its hashes are right, only it never was accepted. */
const forge = ({ row, hashOf, run, workspaceId }: Scene, sequence: number, createdAt: number): Row => {
  const id = FORGED_ID.replace(/^0{8}/, workspaceId.slice(4, 12))
  const forged = {
    ...row(1),
    sequence,
    id,
    created_at: createdAt,
    previous_event_hash: row(sequence - 1).event_hash
  }
  const event_hash = hashOf(forged)
  run(INSERT, { sequence, id, created_at: createdAt, previous: forged.previous_event_hash, hash: event_hash })
  return { ...forged, event_hash }
}

/** Moves the events from a sequence on by one place. */
const shift = ({ run }: Scene, from: number): void => {
  for (let sequence = LENGTH; sequence >= from; sequence--) {
    run("UPDATE event SET sequence = :to WHERE workspace = :workspace AND sequence = :sequence", {
      sequence,
      to: sequence + 1
    })
  }
}

const remove = ({ run }: Scene, from: number, to: number): void => {
  run("DELETE FROM event WHERE workspace = :workspace AND sequence BETWEEN :from AND :to", { from, to })
}

const TAMPERINGS: Record<string, Tampering> = {
  "one byte of a content": {
    ...field(({ content }) => ({ content: flip(content, content.indexOf("note 0") + 5) })),
    command: true
  },
  "one byte of a content, so that it is no JSON any more": field(({ content }) => ({
    content: flip(content, 0)
  })),
  "one digit of a salt": field(({ salt }) => ({ salt: flip(salt, 0) })),
  "the recording time, by some microseconds": field(({ created_at }) => ({
    created_at: created_at + LENGTH
  })),
  "one digit of an id": field(({ id }) => ({ id: flip(id, 35) })),
  "a content that is taken away": {
    tamper: ({ row, run, workspaceId }) => {
      const victim = row(VICTIM)
      run("UPDATE event SET content = NULL, salt = NULL WHERE workspace = :workspace AND sequence = 6")
      const expected = sha256(
        `cairn.event.v1\n${JSON.stringify({
          content_hash: "",
          created_at: moment(victim.created_at),
          id: victim.id,
          previous_event_hash: victim.previous_event_hash,
          sequence: VICTIM,
          v: 1,
          workspace_id: workspaceId
        })}`
      )
      return [["hash_mismatch", victim.id, expected, victim.event_hash]]
    }
  },
  "one digit of a content_hash": {
    tamper: ({ row, set }) => {
      const victim = row(VICTIM)
      set(VICTIM, { content_hash: flip(victim.content_hash, 0) })
      return [["hash_mismatch", victim.id, victim.content_hash, flip(victim.content_hash, 0)]]
    }
  },
  "one digit of an event_hash": {
    command: true,
    tamper: ({ row, set }) => {
      const victim = row(VICTIM)
      const forged = flip(victim.event_hash, 0)
      set(VICTIM, { event_hash: forged })
      return [
        ["hash_mismatch", victim.id, victim.event_hash, forged],
        ["chain_break", row(VICTIM + 1).id, forged, victim.event_hash]
      ]
    }
  },
  "one digit of the event_hash before the moment from which is verified": {
    query: ({ row }) => ({ from: moment(row(VICTIM + 1).created_at) }),
    tamper: ({ row, set }) => {
      const victim = row(VICTIM)
      const forged = flip(victim.event_hash, 0)
      set(VICTIM, { event_hash: forged })
      // What the first event links to is checked as well, so the one that was really changed is named too.
      return [
        ["hash_mismatch", victim.id, victim.event_hash, forged],
        ["chain_break", row(VICTIM + 1).id, forged, victim.event_hash]
      ]
    }
  },
  "one digit of the last event_hash": {
    tamper: ({ row, set }) => {
      const last = row(LENGTH)
      const forged = flip(last.event_hash, 0)
      set(LENGTH, { event_hash: forged })
      return [
        ["hash_mismatch", last.id, last.event_hash, forged],
        ["chain_break", last.id, last.event_hash, forged]
      ]
    }
  },
  "one digit of a previous_event_hash": {
    command: true,
    tamper: ({ row, set }) => {
      const victim = row(VICTIM)
      const before = row(VICTIM - 1).event_hash
      set(VICTIM, { previous_event_hash: flip(before, 63) })
      return [["chain_break", victim.id, before, flip(before, 63)]]
    }
  },
  "a content with all the hashes of its event made to match": {
    tamper: ({ row, set, hashOf }) => {
      const victim = row(VICTIM)
      const forged = { ...victim, content: flip(victim.content, victim.content.indexOf("note 0") + 5) }
      const event_hash = hashOf(forged)
      set(VICTIM, { content: forged.content, content_hash: hashContent(forged), event_hash })
      return [["chain_break", row(VICTIM + 1).id, event_hash, victim.event_hash]]
    }
  },
  "a deleted row": {
    command: true,
    tamper: (scene) => {
      remove(scene, VICTIM, VICTIM)
      const { row } = scene
      return [["chain_break", row(VICTIM + 1).id, row(VICTIM - 1).event_hash, row(VICTIM).event_hash]]
    }
  },
  "a deleted first row": {
    tamper: (scene) => {
      remove(scene, 1, 1)
      return [["chain_break", scene.row(2).id, "", scene.row(1).event_hash]]
    }
  },
  "a deleted row whose neighbours close the gap": {
    first: true,
    tamper: (scene) => {
      const { row, run } = scene
      remove(scene, VICTIM, VICTIM)
      run("UPDATE event SET sequence = 6 WHERE workspace = :workspace AND sequence = 7")
      return [["chain_break", row(7).id, row(5).event_hash, row(6).event_hash]]
    }
  },
  "a well-made row that is put in": {
    first: true,
    command: true,
    tamper: (scene) => {
      const { row } = scene
      shift(scene, VICTIM)
      const forged = forge(scene, VICTIM, row(VICTIM).created_at - 1_000)
      return [["chain_break", row(VICTIM).id, forged.event_hash, row(VICTIM - 1).event_hash]]
    }
  },
  "a well-made row that is put at the end": {
    tamper: (scene) => {
      const last = scene.row(LENGTH)
      const forged = forge(scene, LENGTH + 1, last.created_at + 1_000)
      return [["chain_break", forged.id, last.event_hash, forged.event_hash]]
    }
  },
  "a row without hashes after the chain began": {
    first: true,
    tamper: ({ row, run, workspaceId }) => {
      const id = FORGED_ID.replace(/^0{8}/, workspaceId.slice(4, 12))
      const last = row(LENGTH)
      run(INSERT, {
        sequence: LENGTH + 1,
        id,
        created_at: last.created_at + 1_000,
        previous: null,
        hash: null
      })
      return [["chain_break", id, last.event_hash, ""]]
    }
  },
  "two rows that change places": {
    command: true,
    first: true,
    tamper: ({ row, run }) => {
      const move = "UPDATE event SET sequence = :to WHERE workspace = :workspace AND sequence = :sequence"
      run(move, { sequence: VICTIM, to: 1_000 })
      run(move, { sequence: VICTIM + 1, to: VICTIM })
      run(move, { sequence: 1_000, to: VICTIM + 1 })
      return [["chain_break", row(VICTIM + 1).id, row(VICTIM - 1).event_hash, row(VICTIM).event_hash]]
    }
  },
  "two rows whose contents change places": {
    tamper: ({ row, set, hashOf }) => {
      const [a, b] = [row(VICTIM), row(VICTIM + 1)]
      set(VICTIM, { content: b.content, salt: b.salt, content_hash: b.content_hash })
      set(VICTIM + 1, { content: a.content, salt: a.salt, content_hash: a.content_hash })
      return [
        ["hash_mismatch", a.id, hashOf({ ...a, content: b.content, salt: b.salt }), a.event_hash],
        ["hash_mismatch", b.id, hashOf({ ...b, content: a.content, salt: a.salt }), b.event_hash]
      ]
    }
  },
  "the end, cut off": {
    command: true,
    tamper: (scene) => {
      const { row } = scene
      remove(scene, LENGTH - 2, LENGTH)
      const left = row(LENGTH - 3)
      return [["chain_break", left.id, row(LENGTH).event_hash, left.event_hash]]
    }
  },
  "everything, deleted": {
    tamper: (scene) => {
      remove(scene, 1, LENGTH)
      const last = scene.row(LENGTH)
      return [["chain_break", last.id, last.event_hash, ""]]
    }
  },
  "the head's hash": {
    tamper: ({ row, run }) => {
      const last = row(LENGTH)
      const forged = flip(last.event_hash, 0)
      run("UPDATE head SET event_hash = :forged WHERE workspace = :workspace", { forged })
      return [["chain_break", last.id, forged, last.event_hash]]
    }
  }
}

describe("tampering behind the service's back", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  /** By tampering: what is to be reported, and by whose key it is asked for. */
  const expected = new Map<
    string,
    {
      readonly workspaceId: string
      readonly breaks: ReadonlyArray<Break>
      readonly query: Query
      readonly client: () => ApiClient
    }
  >()
  let baseUrl = ""

  beforeAll(async () => {
    const names = [...Object.keys(TAMPERINGS), "nothing"]
    const tenants = await seedDatabase(
      database,
      names.map((name) => ({ name, events: EVENTS }))
    )
    const db = new DatabaseSync(database)
    for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) {
      db.exec(`DROP TRIGGER ${name}`)
    }
    for (const [index, name] of names.entries()) {
      const { workspaceId, key } = tenants[index] ?? { workspaceId: "", key: "" }
      const workspace = Number(
        db.prepare("SELECT number FROM workspace WHERE id = ?").get(workspaceId)?.number
      )
      const rows = decodeRows(
        db.prepare("SELECT * FROM event WHERE workspace = ? ORDER BY sequence").all(workspace)
      )
      const hashOf = (row: Row) => hashEvent(workspaceId, row)
      assert.deepStrictEqual(
        rows.map(({ event_hash }) => event_hash),
        rows.map(hashOf),
        "before the tampering every hash is that of the documented format"
      )
      const run = (sql: string, values: Record<string, SQLInputValue> = {}) => {
        const { changes } = db.prepare(sql).run({ workspace, ...values })
        return changes
      }
      const scene: Scene = {
        workspaceId,
        hashOf,
        row: (sequence) => {
          const row = rows[sequence - 1]
          if (row === undefined) throw new Error(`there is no event ${sequence}`)
          return row
        },
        run,
        set: (sequence, columns) => {
          const assignments = Object.keys(columns).map((column) => `${column} = :${column}`)
          const sql = `UPDATE event SET ${assignments.join(", ")} WHERE workspace = :workspace AND sequence = :at`
          assert.strictEqual(Number(run(sql, { ...columns, at: sequence })), 1)
        }
      }
      const tampering = TAMPERINGS[name]
      expected.set(name, {
        workspaceId,
        breaks: tampering?.tamper(scene) ?? [],
        query: tampering?.query?.(scene) ?? {},
        client: () => apiClient(baseUrl, key)
      })
    }
    db.close()
    baseUrl = (await startServer({ database })).baseUrl
  })

  const of = (name: string) => {
    const found = expected.get(name)
    if (found === undefined) throw new Error(`no tampering ${name}`)
    return found
  }

  const holdAgainst = (name: string, found: ChainVerification) => {
    const { breaks } = of(name)
    const told = found.breaks.map(
      ({ type, event_id, expected_hash, actual_hash }): Break => [type, event_id, expected_hash, actual_hash]
    )
    const { first } = TAMPERINGS[name] ?? {}
    assert.deepStrictEqual(first === true ? told.slice(0, breaks.length) : told, breaks)
    assert.strictEqual(found.valid, breaks.length === 0)
  }

  it("finds nothing in the workspace next door", async () => {
    const verification = await of("nothing").client().verify()
    assert.deepStrictEqual(verification, wholeVerification(LENGTH))
  })

  for (const name of Object.keys(TAMPERINGS)) {
    it(`finds ${name}`, async () => {
      const { client, query } = of(name)
      holdAgainst(name, await client().verify(query))
    })
  }

  /** Asks for part after part, each from where the one before says. */
  const goOn = async (client: ApiClient, query: Query, most: number) => {
    const parts: Array<ChainVerification> = []
    for (let from = query.from; ; ) {
      const part = await client.verify(from === undefined ? query : { ...query, from })
      parts.push(part)
      if (part.next === null) return parts
      assert.isBelow(parts.length, most, "there is no end to it")
      from = part.next
    }
  }

  it("finds the same in parts, at any limit", { timeout: 60_000 }, async () => {
    for (const name of Object.keys(TAMPERINGS)) {
      const { client, query } = of(name)
      const whole = await client().verify(query)
      for (const limit of [1, 2, 3, 10]) {
        const parts = await goOn(client(), { ...query, limit }, LENGTH + 2)
        const told = new Set(parts.flatMap(({ breaks }) => breaks.map((each) => JSON.stringify(each))))
        const all = new Set(whole.breaks.map((each) => JSON.stringify(each)))
        assert.sameMembers([...told], [...all], `${name}, ${limit}`)
      }
    }
  })

  it("finds the same by the command, which then fails", { timeout: 60_000 }, async () => {
    const names = Object.keys(TAMPERINGS).filter((name) => TAMPERINGS[name]?.command === true)
    const verify = async (name: string) => {
      const { workspaceId } = of(name)
      const { code, stdout } = await cairn(["verify", "--workspace", workspaceId, "--json"], { database })
      assert.strictEqual(code, 1, name)
      holdAgainst(name, decodeVerification(JSON.parse(stdout)))
    }
    assert.isAbove(names.length, 3)
    for (let at = 0; at < names.length; at += 2) await Promise.all(names.slice(at, at + 2).map(verify))
  })
})

describe("a log that is longer than one answer verifies", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  const TOTAL = 10_528
  const ALTERED = 10_500
  let client: ApiClient
  let altered = ""

  beforeAll(async () => {
    const [event = { actor_id: "ada", action: "doc.read" }] = EVENTS
    const events = Array<EventInput>(TOTAL - 2).fill(event)
    const [tenant] = await seedDatabase(database, [{ name: "long", events }])
    const db = new DatabaseSync(database)
    db.exec("DROP TRIGGER event_is_never_changed")
    db.prepare("UPDATE event SET salt = ? WHERE sequence = ?").run("0".repeat(32), ALTERED)
    altered = String(db.prepare("SELECT id FROM event WHERE sequence = ?").get(ALTERED)?.id)
    db.close()
    const { baseUrl } = await startServer({ database })
    client = apiClient(baseUrl, tenant?.key ?? "")
  }, 120_000)

  it("says that it is not the whole, and with what to go on, which finds the end altered", async () => {
    const first = await client.verify({ limit: 10_000 })
    assert.deepInclude(first, {
      valid: true,
      events_checked: 10_000,
      breaks: [],
      complete: false,
      total: TOTAL
    })
    const rest = await client.verify({ limit: 10_000, from: first.next ?? "" })
    assert.deepInclude(rest, { valid: false, events_checked: 528, complete: true, total: 528, next: null })
    assert.deepStrictEqual(
      rest.breaks.map(({ type, event_id }) => [type, event_id]),
      [["hash_mismatch", altered]]
    )
  })

  it("is gone through by the command, which calls no part of it whole", { timeout: 60_000 }, async () => {
    const whole = await cairn(["verify"], { database })
    assert.strictEqual(whole.code, 1)
    assert.match(whole.stdout, /^BROKEN: 10,528 events checked, 1 break\nhash_mismatch at /)
    const part = await cairn(["verify", "--limit", "10000"], { database })
    assert.strictEqual(part.code, 0)
    const [words = "", goOn = ""] = part.stdout.split("\n")
    assert.strictEqual(words, "NOT ALL: first 10,000 of 10,528 checked, no break in those")
    const from = goOn.replace("continue with --from ", "")
    const rest = await cairn(["verify", "--from", from, "--json"], { database })
    assert.strictEqual(rest.code, 1)
    assert.deepInclude(JSON.parse(rest.stdout), { valid: false, events_checked: 528, complete: true })
  })
})
