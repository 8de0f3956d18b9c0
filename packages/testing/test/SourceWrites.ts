/** What writes into a value, as it stands in a syntax tree. */
import type { ESTree } from "rolldown/utils"

/** Methods that change what they are called on. */
const CHANGES: ReadonlySet<string> = new Set(
  "add append clear copyWithin delete fill forget pop push reverse set shift sort splice unshift".split(" ")
)

/** `setUint32` of a `DataView`, and its like. */
const SETS_NUMBER = /^set(?:Big)?(?:Uint|Int|Float)\d+$/

/**
 * The parts of a visitor that find writes. Each is passed to `written` with what it writes to: `a.b` of
 * `a.b = 1`, `a.b++` and `delete a.b`, and `a.push` of `a.push(1)`.
 */
export const visitWrites = (written: (node: ESTree.Node, target: ESTree.Node) => void) => ({
  AssignmentExpression: (node: ESTree.AssignmentExpression) => written(node, node.left),
  UpdateExpression: (node: ESTree.UpdateExpression) => written(node, node.argument),
  UnaryExpression: (node: ESTree.UnaryExpression) => {
    if (node.operator === "delete") written(node, node.argument)
  },
  CallExpression: (node: ESTree.CallExpression) => {
    const { callee } = node
    if (
      callee.type === "MemberExpression" &&
      callee.property.type === "Identifier" &&
      (CHANGES.has(callee.property.name) || SETS_NUMBER.test(callee.property.name))
    ) {
      written(node, callee)
    }
  }
})
