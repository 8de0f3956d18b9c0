/** The OpenAPI 3.1 document of the contract, as served at `/openapi.json`. */
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** The contract of the server at `baseUrl`, which may be `/` for wherever the document itself comes from. */
export const apiAt = (baseUrl: string) => Api.annotate(OpenApi.Servers, [{ url: baseUrl }])

/** Makes the document; `baseUrl` is where the server can be reached. */
export const openApiDocument = (baseUrl: string): OpenApi.OpenAPISpec => OpenApi.fromApi(apiAt(baseUrl))
