/** The OpenAPI 3.1 document of the contract, as served at `/openapi.json`. */
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { SENDING_SNIPPETS } from "./SendingSnippets.ts"

/** What a schema may say of a value's form without checking it. */
const FORMS: ReadonlySet<string> = new Set([
  "pattern",
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems"
])

/** With how to send an event in each language, for who reads the document. */
const withSnippets = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => ({
  ...document,
  info: {
    ...document.info,
    description: `${document.info.description}\n\n## Sending an event\n\n${SENDING_SNIPPETS}`
  }
})

/**
 * Makes the document; `baseUrl` is where the server can be reached, which may be `/` for wherever the
 * document itself comes from.
 */
export const openApiDocument = (baseUrl: string): OpenApi.OpenAPISpec =>
  withSnippets(
    OpenApi.fromApi(Api.annotate(OpenApi.Servers, [{ url: baseUrl }]), {
      includeAnnotationKey: (key) => FORMS.has(key)
    })
  )

/** The contract of the server at `baseUrl`, whose document is {@link openApiDocument} however it is made. */
export const apiAt = (baseUrl: string) =>
  Api.annotate(OpenApi.Transform, () => ({ ...openApiDocument(baseUrl) }))
