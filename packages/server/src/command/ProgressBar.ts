/** The progress of a command, on a terminal only. */

const WIDTH = 30

/** Draws the bar over the last one, with a note beside it. */
export const drawProgress = (done: number, total: number, note: string): void => {
  if (!process.stderr.isTTY) return
  const part = total > 0 ? Math.min(1, done / total) : 0
  const bar = "█".repeat(Math.round(part * WIDTH)).padEnd(WIDTH, "░")
  // What an earlier, longer note has left is erased to the end of the line.
  process.stderr.write(`\r${bar} ${Math.round(part * 100)} %  ${note}\u001b[K`)
}

/** Leaves the bar as it is and continues below. */
export const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write("\n")
}
