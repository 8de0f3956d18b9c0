/**
 * What the server's main thread asks of its log thread: the requests and the results of the core, as its
 * schemas have them.
 */

import { AlertListRequest, AlertRuleDefinition, BacktestResult } from "@cairn/core/alert"
import { AnchorVerification, ClosedPeriod, LogDamaged } from "@cairn/core/anchor"
import { IssuedCheckpoint, LogNotAsSigned } from "@cairn/core/checkpoint"
import { Alert, ListedAlert } from "@cairn/core/consumer"
import { SentExportRequest } from "@cairn/core/export"
import { SecretUnreadable } from "@cairn/core/hashing"
import {
  ClockAhead,
  CountRequest,
  Facets,
  FacetsRequest,
  Histogram,
  HistogramRequest,
  ListRequest,
  Page,
  RangeCountRequest,
  StorageUnavailable
} from "@cairn/core/log"
import { ConsistencyProof, MalformedHash, MissingNode, SizesOutOfRange } from "@cairn/core/merkle"
import { Delivery, DeliveryListRequest, DeliveryWithAttempts } from "@cairn/core/outbound"
import { ProofTexts } from "@cairn/core/proof"
import { ChainVerification, VerifyRequest } from "@cairn/core/verification"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { EventRequest, ListAnswer, ViewedProofRequest } from "./EventAnswers.ts"

/**
 * Events cross, and are returned, as JSON text: they hold arbitrary JSON, which may be expensive to parse,
 * and a copy through a schema would have to be trusted with keys such as `__proto__`.
 */
const EventJson = Schema.String

const DamagedTree = Schema.Union([MissingNode, MalformedHash])
const CheckpointError = Schema.Union([LogNotAsSigned, DamagedTree, SecretUnreadable, StorageUnavailable])

const { workspaceId } = ListRequest.fields

/** The calls. */
export class LogRpcs extends RpcGroup.make(
  Rpc.make("Get", {
    payload: EventRequest.fields,
    success: Schema.NullOr(EventJson),
    error: StorageUnavailable
  }),
  Rpc.make("List", { payload: ListRequest.fields, success: ListAnswer, error: StorageUnavailable }),
  Rpc.make("Count", { payload: CountRequest.fields, success: Schema.Int, error: StorageUnavailable }),
  Rpc.make("CountRange", {
    payload: RangeCountRequest.fields,
    success: Schema.Int,
    error: StorageUnavailable
  }),
  Rpc.make("Histogram", { payload: HistogramRequest.fields, success: Histogram, error: StorageUnavailable }),
  Rpc.make("Facets", { payload: FacetsRequest.fields, success: Facets, error: StorageUnavailable }),
  Rpc.make("Verify", {
    payload: VerifyRequest.fields,
    success: ChainVerification,
    error: StorageUnavailable
  }),
  Rpc.make("Checkpoint", { payload: { workspaceId }, success: IssuedCheckpoint, error: CheckpointError }),
  Rpc.make("Consistency", {
    payload: { workspaceId, from: Schema.Number, to: Schema.Number },
    success: ConsistencyProof,
    error: Schema.Union([SizesOutOfRange, DamagedTree, StorageUnavailable])
  }),
  Rpc.make("Prove", { payload: ViewedProofRequest.fields, success: ProofTexts, error: CheckpointError }),
  Rpc.make("ClosePeriod", {
    payload: { workspaceId },
    success: Schema.NullOr(ClosedPeriod),
    error: Schema.Union([LogDamaged, ClockAhead, StorageUnavailable])
  }),
  Rpc.make("VerifyAnchor", {
    payload: { workspaceId, anchorId: ClosedPeriod.fields.id },
    success: Schema.NullOr(AnchorVerification),
    error: StorageUnavailable
  }),
  Rpc.make("Alerts", {
    payload: AlertListRequest.fields,
    success: Page(ListedAlert),
    error: StorageUnavailable
  }),
  Rpc.make("Backtest", {
    payload: { workspaceId, ruleId: Alert.fields.rule_id, definition: AlertRuleDefinition },
    success: BacktestResult,
    error: StorageUnavailable
  }),
  Rpc.make("Deliveries", {
    payload: DeliveryListRequest.fields,
    success: Page(Delivery),
    error: StorageUnavailable
  }),
  Rpc.make("Delivery", {
    payload: { workspaceId, id: Delivery.fields.id },
    success: Schema.NullOr(DeliveryWithAttempts),
    error: StorageUnavailable
  }),
  /** The text of a file, in pieces; the next one is read when one is taken. */
  Rpc.make("SendExport", {
    payload: SentExportRequest.fields,
    success: Schema.String,
    error: StorageUnavailable,
    stream: true
  }),
  /** Returns once nothing waits to be sequenced. */
  Rpc.make("Drain", { error: StorageUnavailable })
) {}
