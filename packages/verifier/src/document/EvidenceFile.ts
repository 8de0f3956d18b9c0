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

/** A reading of a file that may end early. */
interface Reading {
  readonly hash: ReturnType<typeof sha256.create>
  bytes: number
  isWhole: boolean
}

const digestOf = ({ hash, bytes }: Reading): Digest => ({ bytes, sha256: toHex(hash.clone().digest()) })

/**
 * A file that is verified and identified by what was read for that, so that a file which is replaced
 * meanwhile cannot get the report of another. Costs a SHA-256 of the file each time it is read.
 */
export class DigestedFile<E, R> {
  readonly #name: string
  readonly #source: Stream.Stream<Uint8Array, E, R>
  readonly #readings: Array<Reading> = []

  constructor(name: string, source: Stream.Stream<Uint8Array, E, R>) {
    this.#name = name
    this.#source = source
  }

  /** The file's bytes. It may be read several times, and not to its end. */
  get stream(): Stream.Stream<Uint8Array, E, R> {
    return Stream.suspend(() => {
      const reading: Reading = { hash: sha256.create(), bytes: 0, isWhole: false }
      this.#readings.push(reading)
      return this.#source.pipe(
        Stream.tap((piece) =>
          Effect.sync(() => {
            reading.hash.update(piece)
            reading.bytes += piece.length
          })
        ),
        Stream.concat(
          Stream.suspend(() => {
            reading.isWhole = true
            return Stream.empty
          })
        )
      )
    })
  }

  /**
   * What identifies it. Reads it once more if a reading ended early, as of a file that is no bundle: what was
   * read then must be its beginning.
   */
  get file(): Effect.Effect<EvidenceFile, E | FileChanged, R> {
    return Effect.gen({ self: this }, function* () {
      const readings = [...this.#readings]
      const whole = readings.find(({ isWhole }) => isWhole)
      const digest =
        whole === undefined || readings.some(({ isWhole }) => !isWhole)
          ? yield* this.#again(readings.filter(({ isWhole }) => !isWhole))
          : digestOf(whole)
      const isOne = readings
        .filter(({ isWhole }) => isWhole)
        .every((reading) => digestOf(reading).sha256 === digest?.sha256)
      if (digest === undefined || !isOne) return yield* new FileChanged({ name: this.#name })
      return { name: this.#name, ...digest }
    })
  }

  /** Reads the whole file; undefined if it does not begin with what was read of it. */
  #again(parts: ReadonlyArray<Reading>): Effect.Effect<Digest | undefined, E, R> {
    return Effect.gen({ self: this }, function* () {
      const reading: Reading = { hash: sha256.create(), bytes: 0, isWhole: true }
      let begun = parts.filter(({ bytes }) => bytes === 0).length
      yield* Stream.runForEach(this.#source, (piece) =>
        Effect.sync(() => {
          for (const part of parts) {
            const rest = part.bytes - reading.bytes
            if (rest <= 0 || rest > piece.length) continue
            const upTo = reading.hash.clone().update(piece.subarray(0, rest))
            if (toHex(upTo.digest()) === digestOf(part).sha256) begun++
          }
          reading.hash.update(piece)
          reading.bytes += piece.length
        })
      )
      return begun === parts.length ? digestOf(reading) : undefined
    })
  }
}
