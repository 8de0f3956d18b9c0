/** What every adapter's `Anchors` must do. */
import { anchorPeriodsContract } from "./AnchorPeriodsContract.ts"
import type { AnchorsLayer } from "./AnchorSteps.ts"
import { anchorSubmissionContract } from "./AnchorSubmissionContract.ts"

/** Registers the contract of `Anchors` for the storage called `name`. */
export const anchorsContract = (name: string, storage: AnchorsLayer): void => {
  anchorPeriodsContract(name, storage)
  anchorSubmissionContract(name, storage)
}
