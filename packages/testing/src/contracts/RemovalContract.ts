/** The contract of the port `ContentRemoval`, with retention and erasure over it, as tests. */
import { erasureContract } from "./ErasureContract.ts"
import type { RemovalStorage } from "./RemovalSteps.ts"
import { retentionContract } from "./RetentionContract.ts"
import { retentionRecordsContract } from "./RetentionRecordsContract.ts"
import { unindexedContract } from "./UnindexedContract.ts"

/** Registers the contract for the storage called `name`. `storage` is called once for each test. */
export const removalContract = (name: string, storage: () => RemovalStorage): void => {
  retentionContract(name, storage)
  retentionRecordsContract(name, storage)
  erasureContract(name, storage)
  unindexedContract(name, storage)
}
