/**
 * Evidence for an `AuditLog`. The signing key is made when evidence is first written: a key that is not
 * needed would be one more to keep.
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
import type { Workspaces } from "./log/Workspace.ts"
import { EventProver } from "./proof/EventProver.ts"

/** What evidence needs from the machine. Its functions fail with an `AuditLogError`. */
export interface EvidenceMachine {
  /**
   * The secret box for the signing keys. `sealed` is whether some keys are already encrypted, so that a new
   * secret key would be useless.
   */
  readonly openBox: (sealed: boolean) => SecretBoxShape
  readonly signers: Ed25519Signers["Service"]
  /** Writes the text as a gzip file with this name, which must not exist. */
  readonly write: (file: string, text: AsyncIterable<string>) => Promise<void>
}

/** The result of writing evidence. */
export interface WrittenEvidence {
  /** Events in it. */
  readonly events: number
  /**
   * The keys that sign this log, newest first, in the form of `cairn-verify --trusted-key`. Give them to your
   * auditor separately from the bundle: a bundle cannot prove by itself who signed it.
   */
  readonly keys: ReadonlyArray<string>
}

/** What evidence needs from a storage. */
export type EvidencePorts = EventLog | Anchors | Checkpoints | TreeStore | Consumers | Workspaces

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

    /** Built once; built again after a failure. */
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
