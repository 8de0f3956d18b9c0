/** Submits Merkle roots to the Base blockchain, confirms them and reads them back. */
export {}
