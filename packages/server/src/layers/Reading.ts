/** Reading alerts and deliveries. */
import { AlertBacktest, AlertReader } from "@cairn/core/alert"
import { DeliveryReader } from "@cairn/core/outbound"
import { Layer } from "effect"

/** Reading alerts and deliveries, which may take long: the log thread, over the ports. */
export const layerReading = Layer.mergeAll(AlertReader.layer, AlertBacktest.layer, DeliveryReader.layer)
