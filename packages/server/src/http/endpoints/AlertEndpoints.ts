/** Alerts, and the rules that raise them. */
import type { AlertRuleView } from "@cairn/api"
import {
  AlertBacktest,
  type AlertFilter,
  AlertReader,
  AlertRules,
  type StoredAlertRule,
  toAlertRule
} from "@cairn/core/alert"
import { AlertRuleType } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { AlertRuleManagement } from "@cairn/core/management"
import { Effect } from "effect"
import type { Endpoint } from "../gate/Endpoint.ts"
import { createdAnswer, jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { type Query, readQuery } from "../plumbing/QueryParameters.ts"
import { collectionPage, manager, readBody } from "./ManagementRequest.ts"

const ruleView = ({ id, definition, created_at, updated_at }: StoredAlertRule): AlertRuleView => ({
  id,
  ...definition,
  created_at: Micros.format(created_at),
  updated_at: Micros.format(updated_at)
})

const alertFilter = (query: Query): AlertFilter => {
  const from = query.moment("from")
  const to = query.moment("to")
  const ruleType = query.choice("rule_type", AlertRuleType.literals)
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(ruleType === undefined ? {} : { ruleType })
  }
}

/** The endpoints, by their names in the contract. */
export const makeAlertEndpoints = Effect.gen(function* () {
  const reader = yield* AlertReader
  const rules = yield* AlertRules
  const backtest = yield* AlertBacktest
  const management = yield* AlertRuleManagement

  const listAlerts: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const request = yield* readQuery(query, (parameters) => ({
      filter: alertFilter(parameters),
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(yield* reader.list({ workspaceId: identity.workspaceId, ...request }))
  }, asApiError)

  const acknowledgeAlert: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    return jsonAnswer({ data: yield* management.acknowledge(manager(request), workspaceId, request.id) })
  }, asApiError)

  const listAlertRules: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const page = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(collectionPage(yield* rules.list(identity.workspaceId), page, ruleView))
  }, asApiError)

  const createAlertRule: Endpoint = Effect.fnUntraced(function* (request) {
    const owner = {
      workspaceId: request.identity.workspaceId,
      limit: request.profile.limits.alert_rules
    }
    const rule = yield* management.create(manager(request), owner, yield* readBody(request))
    return createdAnswer(ruleView(rule))
  }, asApiError)

  const getAlertRule: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    return jsonAnswer({ data: ruleView(yield* management.find(identity.workspaceId, id)) })
  }, asApiError)

  const updateAlertRule: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    const body = yield* readBody(request)
    const rule = yield* management.change(manager(request), workspaceId, request.id, body)
    return jsonAnswer({ data: ruleView(rule) })
  }, asApiError)

  const deleteAlertRule: Endpoint = Effect.fnUntraced(function* (request) {
    const rule = yield* management.remove(manager(request), request.identity.workspaceId, request.id)
    return jsonAnswer({ data: ruleView(rule) })
  }, asApiError)

  const backtestAlertRule: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    const { workspaceId } = identity
    const rule = yield* management.find(workspaceId, id)
    return jsonAnswer({ data: yield* backtest.run(workspaceId, toAlertRule(rule)) })
  }, asApiError)

  const tryAlertRule: Endpoint = Effect.fnUntraced(function* (request) {
    const rule = yield* management.draft(yield* readBody(request))
    return jsonAnswer({ data: yield* backtest.run(request.identity.workspaceId, rule) })
  }, asApiError)

  return {
    listAlerts,
    acknowledgeAlert,
    listAlertRules,
    createAlertRule,
    getAlertRule,
    updateAlertRule,
    deleteAlertRule,
    backtestAlertRule,
    tryAlertRule
  }
})
