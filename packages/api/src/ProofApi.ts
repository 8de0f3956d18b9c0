/** The endpoints of the log as a Merkle tree: checkpoints, their consistency, and proofs of events. */

import { FieldSchemas as Field } from "@cairn/core/encoding"
import { formedText } from "@cairn/core/event"
import { Page } from "@cairn/core/log"
import { SignedCheckpointView } from "@cairn/core/note"
import { EventProof, EventProofs } from "@cairn/core/proof"
import { LogVerificationStatus } from "@cairn/core/verification"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import { BODY_ERRORS, INVALID_PARAMETER, NOT_FOUND, VALIDATION_FAILED } from "./ErrorBody.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

/** Most events that one request may ask the proofs of: a page. */
const MAX_PROOFS = 100

/** The proof that the log of one checkpoint begins with the log of an earlier one. */
export const Consistency = Schema.Struct({
  first_size: Schema.Int.annotate({ description: "Events of the earlier log", minimum: 1 }),
  second_size: Schema.Int.annotate({ description: "Events of the later one", minimum: 1 }),
  hashes: Schema.Array(Field.sha256("A node of the tree")).annotate({
    description: "The proof, in the order of RFC 9162 section 2.1.4.1"
  })
}).annotate({
  identifier: "Consistency",
  description: "The proof that the log of one checkpoint begins with the log of an earlier one"
})
export type Consistency = typeof Consistency.Type

const uuidFault = (id: string) =>
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) ? undefined : "must be a UUID"

const countFault = (ids: ReadonlyArray<string>) =>
  ids.length >= 1 && ids.length <= MAX_PROOFS ? undefined : `must have from 1 to ${MAX_PROOFS} ids`

/** The events whose proofs are asked for. */
export const ProofsInput = Schema.Struct({
  ids: Schema.Array(formedText(uuidFault, { pattern: Field.ANY_CASE_UUID }))
    .check(Schema.makeFilter(countFault, { toJsonSchema: () => ({ minItems: 1, maxItems: MAX_PROOFS }) }))
    .annotate({
      description: `1 to ${MAX_PROOFS} event ids`
    })
}).annotate({ identifier: "ProofsInput", description: "The events whose proofs are asked for" })

const sizeParameter = (description: string) =>
  Schema.String.annotate({
    description: `${description}; a whole number from 1 on`,
    pattern: "^[1-9][0-9]{0,15}$"
  })

const getVerification = HttpApiEndpoint.get("getVerification", "/api/v1/verification", {
  success: Schema.Struct({ data: LogVerificationStatus }).annotate({
    description: "How far it has come, and what it found"
  })
}).annotateMerge(
  OpenApi.annotations({
    summary: "Get how far the service itself has verified the log",
    description:
      "The service reads every log again from its first event to its last, once a day unless it is set otherwise, and follows new events at " +
      "the end. This is where it is and what it found. Nothing is verified by the request itself: `GET /api/v1/verify` does that."
  })
)

const checkpoint = HttpApiEndpoint.get("checkpoint", "/api/v1/checkpoint", {
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" })).annotate({
    description: "A signed note: origin, size, root, and a line for each signature"
  })
}).annotateMerge(
  OpenApi.annotations({
    summary: "Get the signed checkpoint of the log",
    description:
      "The log's size and RFC 6962 Merkle root at this moment, as a C2SP tlog-checkpoint signed with Ed25519. Who keeps one can prove " +
      "later that the log was changed."
  })
)

const consistency = HttpApiEndpoint.get("checkpointConsistency", "/api/v1/checkpoint/consistency", {
  query: {
    from: sizeParameter("Size of the earlier checkpoint"),
    to: sizeParameter("Size of the later one")
  },
  success: Schema.Struct({ data: Consistency }).annotate({ description: "The proof" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "Prove that one checkpoint grew out of another",
    description: "RFC 9162 section 2.1.4: the log of `to` events begins with the log of `from` events."
  })
)

const listCheckpoints = HttpApiEndpoint.get("listCheckpoints", "/api/v1/checkpoints", {
  query: pageParameters,
  success: Page(SignedCheckpointView).annotate({ description: "A page of checkpoints" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List the checkpoints that were signed unasked, newest first",
    description:
      "One an hour, unless the service is set otherwise, while events come. They are kept for ever, and told by the webhook " +
      "`checkpoint.signed` and in log streams; between any two of them `/api/v1/checkpoint/consistency` proves that the log only grew.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const proof = HttpApiEndpoint.get("eventProof", "/api/v1/events/:id/proof", {
  params: { id: Schema.String.annotate({ description: "The event's UUID" }) },
  success: EventProof,
  error: NOT_FOUND
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Prove one event",
      description:
        "Content, salt and header of the event, its way to the root of the newest checkpoint, and to that of its anchor once there is one. " +
        "It tells how many events the log has, and which of them this is."
    })
  )

const proofs = HttpApiEndpoint.post("eventProofs", "/api/v1/events/proofs", {
  payload: ProofsInput,
  success: EventProofs,
  error: [...BODY_ERRORS, VALIDATION_FAILED]
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Prove a page of events",
      description:
        "The proofs of up to 100 events under one checkpoint. Events that are not in the chain, or not visible, are left out."
    })
  )

/** Checkpoints and proofs. */
export class ProofApi extends HttpApiGroup.make("proofs")
  .add(getVerification, checkpoint, listCheckpoints, consistency, proof, proofs)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Proofs", description: "What an auditor checks the log by" })
  ) {}
