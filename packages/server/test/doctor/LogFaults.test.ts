/** Faults of keys and of what is in the logs, each found by one check and by no other. */
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { secretKeyFile, siblingFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { type Fault, inFile, planted } from "./Planting.ts"
import { assertFound, assertHealthy, copyFiles, examine, useWard } from "./Ward.ts"

killLeftovers()

const ward = useWard()
const { root, original } = ward

const otherKey = Buffer.alloc(32, 9).toString("base64")

/** `wsp_…` of the only workspace. */
const WORKSPACE = "(SELECT workspace_id FROM consumer_row LIMIT 1)"

const OF_LOGS: ReadonlyArray<Fault> = [
  {
    name: "a key that does not open what is sealed",
    plant: () => ({ variables: { CAIRN_SECRET_KEY: otherKey } }),
    check: "secret-key",
    cause:
      /no key that is here opens what was sealed with [0-9a-f]{8}, which sealed 1 webhook secret, 1 log stream secret/,
    mend: /add it after a comma, CAIRN_SECRET_KEY=NEW,OLD$/
  },
  {
    name: "the key file gone",
    plant: (database) => {
      rmSync(secretKeyFile(database))
      return {}
    },
    check: "secret-key",
    cause: /no key that is here opens/,
    mend: /put the file .+cairn-secret\.key back, or set CAIRN_SECRET_KEY to it$/,
    cure: (database) => copyFiles(original, dirname(database))
  },
  {
    name: "a key file that holds no key",
    plant: (database) => {
      writeFileSync(secretKeyFile(database), "no key at all\n")
      return {}
    },
    check: "secret-key",
    cause: /the key file .+cairn-secret\.key is \(hidden\), and must be the base64 of 32 bytes/,
    mend: /put the file .+cairn-secret\.key back/
  },
  {
    name: "a sealed secret that was changed",
    plant: (database) => {
      inFile(
        database,
        "UPDATE webhook SET body = replace(body, substr(body, instr(body, '\"sealed\":\"') + 40, 4), 'AAAA')"
      )
      return {}
    },
    check: "secret-key",
    cause: /a webhook secret was changed in the database/,
    mend: /rotate-secret/
  },
  {
    name: "a head that was changed",
    plant: (database) => {
      inFile(database, `UPDATE head SET event_hash = '${"0".repeat(64)}'`)
      return {}
    },
    check: "chain-heads",
    cause: /the newest event of a log has another hash than the head/,
    mend: /^cairn verify -w WORKSPACE/
  },
  {
    name: "a log that is shorter than what was signed",
    plant: (database) => {
      inFile(
        database,
        `DROP TRIGGER event_is_never_deleted; DELETE FROM event WHERE sequence > 1000;
         UPDATE head SET sequence = 1000, event_hash = (SELECT event_hash FROM event WHERE sequence = 1000)`
      )
      return {}
    },
    check: "checkpoints",
    cause: /^a log is shorter than what was signed$/,
    mend: /cairn recover/,
    besides: ["append-only", "files-together"]
  },
  {
    name: "a checkpoint that was changed",
    plant: (database) => {
      inFile(database, `UPDATE checkpoint SET root = '${"0".repeat(64)}'`)
      return {}
    },
    check: "checkpoints",
    cause: /newest checkpoint of a log has another root than was recorded/,
    mend: /cairn verify .* --against/
  },
  {
    name: "events that nobody appends",
    plant: (database) => {
      inFile(
        siblingFile(database, "inbox"),
        "INSERT INTO inbox (workspace, accepted_at, event_count, events) VALUES (1, 1700000000000000, 3, '')"
      )
      return {}
    },
    check: "inbox",
    severity: "warning",
    cause: /^3 accepted events wait, the oldest for \d+ seconds: nobody appends them$/,
    mend: /^start cairn serve/
  },
  {
    name: "a request that is parked",
    plant: (database) => {
      inFile(
        siblingFile(database, "inbox"),
        "INSERT INTO parked (workspace, accepted_at, event_count, events, reason) VALUES (1, 1, 1, '', 'why')"
      )
      return {}
    },
    check: "inbox",
    cause: /^1 accepted requests could not be appended and are parked$/,
    mend: /the column reason of the table parked/
  },
  {
    name: "a consumer that is stuck",
    plant: (database) => {
      inFile(
        siblingFile(database, "consumers"),
        "UPDATE consumer SET sequence = 1, updated_at = 1700000000000000 WHERE name = 'alerts'"
      )
      return {}
    },
    check: "consumers",
    severity: "warning",
    cause: /^the consumer alerts is 1\d{3} events behind and has not moved for \d+ seconds$/,
    mend: /^cairn consumer list -w wsp_\S+ says why/
  },
  {
    name: "a consumer that is paused",
    plant: (database) => {
      inFile(siblingFile(database, "consumers"), "UPDATE consumer SET paused = 1 WHERE name = 'alerts'")
      return {}
    },
    check: "consumers",
    severity: "warning",
    cause: /^the consumer alerts is paused/,
    mend: /^cairn consumer resume -w wsp_\S+ alerts$/,
    cure: async (database, mend) => {
      const [, ...args] = mend.split(" ")
      const { code, stderr } = await cairn(args, { database })
      assert.strictEqual(code, 0, stderr)
      // The command is an event of the log, which a server appends.
      await (await startServer({ database })).stop()
    }
  },
  {
    name: "a verification that is overdue",
    plant: (database) => {
      const state = JSON.stringify({
        pass: 3,
        began_at: 1_700_000_000_000_000,
        ended: true,
        checked: 5,
        history: null,
        furthest: null,
        untold: [],
        told_at: null
      })
      inFile(
        siblingFile(database, "consumers"),
        `INSERT OR REPLACE INTO consumer_row (workspace_id, consumer, key, value) VALUES (${WORKSPACE}, 'verification', 'state', '${state}')`
      )
      return {}
    },
    check: "verification",
    severity: "warning",
    cause: /has begun no verification of a log for more than 172800 seconds/,
    mend: /cairn verify -w WORKSPACE does it now$/
  },
  {
    name: "a verification that has found a break",
    plant: (database) => {
      const state = JSON.stringify({
        pass: 3,
        began_at: Date.now() * 1_000,
        ended: true,
        checked: 5,
        history: null,
        furthest: null,
        untold: [],
        told_at: null
      })
      inFile(
        siblingFile(database, "consumers"),
        `INSERT OR REPLACE INTO consumer_row (workspace_id, consumer, key, value) VALUES
           (${WORKSPACE}, 'verification', 'state', '${state}'),
           (${WORKSPACE}, 'verification', 'break hash_mismatch evt_1', '3 1')`
      )
      return {}
    },
    check: "verification",
    cause: /the service has found a log broken/,
    mend: /cairn verify -w WORKSPACE lists the events/
  }
]

describe("cairn doctor, of keys and logs", () => {
  planted(OF_LOGS, "logs", ward)

  it("reads a key from a file that only its user can read", async () => {
    const database = copyFiles(original, join(root, "key in file"))
    const file = join(root, "secret.key")
    execFileSync("cp", [secretKeyFile(database), file])
    const all = { CAIRN_DATABASE_URL: `sqlite:${database}`, CAIRN_SECRET_KEY_FILE: file }
    assertHealthy(await examine(all))
    chmodSync(file, 0o644)
    assertFound(await examine(all), {
      check: "secret-files",
      severity: "warning",
      cause: /every user of the machine can read .+secret\.key \(mode 644\)/,
      mend: /^chmod 600 .+secret\.key$/
    })
  })
})
