/** Port: which URLs the service sends to. */
import { Context, type Result } from "effect"
import type { OutboundRefused } from "./OutboundAddress.ts"

/**
 * Contract: `check` checks a URL as far as possible without resolving its host. The address is checked again
 * when it is called.
 */
export class OutboundUrls extends Context.Service<
  OutboundUrls,
  { readonly check: (url: string) => Result.Result<URL, OutboundRefused> }
>()("@cairn/core/OutboundUrls") {}
