/** The Helm chart, rendered by Helm, where the machine has it, and held against what Kubernetes accepts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parseAllDocuments } from "yaml"
import { pythonPackages } from "../../../server/test/contract/Tools.ts"
import { lastTexts } from "./Dockerfile.ts"
import { because, findTool, root, runTool } from "./Tools.ts"

const CHART = "ops/helm/cairn"
/** The oldest Kubernetes that the chart takes, and the newest that the schemas are of. */
const VERSIONS = ["1.27", "1.37"]

const helm = findTool([["helm"], [join(homedir(), "go/bin/helm")]])

const render = (values: ReadonlyArray<string>, version = "1.37") =>
  runTool([...(helm ?? []), "template", "trial", CHART, "--kube-version", `${version}.0`, ...values])

const EVERYTHING = ["--values", `${CHART}/ci/values.yaml`]
const LEAST = ["--set", "data.existingClaim=exports"]

const Named = Schema.Struct({ name: Schema.String })
const Resource = Schema.Struct({
  kind: Schema.String,
  metadata: Named,
  spec: Schema.optionalKey(Schema.Unknown)
})

const Container = Schema.Struct({
  args: Schema.Array(Schema.String),
  env: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  securityContext: Schema.Struct({
    allowPrivilegeEscalation: Schema.Literal(false),
    readOnlyRootFilesystem: Schema.Literal(true),
    capabilities: Schema.Struct({ drop: Schema.Tuple([Schema.Literal("ALL")]) })
  }),
  readinessProbe: Schema.Struct({ httpGet: Schema.Struct({ path: Schema.Literal("/readyz") }) })
})
const decodeDeployment = Schema.decodeUnknownSync(
  Schema.Struct({
    template: Schema.Struct({
      spec: Schema.Struct({
        terminationGracePeriodSeconds: Schema.Number,
        securityContext: Schema.Struct({ runAsNonRoot: Schema.Literal(true), runAsUser: Schema.Number }),
        containers: Schema.Tuple([Container])
      })
    })
  })
)

const resourcesOf = (text: string): ReadonlyArray<typeof Resource.Type> =>
  parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter((value) => value !== null)
    .map((value) => Schema.decodeUnknownSync(Resource)(value))

describe.skipIf(helm === undefined)(`the chart${because(helm, "helm")}`, () => {
  it("has nothing that Helm's linter finds", () => {
    const { code, said } = runTool([...(helm ?? []), "lint", "--strict", CHART, ...EVERYTHING])
    assert.strictEqual(code, 0, said)
  })

  it("makes deployments of both roles that cannot write or rise, as the image's user", () => {
    const deployments = resourcesOf(render(EVERYTHING).stdout).filter(({ kind }) => kind === "Deployment")
    const roles = deployments.map(({ spec }) => {
      const { terminationGracePeriodSeconds, securityContext, containers } =
        decodeDeployment(spec).template.spec
      assert.strictEqual(`${securityContext.runAsUser}:${securityContext.runAsUser}`, lastTexts("USER")[0])
      const [{ args, env }] = containers
      const drain = env.find(({ name }) => name === "CAIRN_DRAIN_SECONDS")?.value
      // What was begun takes up to 15 seconds more.
      assert.isAtLeast(terminationGracePeriodSeconds, Number(drain) + 15)
      // The service listens where other pods reach it, as does the image for requests.
      const metricsHost = env.find(({ name }) => name === "CAIRN_METRICS_HOST")?.value
      assert.strictEqual(metricsHost, "0.0.0.0")
      for (const { name, value } of env) {
        if (/KEY|DATABASE_URL|STORE/.test(name)) assert.match(`${name}=${value}`, /_FILE=\/run\/secrets\//)
      }
      return args.join(" ")
    })
    assert.deepStrictEqual(roles, ["serve --role api", "serve --role worker"])
  })

  it("makes all that can be switched on, and only that", () => {
    const kinds = (values: ReadonlyArray<string>) =>
      resourcesOf(render(values).stdout).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    const least = kinds(LEAST)
    assert.sameMembers(least, [
      "Deployment trial-cairn-api",
      "Deployment trial-cairn-worker",
      "NetworkPolicy trial-cairn",
      "PodDisruptionBudget trial-cairn-api",
      "PodDisruptionBudget trial-cairn-worker",
      "Service trial-cairn",
      "ServiceAccount trial-cairn"
    ])
    assert.sameMembers(kinds(EVERYTHING), [
      ...least,
      "HorizontalPodAutoscaler trial-cairn-api",
      "HorizontalPodAutoscaler trial-cairn-worker",
      "Service trial-cairn-metrics",
      "ServiceMonitor trial-cairn"
    ])
  })

  it("is refused where pods would not find each other's exports, and says what to set", () => {
    const { code, said } = render([])
    assert.notStrictEqual(code, 0)
    assert.match(said, /secretFiles\.CAIRN_EXPORT_STORE .*data\.existingClaim/)
  })

  it("is what Kubernetes accepts, from the oldest version on", { timeout: 300_000 }, async ({ skip }) => {
    const requirements = join(root, "packages/testing/test/shipping/tools/requirements.txt")
    const tools = await pythonPackages("kubernetes", requirements)
    if ("missing" in tools) return skip(tools.missing)
    const folder = mkdtempSync(join(tmpdir(), "cairn-chart-"))
    const validate = (version: string, text: string) => {
      const file = join(folder, "chart.yaml")
      writeFileSync(file, text)
      const program = ["python3", join(tools.folder, "bin/kubernetes-validate")]
      return runTool([...program, "--strict", "-k", version, file], { env: { PYTHONPATH: tools.folder } })
    }
    try {
      for (const version of VERSIONS) {
        for (const values of [EVERYTHING, LEAST]) {
          const { code, said } = validate(version, render(values, version).stdout)
          assert.strictEqual(code, 0, said)
        }
      }
      const misspelt = render(LEAST).stdout.replaceAll("maxSurge", "maxSurg")
      assert.notStrictEqual(validate("1.37", misspelt).code, 0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("the chart's version", () => {
  it("is that of the packages", () => {
    const manifest = readFileSync(join(root, "packages/server/package.json"), "utf8")
    const [, version = ""] = /"version": "([^"]+)"/.exec(manifest) ?? []
    const chart = readFileSync(join(root, CHART, "Chart.yaml"), "utf8")
    assert.include(chart, `\nversion: ${version}\nappVersion: ${version}\n`)
  })
})
