/** Reading alerts and deliveries. */
import { AlertBacktest, AlertReader, DeliveryReader } from "@cairn/core"
import { Layer } from "effect"

/** Reading alerts and deliveries, which may take long: the log thread, over the ports. */
export const layerReading = Layer.mergeAll(AlertReader.layer, AlertBacktest.layer, DeliveryReader.layer)
