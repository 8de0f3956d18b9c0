/**
 * A process that writes files, as `FileProcess` does, on a disk where some are stuck: a path that ends with
 * `.stuck` holds the thread that opens it, as a mount does whose server is gone. What it is to write there
 * is in a file that ends with `.begun`, as soon as it begins.
 */
import { appendFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { appendFile } from "../../src/sinks/file/AppendFile.ts"
import { serveAppends } from "../../src/sinks/file/AppendMessages.ts"

serveAppends(async (path, lines) => {
  if (path.endsWith(".stuck")) {
    // At once, on no thread that may be held.
    appendFileSync(path.replace(/\.stuck$/, ".begun"), lines)
    // Opening the one end of a pipe waits for somebody to open the other one.
    await open(path, "w")
  }
  await appendFile(path.replace(/\.stuck$/, ".written"), lines)
})
