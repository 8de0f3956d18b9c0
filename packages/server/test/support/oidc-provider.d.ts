/** The part of the OpenID Connect provider that the tests use; it comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
      readonly provider: Provider
    }
  }

  /** Where a provider keeps what it knows, of one kind each. */
  interface Adapter {
    upsert(id: string, payload: Record<string, unknown>, expiresIn?: number): Promise<void>
    find(id: string): Promise<Record<string, unknown> | undefined>
    findByUid(uid: string): Promise<Record<string, unknown> | undefined>
    findByUserCode(code: string): Promise<undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  interface Configuration {
    readonly adapter: (kind: string) => Adapter
    readonly claims: Readonly<Record<string, ReadonlyArray<string>>>
    readonly clients: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly conformIdTokenClaims: boolean
    readonly cookies: { readonly keys: ReadonlyArray<string> }
    readonly features: { readonly devInteractions: { readonly enabled: boolean } }
    readonly findAccount: (
      context: Context,
      id: string
    ) => Promise<
      | { readonly accountId: string; readonly claims: () => Promise<Readonly<Record<string, unknown>>> }
      | undefined
    >
    readonly interactions: {
      readonly url: (context: Context, interaction: { readonly uid: string }) => string
    }
    readonly jwks: { readonly keys: ReadonlyArray<Readonly<Record<string, unknown>>> }
    readonly loadExistingGrant: (context: Context) => Promise<Grant>
    readonly pkce: { readonly required: () => boolean }
    readonly ttl: Readonly<Record<string, number>>
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration)
    readonly Grant: new (of: {
      readonly clientId: string
      readonly accountId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>
    ): Promise<void>
    on(event: string, listener: (context: Context, error: Error) => void): this
  }
}
