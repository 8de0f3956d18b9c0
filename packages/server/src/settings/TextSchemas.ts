/** Schemas of the texts that variables hold, for the kinds of values that several settings have. */
import { parseNetworks } from "@cairn/core/outbound"
import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import type { Values } from "./SettingDeclaration.ts"

/** A text that satisfies `test`. */
export const textThat = (test: (text: string) => boolean) => Schema.String.check(Schema.makeFilter(test))

/** An empty text, or one that satisfies `test`. */
export const emptyOr = (test: (text: string) => boolean) => textThat((text) => text === "" || test(text))

/** What `read` makes of a text; `undefined` rejects it. */
export const readBy = <A>(
  target: Schema.Codec<A>,
  read: (text: string) => A | undefined
): Schema.Codec<A, string> =>
  Schema.String.pipe(
    Schema.decodeTo(target, {
      decode: SchemaGetter.transformEffect((text: string) => {
        const value = read(text)
        return value === undefined ? Effect.fail(new SchemaIssue.InvalidValue()) : Effect.succeed(value)
      }),
      encode: SchemaGetter.forbiddenEncoding
    })
  )

/** What stands between commas. */
export const splitAtCommas = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** What stands between commas, each of it an `item`. */
export const listOf = <A>(item: Schema.Codec<A, string>): Schema.Codec<ReadonlyArray<A>, string> =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform(splitAtCommas),
      encode: SchemaGetter.transform((items) => items.join(","))
    })
  )

/** A number that is written in decimal digits as `pattern` has them, within bounds that are both included. */
export const numberBetween = (
  pattern: RegExp,
  minimum: number,
  maximum: number
): Schema.Codec<number, string> =>
  Schema.String.check(Schema.isPattern(pattern)).pipe(
    Schema.decodeTo(Schema.Number.check(Schema.isBetween({ minimum, maximum })), {
      decode: SchemaGetter.transform(Number),
      encode: SchemaGetter.transform(String)
    })
  )

/** A whole number within bounds, both included. */
export const wholeNumber = (minimum: number, maximum: number): Values<number> => ({
  schema: numberBetween(/^\d+$/, minimum, maximum),
  allowed: `an integer from ${minimum} to ${maximum}`
})

/** Networks, separated by commas. */
export const networks: Values<string> = {
  schema: textThat((text) => Result.isSuccess(parseNetworks(text))),
  allowed: "IP addresses or CIDRs, separated by commas"
}

/** Whether a text is a URL with this scheme. */
export const isUrl = (scheme: RegExp, text: string): boolean => scheme.test(text) && URL.canParse(text)
