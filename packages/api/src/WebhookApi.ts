/** The endpoints for webhooks, and for what was sent to them and by mail. */
import { DeliveryChannel } from "@cairn/core/consumer"
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Page } from "@cairn/core/log"
import { DeliveryStatus, OUTBOUND_EVENT_TYPES, WebhookInput, WebhookPatch } from "@cairn/core/outbound"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { BODY_ERRORS, CONFLICT, INVALID_PARAMETER, NOT_FOUND, VALIDATION_FAILED } from "./ErrorBody.ts"
import { describeLimit, limitParameter, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

const webhookFields = {
  id: Field.prefixedId("whk", "The webhook's id: `whk_` and a UUID"),
  url: Field.url("Where messages go"),
  description: Field.nullable(Schema.String, "What it is for, in its owner's words; null for nothing"),
  types: Schema.Array(Schema.Literals(OUTBOUND_EVENT_TYPES)).annotate({
    description: "The types of messages that it gets"
  }),
  enabled: Schema.Boolean.annotate({ description: "Whether it is sent anything" }),
  disabled_reason: Field.nullable(
    Schema.Literals(["gone", "failing"]),
    "Why Cairn switched it off: it answered `410`, or failed for days; null while it is on, or when it was switched off by hand"
  ),
  failing_since: Field.nullable(
    Field.timestamp(),
    "Since when every attempt has failed; null after a success"
  ),
  created_at: Field.timestamp("When it was made"),
  updated_at: Field.timestamp("When it was last changed")
}

/** A webhook, without its secret. */
export const WebhookView = Schema.Struct(webhookFields).annotate({
  identifier: "Webhook",
  description: "A webhook, without its secret"
})
export type WebhookView = typeof WebhookView.Type

/** A webhook with its secret, which is shown when it is made and never again. */
const WebhookWithSecret = Schema.Struct({
  ...webhookFields,
  secret: Schema.String.annotate({
    description: "What its messages are signed with, `whsec_…`; it is not shown again",
    pattern: "^whsec_"
  })
}).annotate({ identifier: "WebhookWithSecret", description: "A webhook with its secret" })

const deliveryFields = {
  id: Field.prefixedId("dlv", "The delivery's id: `dlv_` and a UUID"),
  channel: DeliveryChannel.annotate({ description: "How it is sent; `stream`: a test of a log stream" }),
  target: Schema.String.annotate({ description: "A webhook's id, a mail address, or a log stream's id" }),
  type: Schema.String.annotate({ description: "What it tells, such as `alert.triggered`" }),
  status: DeliveryStatus.annotate({ description: "On its way, taken by its receiver, or given up" }),
  attempts: Field.count("Attempts since it was made, or last sent again by hand"),
  next_attempt_at: Field.nullable(Field.timestamp(), "When it is tried next; null when it is not"),
  created_at: Field.timestamp("When it was made")
}

/** A message to one receiver. */
export const DeliveryView = Schema.Struct(deliveryFields).annotate({
  identifier: "Delivery",
  description: "A message to one receiver"
})
export type DeliveryView = typeof DeliveryView.Type

/** One attempt at it. */
export const AttemptView = Schema.Struct({
  started_at: Field.timestamp("When it began"),
  duration_ms: Field.count("How long it took, in milliseconds"),
  status: Schema.NullOr(Schema.Int).annotate({ description: "Of the HTTP answer; null without one" }),
  answer: Schema.String.annotate({ description: "The first 1,024 bytes of the answer" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why no answer came" })
}).annotate({ identifier: "DeliveryAttempt", description: "One attempt to send a message" })
export type AttemptView = typeof AttemptView.Type

/** A test message, and what its receiver answered. */
export const TestDelivery = Schema.Struct({
  ...deliveryFields,
  attempt: Schema.optionalKey(
    AttemptView.annotate({ description: "The first attempt; missing if none ended within `wait`" })
  )
}).annotate({ identifier: "TestDelivery", description: "A test message, and what its receiver answered" })

/** How many seconds a test waits for its receiver's answer. */
export const TEST_WAIT = { maximum: 20, otherwise: 10 }

/** A message, what it says, and every attempt at it, first to last. */
export const DeliveryDetail = Schema.Struct({
  ...deliveryFields,
  payload: Schema.String.annotate({ description: "The body, byte for byte" }),
  log: Schema.Array(AttemptView).annotate({ description: "Every attempt, first to last" })
}).annotate({ identifier: "DeliveryDetail", description: "A message, what it says, and every attempt at it" })

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const webhookId = { id: Schema.String.annotate({ description: "The webhook's id, `whk_…`" }) }
const deliveryId = { id: Schema.String.annotate({ description: "The delivery's id, `dlv_…`" }) }
const statusParameter = Schema.optionalKey(DeliveryStatus.annotate({ description: "Those that stand so" }))

const listWebhooks = HttpApiEndpoint.get("listWebhooks", "/api/v1/webhooks", {
  query: pageParameters,
  success: Page(WebhookView).annotate({ description: "A page of webhooks" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({ summary: "List webhooks, newest first", transform: describeLimit(PAGE_BOUNDS) })
)

const createWebhook = HttpApiEndpoint.post("createWebhook", "/api/v1/webhooks", {
  payload: WebhookInput,
  success: data(WebhookWithSecret)
    .annotate({ description: "The webhook and its secret" })
    .pipe(HttpApiSchema.status(201)),
  error: [...BODY_ERRORS, VALIDATION_FAILED, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Create a webhook",
    description:
      "`data.secret` is shown this once. Messages are signed with it by the Standard Webhooks specification and in `X-Cairn-Signature`."
  })
)

const getWebhook = HttpApiEndpoint.get("getWebhook", "/api/v1/webhooks/:id", {
  params: webhookId,
  success: data(WebhookView).annotate({ description: "The webhook, without its secret" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one webhook" }))

const updateWebhook = HttpApiEndpoint.patch("updateWebhook", "/api/v1/webhooks/:id", {
  params: webhookId,
  payload: WebhookPatch,
  success: data(WebhookView).annotate({ description: "The webhook as it is now" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED, NOT_FOUND]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change a webhook",
    description:
      "Switching one on again forgets that it failed. Messages that were given up are sent again one by one."
  })
)

const deleteWebhook = HttpApiEndpoint.delete("deleteWebhook", "/api/v1/webhooks/:id", {
  params: webhookId,
  success: data(WebhookView).annotate({ description: "The webhook that was" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({ summary: "Delete a webhook", description: "What waits for it is given up." })
)

const testWebhook = HttpApiEndpoint.post("testWebhook", "/api/v1/webhooks/:id/test", {
  params: webhookId,
  query: { wait: limitParameter },
  success: data(TestDelivery)
    .annotate({ description: "The message, and what the receiver answered" })
    .pipe(HttpApiSchema.status(202)),
  error: [INVALID_PARAMETER, NOT_FOUND]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Send a test message to a webhook",
    description:
      "Sends `webhook.test`, also when the webhook is off, and waits for the first attempt: `attempt` has the status and the first " +
      "1,024 bytes of what the receiver answered.",
    transform: describeLimit(
      TEST_WAIT,
      "wait",
      `Seconds to wait for the receiver's answer; ${TEST_WAIT.otherwise} unless given`
    )
  })
)

const rotateWebhookSecret = HttpApiEndpoint.post(
  "rotateWebhookSecret",
  "/api/v1/webhooks/:id/rotate-secret",
  {
    params: webhookId,
    success: data(WebhookWithSecret).annotate({ description: "The webhook and its new secret" }),
    error: NOT_FOUND
  }
).annotateMerge(
  OpenApi.annotations({
    summary: "Replace a webhook's secret",
    description:
      "`data.secret` is shown this once. For a day messages are signed with the old secret as well."
  })
)

const listWebhookDeliveries = HttpApiEndpoint.get(
  "listWebhookDeliveries",
  "/api/v1/webhooks/:id/deliveries",
  {
    params: webhookId,
    query: { status: statusParameter, ...pageParameters },
    success: Page(DeliveryView).annotate({ description: "A page of deliveries" }),
    error: [INVALID_PARAMETER, NOT_FOUND]
  }
).annotateMerge(
  OpenApi.annotations({
    summary: "List a webhook's deliveries, newest first",
    description: "They are kept for thirty days.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const listDeliveries = HttpApiEndpoint.get("listDeliveries", "/api/v1/deliveries", {
  query: {
    channel: Schema.optionalKey(DeliveryChannel.annotate({ description: "Those that are sent so" })),
    status: statusParameter,
    ...pageParameters
  },
  success: Page(DeliveryView).annotate({ description: "A page of deliveries" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List the deliveries of all webhooks and by mail, newest first",
    description: "They are kept for thirty days.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const getDelivery = HttpApiEndpoint.get("getDelivery", "/api/v1/deliveries/:id", {
  params: deliveryId,
  success: data(DeliveryDetail).annotate({ description: "The delivery and every attempt at it" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one delivery and its attempts" }))

const redeliver = HttpApiEndpoint.post("redeliver", "/api/v1/deliveries/:id/redeliver", {
  params: deliveryId,
  success: data(DeliveryView)
    .annotate({ description: "The message on its way" })
    .pipe(HttpApiSchema.status(202)),
  error: [NOT_FOUND, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Send a delivery again",
    description:
      "At once, whatever became of it; its schedule of retries starts again. The webhook must be there and on, and a mail must still be its receiver's to get; receivers tell repetitions by " +
      "`webhook-id`, which stays."
  })
)

/** Webhooks. */
export class WebhookApi extends HttpApiGroup.make("webhooks")
  .add(
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    testWebhook,
    rotateWebhookSecret,
    listWebhookDeliveries
  )
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Webhooks", description: "Receivers of signed messages about what happens" })
  ) {}

/** Deliveries. */
export class DeliveryApi extends HttpApiGroup.make("deliveries")
  .add(listDeliveries, getDelivery, redeliver)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Deliveries", description: "What was sent to webhooks and by mail" })
  ) {}
