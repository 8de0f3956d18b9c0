/** The OpenAPI 3.1 document of the contract, as served at `/openapi.json`. */
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

const PUBLIC = new Set(["/healthz", "/readyz"])

/** Makes the document; `baseUrl` is where the server can be reached. */
export const openApiDocument = (baseUrl: string): object => {
  const document = OpenApi.fromApi(Api)
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          PUBLIC.has(path) ? operation : { ...operation, security: [{ apiKey: [] }] }
        ])
      )
    ])
  )
  return {
    ...document,
    servers: [{ url: baseUrl }],
    paths,
    components: {
      ...document.components,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key: `cairn_…`" } }
    }
  }
}
