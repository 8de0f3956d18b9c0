/** Fetches the oldest supported Node beside the steps that come before the tests. */
import { fetchOldestNode } from "../../packages/testing/src/machines/OldestNode.ts"

const fetched = await fetchOldestNode()
if ("missing" in fetched) process.stderr.write(`${fetched.missing}\nTests that need it will be skipped.\n`)
