/**
 * What a page uses of Effect, in a fiftieth of its size: the viewer is built with this in place of the
 * package (`small` in vite.ts), so that it checks what it reads, and verifies it, by the sources that the
 * service and the verifier use. Whatever is not here is Effect's own; the build fails if the page would have
 * some of that.
 */
export * from "effect"
export * as Result from "./Result.ts"
export * as Schema from "./Schema.ts"
export * as SchemaGetter from "./SchemaGetter.ts"
