/** How a value is got from another, as Effect's `SchemaGetter`. */

export * from "effect/SchemaGetter"

/** By a function. */
export const transform = <A, B>(change: (value: A) => B): ((value: A) => B) => change
