/** A tar archive (POSIX.1-1988, ustar) of a few small files, from memory. */

/** A file of an archive. */
export interface ArchivedFile {
  /** At most 100 characters of ASCII. */
  readonly name: string
  readonly text: string
}

const BLOCK = 512
/** Only their owner may read them. */
const MODE = "0000600"

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")

const header = (name: string, bytes: number, at: number): Buffer => {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, offset: number) => block.write(text, offset, "latin1")
  put(name, 0)
  put(MODE, 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(bytes, 11), 124)
  put(octal(Math.floor(at / 1_000), 11), 136)
  // The sum is made with spaces in its place.
  put("        ", 148)
  put("0", 156)
  put("ustar", 257)
  put("00", 263)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148)
  return block
}

/** The archive, whose files are of the time `at`, in milliseconds. */
export const tarOf = (files: ReadonlyArray<ArchivedFile>, at: number): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ name, text }) => {
      const bytes = Buffer.from(text)
      const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
      return [header(name, bytes.length, at), bytes, padding]
    }),
    Buffer.alloc(2 * BLOCK)
  ])
