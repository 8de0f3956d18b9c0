/** The process that `FileAppender` starts: appends lines to files, on threads that nothing else needs. */
import { appendFile } from "./AppendFile.ts"
import { serveAppends } from "./AppendMessages.ts"

serveAppends(appendFile)
