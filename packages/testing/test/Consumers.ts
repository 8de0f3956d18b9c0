/** Programs that use packages as those do who have installed them. */

/** Modules that hold types and nothing else, with a type of each. */
const TYPES_ONLY = new Map([
  ["@cairn/core/storage-ports", "StoragePorts"],
  ["@cairn/viewer/jsx", "CairnViewerAttributes"]
])

/** A program that imports every one of `names` and fails if one of them gives it nothing. */
export const consumerOf = (names: ReadonlyArray<string>): string => {
  const types = [...TYPES_ONLY].filter(([name]) => names.includes(name))
  const specifiers = names.filter((name) => !TYPES_ONLY.has(name))
  const imports = specifiers.map((specifier, index) =>
    specifier.endsWith(".json")
      ? `import part${index} from "${specifier}" with { type: "json" }`
      : `import * as part${index} from "${specifier}"`
  )
  const parts = specifiers.map((_, index) => `part${index}`)
  return [
    ...imports,
    ...types.map(([name, type]) => `export type { ${type} } from "${name}"`),
    `const parts: ReadonlyArray<object> = [${parts.join(", ")}]`,
    `for (const part of parts) if (Object.keys(part).length === 0) throw new Error("an empty module")`,
    ""
  ].join("\n")
}

/** A program that is typed wrong if anything that one of `names` exports is of the type any. */
export const typesOf = (names: ReadonlyArray<string>): string => {
  const modules = names.filter((name) => !name.endsWith(".json"))
  return [
    ...modules.map((name, index) => `import type * as part${index} from "${name}"`),
    "type AnyOf<M> = { [K in keyof M]: 0 extends 1 & M[K] ? K : never }[keyof M]",
    ...modules.map(
      (_, index) => `export const any${index}: [AnyOf<typeof part${index}>] extends [never] ? 1 : 0 = 1`
    ),
    ""
  ].join("\n")
}
