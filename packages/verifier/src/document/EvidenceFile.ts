/** The files of a verification, and what identifies each in a report. */
import { toHex } from "@cairn/core/hashing"
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect, Schema, Stream } from "effect"

/** What identifies a file that was verified. */
export interface EvidenceFile {
  /** Without the folder that it was in. */
  readonly name: string
  readonly bytes: number
  /** SHA-256 of the file as it is, compressed: 64 lower-case hexadecimal characters. */
  readonly sha256: string
}

/** The file is not the one that was read before: somebody wrote to it meanwhile. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", { name: Schema.String }) {
  override get message(): string {
    return `${this.name} was changed while it was read`
  }
}

type Digest = Pick<EvidenceFile, "bytes" | "sha256">

/**
 * A file that is verified and identified by what was read for that, so that a file which is replaced
 * meanwhile cannot get the report of another. Costs a SHA-256 of the file each time it is read.
 */
export class DigestedFile<E, R> {
  readonly #name: string
  readonly #source: Stream.Stream<Uint8Array, E, R>
  #digest: Digest | undefined
  #isOther = false

  constructor(name: string, source: Stream.Stream<Uint8Array, E, R>) {
    this.#name = name
    this.#source = source
  }

  /** The file's bytes. It may be read several times; only what is read to the end counts. */
  get stream(): Stream.Stream<Uint8Array, E, R> {
    return Stream.suspend(() => {
      const hash = sha256.create()
      let bytes = 0
      return this.#source.pipe(
        Stream.tap((piece) =>
          Effect.sync(() => {
            hash.update(piece)
            bytes += piece.length
          })
        ),
        Stream.concat(
          Stream.suspend(() => {
            this.#read({ bytes, sha256: toHex(hash.digest()) })
            return Stream.empty
          })
        )
      )
    })
  }

  /** What identifies it. Reads it once more if it was not read to its end, as one that is no bundle. */
  get file(): Effect.Effect<EvidenceFile, E | FileChanged, R> {
    return Effect.gen({ self: this }, function* () {
      if (this.#digest === undefined) yield* Stream.runDrain(this.stream)
      const digest = this.#digest
      if (digest === undefined || this.#isOther) return yield* new FileChanged({ name: this.#name })
      return { name: this.#name, ...digest }
    })
  }

  #read(digest: Digest): void {
    const before = this.#digest
    if (before !== undefined && (before.sha256 !== digest.sha256 || before.bytes !== digest.bytes)) {
      this.#isOther = true
    }
    this.#digest = digest
  }
}
