/** `cairn alert-rule list|create|update|delete|backtest` */
import { AlertBacktest, AlertRules, type StoredAlertRule, toAlertRule } from "@cairn/core/alert"
import { Micros, StrictJson } from "@cairn/core/encoding"
import { AlertRuleManagement, COMMAND_LINE } from "@cairn/core/management"
import { limitsOf } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { layerAlertRules } from "../layers/Commands.ts"
import { configuration, findWorkspace, json, print, row, workspaceFlag } from "./Shared.ts"

const withDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(configuration, (settings) => Effect.provide(effect, layerAlertRules(settings)))

const view = ({ id, definition, created_at, updated_at }: StoredAlertRule) => ({
  id,
  ...definition,
  created_at: Micros.format(created_at),
  updated_at: Micros.format(updated_at)
})

const line = ({ id, definition: { rule_type, enabled, name, parameters } }: StoredAlertRule): string =>
  row(id, rule_type, enabled ? "on" : "off", name, JSON.stringify(parameters))

const ruleArgument = Argument.String("rule").pipe(Argument.withDescription("Id: rul_…"))

const definitionArgument = Argument.String("definition").pipe(
  Argument.withDescription('As in the body of the request: \'{"name": "…", "rule_type": "new_country"}\'')
)

const parse = (text: string) => Effect.fromResult(StrictJson.parse(text))

const list = Command.make(
  "list",
  { workspace: workspaceFlag, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const rules = yield* (yield* AlertRules).list(id)
      const text = rules.length === 0 ? "No alert rules" : rules.map(line).join("\n")
      yield* print(flags.json, rules.map(view), text)
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn alert-rule list -w Acme" }]),
  Command.withDescription("List a workspace's alert rules, newest first")
)

const create = Command.make(
  "create",
  { workspace: workspaceFlag, definition: definitionArgument, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id, plan, overrides } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const owner = { workspaceId: id, limit: limitsOf(plan, overrides).alert_rules }
      const management = yield* AlertRuleManagement
      const rule = yield* management.create(COMMAND_LINE, owner, yield* parse(flags.definition))
      yield* print(flags.json, view(rule), line(rule))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([
    { command: 'cairn alert-rule create -w Acme \'{"name":"From a new country","rule_type":"new_country"}\'' }
  ]),
  Command.withDescription("Create an alert rule")
)

const update = Command.make(
  "update",
  { workspace: workspaceFlag, rule: ruleArgument, definition: definitionArgument, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const management = yield* AlertRuleManagement
      const rule = yield* management.change(COMMAND_LINE, id, flags.rule, yield* parse(flags.definition))
      yield* print(flags.json, view(rule), line(rule))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn alert-rule update -w Acme rul_… '{\"enabled\":false}'" }]),
  Command.withDescription("Change the members of an alert rule that the definition names")
)

const remove = Command.make(
  "delete",
  { workspace: workspaceFlag, rule: ruleArgument, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const rule = yield* (yield* AlertRuleManagement).remove(COMMAND_LINE, id, flags.rule)
      yield* print(flags.json, view(rule), line(rule))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn alert-rule delete -w Acme rul_…" }]),
  Command.withDescription("Delete an alert rule; its alerts stay")
)

const backtest = Command.make(
  "backtest",
  { workspace: workspaceFlag, rule: ruleArgument, json },
  Effect.fn(function* (flags) {
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const rule = yield* (yield* AlertRuleManagement).find(id, flags.rule)
      const report = yield* (yield* AlertBacktest).run(id, toAlertRule(rule))
      const alerts = report.alerts.map(({ triggered_at, reason }) => `${triggered_at}  ${reason}`)
      const summary = `${report.alerts.length}${report.complete ? "" : " or more"} alerts in ${report.events} events`
      yield* print(flags.json, report, [...alerts, summary].join("\n"))
    }).pipe(withDatabase)
  })
).pipe(
  Command.withExamples([{ command: "cairn alert-rule backtest -w Acme rul_…" }]),
  Command.withDescription("Run an alert rule over the whole log, without raising alerts")
)

/** `cairn alert-rule` */
export const alertRuleCommand = Command.make("alert-rule").pipe(
  Command.withExamples([{ command: "cairn alert-rule list -w Acme" }]),
  Command.withDescription("The rules that raise alerts"),
  Command.withSubcommands([list, create, update, remove, backtest])
)
