/** Keccak-256, Ethereum's hash: SHA-3 before its padding was settled (Keccak submission, version 3). */
import { toHex } from "@cairn/core/hashing"
import { keccak_256 } from "@noble/hashes/sha3.js"

/** Keccak-256 of some bytes, 32 bytes. */
export const keccak256 = (data: Uint8Array): Uint8Array => keccak_256(data)

/** Bytes as Ethereum's tools write them: `0x` and lower-case hexadecimal. */
export const toEthereumHex = (bytes: Uint8Array): string => `0x${toHex(bytes)}`
