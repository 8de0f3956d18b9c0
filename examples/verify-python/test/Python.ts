/** The verifier in Python as tests run it: one process that answers one request after the other. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { Schema } from "effect"

/** The program. */
export const program = fileURLToPath(new URL("../verify.py", import.meta.url))

/** Whether there is a Python that can run it. */
export const usable =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0

/** To be put behind a test's name, so that a run without Python says what it left out. */
export const because = usable ? "" : " (skipped: no python3 of 3.9 or newer on the PATH)"

const Answer = Schema.fromJsonString(
  Schema.Struct({
    verdict: Schema.Literals(["intact", "hashes_hold", "tampered", "unreadable", "unproven"]),
    status: Schema.Number,
    findings: Schema.Array(
      Schema.Struct({
        kind: Schema.Literals(["failed", "unproven", "proven", "not_checked"]),
        code: Schema.NullOr(Schema.String),
        subject: Schema.String,
        message: Schema.String
      })
    ),
    unreadable: Schema.NullOr(Schema.String),
    bytes_hashed: Schema.Number,
    bytes_parsed: Schema.Number
  })
)

/** What it answers to a request. */
export type Answer = typeof Answer.Type

const decodeAnswer = Schema.decodeUnknownSync(Answer)

/** A bundle: its lines, its text, or the file's bytes. */
export type Bundle = ReadonlyArray<string> | string | Uint8Array

/** What the auditor brings. */
export interface Brought {
  readonly trusted_keys?: ReadonlyArray<string>
  readonly anchor_address?: string
  readonly block_hashes?: ReadonlyArray<string>
}

/** The file's bytes. */
export const packed = (bundle: Bundle): Uint8Array =>
  bundle instanceof Uint8Array ? bundle : gzipSync(typeof bundle === "string" ? bundle : bundle.join(""))

/** `verify.py --batch`, from its first request until it is closed. */
export class Python {
  readonly folder = mkdtempSync(join(tmpdir(), "cairn-python-"))
  #process: ChildProcessWithoutNullStreams | undefined
  #answers: AsyncIterator<string> | undefined

  /** The file that a bundle is put into. */
  file(bundle: Bundle, name = "bundle.gz"): string {
    const path = join(this.folder, name)
    writeFileSync(path, packed(bundle))
    return path
  }

  /** The answer as text to a line of any kind. */
  async askLine(line: string): Promise<string> {
    if (this.#process === undefined) {
      this.#process = spawn("python3", [program, "--batch"])
      this.#process.stderr.pipe(process.stderr)
      this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
    }
    this.#process.stdin.write(`${line}\n`)
    const answer = await this.#answers?.next()
    if (answer === undefined || answer.done === true) throw new Error("verify.py --batch has ended")
    return answer.value
  }

  /** Verifies a bundle, or a later one against an earlier one. */
  async ask(bundles: readonly [Bundle] | readonly [Bundle, Bundle], brought: Brought = {}): Promise<Answer> {
    const files = bundles.map((bundle, index) => this.file(bundle, `bundle-${index}.gz`))
    return decodeAnswer(await this.askLine(JSON.stringify({ files, ...brought })))
  }

  /** As it is run by hand. */
  run(...args: ReadonlyArray<string>) {
    const { status, stdout, stderr } = spawnSync("python3", [program, ...args], { encoding: "utf8" })
    return { status, stdout, stderr }
  }

  close(): void {
    this.#process?.stdin.end()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
