/** Whether the server is shutting down: it finishes what it has begun, and takes nothing new. */
import { Context, Layer, Ref } from "effect"

/** The switch. Once set it stays. */
export class Draining extends Context.Service<Draining, Ref.Ref<boolean>>()("@cairn/server/Draining") {
  static readonly layer = Layer.effect(Draining, Ref.make(false))
}
