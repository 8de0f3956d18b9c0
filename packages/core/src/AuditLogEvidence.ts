/**
 * Evidence for an `AuditLog`: what signs it is made when it is first asked for, since a key that nobody
 * needs is one more to keep.
 */
import { Effect, Layer, type Scope, Semaphore, Stream } from "effect"
import { AnchorChain } from "./anchor/AnchorChain.ts"
import type { Anchors } from "./anchor/Anchors.ts"
import { CheckpointSigner, Ed25519Signers } from "./checkpoint/CheckpointSigner.ts"
import { Checkpoints } from "./checkpoint/Checkpoints.ts"
import { LogCheckpoints } from "./checkpoint/LogCheckpoints.ts"
import { LogTree } from "./checkpoint/LogTree.ts"
import type { TreeStore } from "./checkpoint/TreeStore.ts"
import type { Consumers } from "./consumer/Consumers.ts"
import { AnchorEvidence } from "./evidence/AnchorEvidence.ts"
import { EvidenceExport } from "./evidence/EvidenceExport.ts"
import { Randomness } from "./hashing/Randomness.ts"
import { SecretBox, type SecretBoxShape } from "./hashing/SecretBox.ts"
import { Sha256 } from "./hashing/Sha256.ts"
import type { EventLog } from "./log/EventLog.ts"
import { EventProver } from "./proof/EventProver.ts"

/** What of the machine evidence needs. Its functions fail with an `AuditLogError`. */
export interface EvidenceMachine {
  /**
   * The box of the signing keys; `sealed` says whether some were sealed already, so that no new secret key
   * is of use.
   */
  readonly openBox: (sealed: boolean) => SecretBoxShape
  readonly signers: Ed25519Signers["Service"]
  /** Writes the text as the gzip file of this name, which must not be there. */
  readonly write: (file: string, text: AsyncIterable<string>) => Promise<void>
}

/** Evidence that was written. */
export interface WrittenEvidence {
  /** Events in it. */
  readonly events: number
  /**
   * The keys that sign this log, newest first, as `cairn-verify --trusted-key` takes them. Give them to
   * your auditor by another way than the bundle: what proves who signed it cannot come from the bundle
   * itself.
   */
  readonly keys: ReadonlyArray<string>
}

/** What a storage provides for it. */
export type EvidencePorts = EventLog | Anchors | Checkpoints | TreeStore | Consumers

const layerOver = (box: SecretBoxShape, signers: Ed25519Signers["Service"]) =>
  EvidenceExport.layer.pipe(
    Layer.provide([AnchorEvidence.layer, EventProver.layer]),
    Layer.provide(LogCheckpoints.layer),
    Layer.provideMerge(CheckpointSigner.layer),
    Layer.provide(LogTree.layer),
    Layer.provide([
      AnchorChain.layerNone,
      Sha256.layer,
      Randomness.layer,
      Layer.succeed(SecretBox, box),
      Layer.succeed(Ed25519Signers, signers)
    ])
  )

/** Makes the call that writes the evidence of a workspace. */
export const makeEvidence = ({ openBox, signers, write }: EvidenceMachine) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<EvidencePorts | Scope.Scope>()
    const { keys } = yield* Checkpoints
    const turn = yield* Semaphore.make(1)

    const build = Effect.gen(function* () {
      const sealed = (yield* keys).length > 0
      const box = yield* Effect.try({ try: () => openBox(sealed), catch: (error) => error })
      return yield* Layer.build(layerOver(box, signers))
    }).pipe(Effect.provideContext(context))
    let built: Effect.Success<typeof build> | undefined

    /** Built once; tried anew after a failure. */
    const services = turn.withPermit(
      Effect.suspend(() => (built === undefined ? build : Effect.succeed(built))).pipe(
        Effect.tap((made) =>
          Effect.sync(() => {
            built = made
          })
        )
      )
    )

    const writing = Effect.fnUntraced(function* (workspaceId: string, file: string) {
      const { open } = yield* EvidenceExport
      const signer = yield* CheckpointSigner
      const { events, text } = yield* open({ workspaceId })
      const pieces = yield* Stream.toAsyncIterableEffect(text)
      yield* Effect.tryPromise({ try: () => write(file, pieces), catch: (error) => error })
      const lines = (yield* signer.list).map(({ verifierKey }) => verifierKey)
      const written: WrittenEvidence = { events, keys: lines }
      return written
    })

    return (workspaceId: string, file: string) =>
      Effect.flatMap(services, (made) => Effect.provideContext(writing(workspaceId, file), made))
  })
