/** `cairn-verify --report`, run as an auditor runs it. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { formatVerifierKey, makeVerifierKey } from "@cairn/core/note"
import { TEST_KEY_NAME, testBundle, testLog } from "@cairn/testing"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { serviceKey, sha256, signer, signerOf } from "../Bundles.ts"
import { textOf } from "../document/Documents.ts"
import { chain, honest } from "../tampering/Tampering.ts"
import { type Outcome, runProgram } from "./RunProgram.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-report-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const source = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))
let program = ""

const disk = join(folder, "disk")
mkdirSync(disk)
/** A small disk of its own, which takes root on Linux. */
const isMounted =
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "cairn-test", disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk])
})

const run = (...args: ReadonlyArray<string>): Promise<Outcome> => runProgram(program, args, folder)

const tampered = honest.map((line) =>
  line.endsWith('"sequence":17,"type":"event"}\n')
    ? line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
    : line
)
const hashes = [...chain.blocks].flatMap(([number, hash]) => ["--block-hash", `${number}=${hash}`])
const known = ["--trusted-key", formatVerifierKey(serviceKey), "--anchor-address", chain.address, ...hashes]

/** A key that has not signed. */
const otherKey = formatVerifierKey(
  Result.getOrThrow(makeVerifierKey(sha256, TEST_KEY_NAME, signerOf(9).publicKey))
)

/** The command that a report gives, as the words of a shell. */
const repeatedIn = (html: string): ReadonlyArray<string> => {
  const [, block = ""] = /<pre>cairn-verify \\\n([^<]*)<\/pre>/.exec(html) ?? []
  const command = textOf(block)
  const words = spawnSync("sh", ["-c", `printf '%s\\n' ${command.replaceAll(" \\ ", " ")}`], {
    encoding: "utf8"
  })
  return words.stdout.trimEnd().split("\n")
}

const Files = Schema.fromJsonString(
  Schema.Struct({
    files: Schema.Array(Schema.Struct({ name: Schema.String, bytes: Schema.Int, sha256: Schema.String }))
  })
)

describe("cairn-verify --report", () => {
  beforeAll(async () => {
    copyFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), join(folder, "package.json"))
    program = await bundleProgram(source, join(folder, "dist"))
    writeFileSync(join(folder, "good.gz"), gzipSync(honest.join("")))
    writeFileSync(join(folder, 'it\'s "good".gz'), gzipSync(honest.join("")))
    writeFileSync(join(folder, "tampered.gz"), gzipSync(tampered.join("")))
    writeFileSync(join(folder, "older.gz"), gzipSync(testBundle(testLog({ events: 9 }), { signer }).join("")))
    writeFileSync(
      join(folder, "newer.gz"),
      gzipSync(testBundle(testLog({ events: 12 }), { signer }).join(""))
    )
    writeFileSync(join(folder, "-x.gz"), gzipSync(honest.join("")))
    writeFileSync(join(folder, "none.gz"), "none")
    symlinkSync(join(folder, "nowhere", "report.html"), join(folder, "link.html"))
  })

  it.each(
    firstOf<readonly [string, string, ReadonlyArray<string>, number, string]>(3, [
      ["intact", "good.gz", known, 0, "INTACT"],
      ["intact by itself", "good.gz", [], 0, "INTACT BY ITSELF"],
      ["tampered with", "tampered.gz", known, 1, "TAMPERED — DO NOT RELY ON THIS FILE"],
      ["unreadable", "none.gz", [], 2, "UNREADABLE"],
      ["unproven", "older.gz", ["--anchor-address", chain.address], 3, "UNPROVEN"]
    ])
  )(
    "writes the report of a bundle that is %s, and keeps the exit status",
    async (name, file, options, status, word) => {
      const place = `${name}.html`
      const outcome = await run(file, "--report", place, ...options)
      assert.strictEqual(outcome.status, status, outcome.stderr)
      const html = readFileSync(join(folder, place), "utf8")
      assert.match(textOf(html), new RegExp(`without asking the service\\. ${word} [A-Z]`))
      const bytes = readFileSync(join(folder, file))
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      assert.include(textOf(html), `${file}, ${bytes.length.toLocaleString("en")} bytes`)
      assert.include(textOf(html), sha256.match(/.{8}/g)?.join(" ") ?? "none")
      assert.include(outcome.stdout, `${file}, ${bytes.length} bytes, SHA-256 ${sha256}`)
    }
  )

  it("can be repeated by the command that it gives, whatever the file is called", async () => {
    for (const [file, options, status] of [
      ['it\'s "good".gz', known, 0],
      ["tampered.gz", known, 1],
      ["./-x.gz", [], 0],
      ["good.gz", [], 0],
      ["good.gz", [...known, "--trusted-key", otherKey], 3],
      ["good.gz", [...known, "--trusted-key", otherKey, "--any-key"], 0]
    ] as const) {
      const place = `repeat-${status}-${options.length}-${basename(file)}.html`
      const first = await run("--json", file, "--report", place, ...options)
      assert.strictEqual(first.status, status, first.stderr)
      const again = await run("--json", ...repeatedIn(readFileSync(join(folder, place), "utf8")))
      assert.strictEqual(again.stdout, first.stdout)
    }
  })

  it("compares two bundles, and names both files", async () => {
    const { status, stdout } = await run("--json", "older.gz", "newer.gz", "--report", "two.html")
    assert.strictEqual(status, 0)
    assert.deepStrictEqual(
      Schema.decodeUnknownSync(Files)(stdout).files.map(({ name }) => name),
      ["older.gz", "newer.gz"]
    )
    const html = readFileSync(join(folder, "two.html"), "utf8")
    assert.include(textOf(html), "The log is a continuation of what it was before, at event 9.")
    const again = await run("--json", ...repeatedIn(html))
    assert.strictEqual(again.stdout, stdout)
  })

  it("writes to a name as long as the disk has names, and prints no name as it is", async () => {
    const long = `${"x".repeat(250)}.html`
    const { status, stderr } = await run("good.gz", ...known, "--report", long)
    assert.strictEqual(status, 0, stderr)
    assert.isAbove(readFileSync(join(folder, long)).length, 1_000)
    const hostile = "nowhere/\u001b[31m\u202e"
    for (const args of [["good.gz", "--report", hostile], [hostile], ["good.gz", "--trusted-key", hostile]]) {
      const refused = await run(...args)
      assert.strictEqual(refused.status, 2)
      assert.include(refused.stderr, "cairn-verify: ")
      for (const character of ["\u001b", "\u202e"]) assert.notInclude(refused.stderr, character)
    }
  })

  it.each(
    firstOf(3, [
      ["a report that is there, which may be signed", "signed.html", "is not overwritten"],
      ["the bundle itself", "good.gz", "is not overwritten"],
      ["a folder", ".", "is not overwritten"],
      ["a folder that is not there", "nowhere/report.html", "there is no such folder"],
      ["a file as a folder", "good.gz/report.html", "there is no such folder"],
      ["no name", "", "it names no file"],
      ["a name of a folder", "new/", "it names no file"],
      ["a link that leads nowhere", "link.html", "is not overwritten"],
      ["a name that no disk takes", `${"x".repeat(300)}.html`, "ENAMETOOLONG"]
    ] as const)
  )("refuses %s, before it reads anything", async (_, place, reason) => {
    const before = "signed by hand"
    writeFileSync(join(folder, "signed.html"), before)
    const bundle = readFileSync(join(folder, "good.gz"))
    const { status, stdout, stderr } = await run("good.gz", "--report", place)
    assert.strictEqual(status, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, `cairn-verify: --report ${place}: `)
    assert.include(stderr, reason)
    assert.strictEqual(readFileSync(join(folder, "signed.html"), "utf8"), before)
    assert.isTrue(readFileSync(join(folder, "good.gz")).equals(bundle))
    assert.isEmpty(readdirSync(folder).filter((name) => name.endsWith(".unfinished")))
  })

  it.skipIf(!isMounted)(
    "refuses a folder where nothing can be written, before it reads anything (needs to mount a tmpfs: root on Linux)",
    async () => {
      const remount = (mode: string) => spawnSync("mount", ["-o", `remount,${mode}`, disk]).status
      assert.strictEqual(remount("ro"), 0)
      try {
        const { status, stdout, stderr } = await run("good.gz", "--report", join(disk, "report.html"))
        assert.strictEqual(status, 2)
        assert.strictEqual(stdout, "")
        assert.match(stderr, /cairn-verify: --report .*EROFS/)
      } finally {
        assert.strictEqual(remount("rw"), 0)
      }
      assert.isEmpty(readdirSync(disk))
    }
  )

  it.skipIf(!isMounted)(
    "says that a disk is full, leaves no half of a report, and calls a bundle tampered with all the same (needs to mount a tmpfs: root on Linux)",
    async () => {
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(join(disk, "filler"), new Uint8Array(bavail * bsize - 4_096))
      for (const [file, expected] of [
        ["good.gz", 2],
        ["tampered.gz", 1]
      ] as const) {
        const { status, stdout, stderr } = await run(file, "--report", join(disk, "report.html"))
        assert.strictEqual(status, expected)
        assert.match(stdout, /^(?:INTACT|TAMPERED)/)
        assert.match(stderr, /cairn-verify: --report .*ENOSPC/)
        assert.deepStrictEqual(readdirSync(disk), ["filler"])
        assert.isFalse(existsSync(join(disk, "report.html")))
      }
    }
  )
})
