/** SHA-256 that counts how often it is asked, for the costs that comments promise. */
import { nativeSha256, portableSha256, type Sha256Shape } from "../../src/hashing/Sha256.ts"

/** The fastest implementation here. */
export const sha256: Sha256Shape = nativeSha256 ?? portableSha256

export const countingSha256 = () => {
  const counted = {
    calls: 0,
    sha256: {
      hex: (data) => {
        counted.calls++
        return sha256.hex(data)
      },
      bytes: (data) => {
        counted.calls++
        return sha256.bytes(data)
      }
    } satisfies Sha256Shape
  }
  return counted
}

/** Lower-case hexadecimal, by which hashes are compared in tests. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** `bytes` with one bit turned over. */
export const flipBit = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

/** ⌈log₂ n⌉, exactly; `Math.log2` is not past 2^48. */
export const ceilLog2 = (n: number): number => (n <= 1 ? 0 : (BigInt(n) - 1n).toString(2).length)
