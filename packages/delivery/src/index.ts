/** Webhooks, e-mail and log streams: signed, guarded, retried. */
export {}
