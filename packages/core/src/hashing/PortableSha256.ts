/** SHA-256 in portable TypeScript, FIPS 180-4 sections 4.1.2, 5.1.1, 5.3.3 and 6.2. */

/**
 * FIPS 180-4 section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
 * primes.
 */
export const K = new Uint32Array(64)
/**
 * FIPS 180-4 section 5.3.3: the first 32 bits of the fractional parts of the square roots of the first eight
 * primes.
 */
export const INITIAL = new Uint32Array(8)

const fraction32 = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) >>> 0
for (let candidate = 2, found = 0; found < 64; candidate++) {
  let prime = true
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
    if (candidate % divisor === 0) prime = false
  }
  if (!prime) continue
  if (found < 8) INITIAL[found] = fraction32(Math.sqrt(candidate))
  K[found++] = fraction32(Math.cbrt(candidate))
}

const rotr = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The 32-byte digest of `message`. Costs one pass over it and a padded copy of its last block. */
export const sha256 = (message: Uint8Array): Uint8Array => {
  const whole = message.length - (message.length % 64)
  const tail = new Uint8Array(message.length - whole < 56 ? 64 : 128)
  tail.set(message.subarray(whole))
  tail[message.length - whole] = 0x80
  const tailView = new DataView(tail.buffer)
  tailView.setUint32(tail.length - 8, Math.floor(message.length / 2 ** 29))
  tailView.setUint32(tail.length - 4, (message.length << 3) >>> 0)

  const state = INITIAL.slice()
  const schedule = new Uint32Array(64)
  const body = new DataView(message.buffer, message.byteOffset, message.byteLength)
  for (let offset = 0; offset < whole; offset += 64) compress(state, schedule, body, offset)
  for (let offset = 0; offset < tail.length; offset += 64) compress(state, schedule, tailView, offset)

  const digest = new Uint8Array(32)
  const view = new DataView(digest.buffer)
  for (let i = 0; i < 8; i++) view.setUint32(i * 4, state[i] ?? 0)
  return digest
}

/** FIPS 180-4 section 6.2.2: folds one 64-byte block into `state`. */
const compress = (state: Uint32Array, scratch: Uint32Array, block: DataView, offset: number): void => {
  for (let t = 0; t < 16; t++) scratch[t] = block.getUint32(offset + t * 4)
  for (let t = 16; t < 64; t++) {
    const w15 = scratch[t - 15] as number
    const w2 = scratch[t - 2] as number
    const s0 = rotr(w15, 7) ^ rotr(w15, 18) ^ (w15 >>> 3)
    const s1 = rotr(w2, 17) ^ rotr(w2, 19) ^ (w2 >>> 10)
    scratch[t] = (scratch[t - 16] as number) + s0 + (scratch[t - 7] as number) + s1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ]
  for (let t = 0; t < 64; t++) {
    const s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (scratch[t] as number)) | 0
    const s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const sums = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (sums[i] as number)
}
