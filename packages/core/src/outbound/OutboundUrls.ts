/** Port: which URLs the service sends to. */
import { Context, type Result } from "effect"
import type { OutboundRefused } from "./OutboundAddress.ts"

/**
 * Contract: `check` says what can be told of a URL without resolving its host; what is dialled is checked
 * once more then.
 */
export class OutboundUrls extends Context.Service<
  OutboundUrls,
  { readonly check: (url: string) => Result.Result<URL, OutboundRefused> }
>()("@cairn/core/OutboundUrls") {}
