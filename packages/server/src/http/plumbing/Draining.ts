/** How far the server is with stopping: before it stops taking requests, it asks to be sent none. */
import { Context, Layer, Ref } from "effect"

/**
 * `serving`; `leaving`: `/readyz` is `503` and every answer closes its connection, so that clients and
 * balancers go elsewhere, and everything is answered; `closed`: only what was begun is finished.
 */
export type Stage = "serving" | "leaving" | "closed"

/** The stage. It only goes on. */
export class Draining extends Context.Service<Draining, Ref.Ref<Stage>>()("@cairn/server/Draining") {
  static readonly layer = Layer.effect(Draining, Ref.make<Stage>("serving"))
}
