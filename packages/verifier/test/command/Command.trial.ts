/** The command with every mistake of its user and of a node. */
import "./Command.test.ts"
