/** What the calls of the interface take and give, read off the types of the OpenAPI document. */
import type { paths } from "./Schema.ts"

/** How the methods are written in the OpenAPI document. */
export type Method = "get" | "post" | "patch" | "delete"

/** The paths that answer a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { readonly responses: unknown } ? P : never
}[keyof paths]

/** What the document says of a method of a path. */
export type OperationOf<M extends Method, P extends keyof paths> = paths[P][M]

/** The options of a call. */
export interface CallOptions {
  /** Most milliseconds of the call, retries included: 30,000. */
  readonly timeoutMillis?: number | undefined
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined
}

type Loose<A> = {
  readonly [K in keyof A]: OneOrSeveral<A[K]> | (undefined extends A[K] ? undefined : never)
}

/** Of a parameter that may be repeated, one value alone too. */
type OneOrSeveral<A> = A extends ReadonlyArray<infer One> ? A | One : A

type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Q } }
  ? [NonNullable<Q>] extends [never]
    ? []
    : [query?: Loose<NonNullable<Q>>]
  : []

type IdOf<O> = O extends { readonly parameters: { readonly path: { readonly id: string } } }
  ? [id: string]
  : []

/** The document types what has no body as a body that is never. */
type JsonOf<R> = [R] extends [never]
  ? never
  : R extends { readonly content: { readonly "application/json": infer B } }
    ? B
    : never

type BodyOf<O> = O extends { readonly requestBody: infer R }
  ? [body: JsonOf<R>]
  : O extends { readonly requestBody?: infer R }
    ? [NonNullable<R>] extends [never]
      ? []
      : [body?: JsonOf<NonNullable<R>>]
    : []

type Answers<O> = O extends { readonly responses: infer R } ? R[keyof R & (200 | 201 | 202)] : never

/** The JSON, or the text, of a successful answer. */
export type ResultOf<O> =
  Answers<O> extends { readonly content: infer C }
    ? C extends { readonly "application/json": infer J }
      ? J
      : C extends { readonly "text/plain": infer T }
        ? T
        : never
    : never

/** The id in the path, then the body or the query, then what limits the call. */
export type ArgumentsOf<O> = [...IdOf<O>, ...BodyOf<O>, ...QueryOf<O>, options?: CallOptions]

/** A list that is read page by page, as far as it is read. */
export interface List<Page> extends AsyncIterable<ItemOf<Page>> {
  /** One page: the first, or the one at the cursor of the query. */
  readonly page: () => Promise<Page>
}

type ItemOf<Page> = Page extends { readonly data: ReadonlyArray<infer A> } ? A : never

/** A call that gives what the service answers. */
export interface Plain<O> {
  readonly kind: "json" | "text"
  readonly call: (...given: ArgumentsOf<O>) => Promise<ResultOf<O>>
}

/** A call that gives a list. */
export interface Listed<O> {
  readonly kind: "list"
  readonly call: (...given: ArgumentsOf<O>) => List<ResultOf<O>>
}

/** A call that returns the answer unread, because it is large. */
export interface Opened<O> {
  readonly kind: "open"
  readonly call: (...given: ArgumentsOf<O>) => Promise<Response>
}
