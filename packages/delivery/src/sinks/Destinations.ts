/** The destinations of log streams, for the use cases that change streams. */
import { SecretBox } from "@cairn/core/hashing"
import { Destinations } from "@cairn/core/outbound"
import { Effect, Layer, Result } from "effect"
import { OutboundGuard } from "../outbound/OutboundGuard.ts"
import { changedDestination } from "./DestinationChange.ts"
import { sealDestination } from "./Sinks.ts"

/** All kinds of destinations; `folder` is where `file` streams write, null where none may. */
export const layerDestinations = ({ folder }: { readonly folder: string | null }) =>
  Layer.effect(
    Destinations,
    Effect.gen(function* () {
      const box = yield* SecretBox
      const guard = yield* OutboundGuard
      return Destinations.of({
        read: (id, stored, given) =>
          Result.flatMap(changedDestination(box, stored, given), (destination) =>
            Result.map(destination.check({ guard, folder }), () => sealDestination(box, id, destination))
          )
      })
    })
  )
