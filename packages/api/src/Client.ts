/** The typed client that derives from the contract. */
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "./Api.ts"

/**
 * A client for the server at `baseUrl`. Needs an `HttpClient`, such as `FetchHttpClient.layer`; errors are
 * those of the contract, by code.
 */
export const makeClient = (options: { readonly baseUrl: string; readonly apiKey: string }) =>
  HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(options.apiKey))
  }).pipe(Effect.withSpan("Cairn.makeClient"))
