/** The root's Dockerfile, as far as a machine without a container engine can follow it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { root } from "./Tools.ts"

export { root }

/** An instruction, of the stage that is counted from 0; before the first one it is -1. */
export interface Instruction {
  readonly name: string
  readonly text: string
  readonly stage: number
}

/** The instructions in their order. */
export const instructionsOf = (dockerfile: string): ReadonlyArray<Instruction> => {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replace(/\\\n\s*/g, "")
  const all = [...lines.matchAll(/^([A-Z]+) +(.+)$/gm)].map(([, name = "", text = ""]) => ({ name, text }))
  return all.map((one, index) => ({
    ...one,
    stage: all.slice(0, index + 1).filter(({ name }) => name === "FROM").length - 1
  }))
}

/** What the Dockerfile says. */
export const instructions = instructionsOf(readFileSync(join(root, "Dockerfile"), "utf8"))
const lastStage = Math.max(...instructions.map(({ stage }) => stage))

/** The texts of the instructions of a name in the last stage. */
export const lastTexts = (name: string): ReadonlyArray<string> =>
  instructions.filter((one) => one.stage === lastStage && one.name === name).map(({ text }) => text)

const decodeWords = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The words of an instruction of the last stage that is written as a JSON array. */
export const wordsOf = (name: string): ReadonlyArray<string> =>
  decodeWords(lastTexts(name)[0]?.replace(/^.*?\[/, "[") ?? "[]")

/** The variables that the last stage sets. */
export const variables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lastTexts("ENV").flatMap((text) =>
      [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value] as const)
    )
  )
