/** A storage whose inbox does as a test says. */
import { Inbox } from "@cairn/core/log"
import { Context, Effect, Layer } from "effect"
import { storage } from "./Storage.ts"

/** A store whose inbox accepts as a test says. */
export const accepting = (
  accept: (accepted: ReturnType<Inbox["Service"]["accept"]>) => ReturnType<Inbox["Service"]["accept"]>
) =>
  Layer.effectContext(
    Effect.map(Inbox, (inbox) =>
      Context.make(Inbox, { ...inbox, accept: (request) => accept(inbox.accept(request)) })
    )
  ).pipe(Layer.provideMerge(storage()))
