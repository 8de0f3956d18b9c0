import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { cp, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { lastTexts } from "./Dockerfile.ts"
import { because, findTool, root, runTool } from "./Tools.ts"

const Texts = Schema.Array(Schema.String)
const Named = Schema.Record(Schema.String, Schema.String)
const optional = Schema.optionalKey

/** A service of a compose file here. Compose refuses an unknown key, and so does this. */
const Service = Schema.Struct({
  image: Schema.String,
  build: optional(Schema.Literal(".")),
  profiles: optional(Texts),
  restart: Schema.Literal("unless-stopped"),
  read_only: optional(Schema.Boolean),
  cap_drop: optional(Texts),
  cap_add: optional(Texts),
  security_opt: Schema.Tuple([Schema.Literal("no-new-privileges:true")]),
  stop_grace_period: optional(Schema.String),
  shm_size: optional(Schema.String),
  environment: Named,
  secrets: optional(Texts),
  ports: optional(Texts),
  networks: optional(Texts),
  volumes: Texts,
  depends_on: optional(
    Schema.Record(Schema.String, Schema.Struct({ condition: Schema.Literal("service_healthy") }))
  ),
  healthcheck: optional(
    Schema.Struct({ test: Texts, interval: Schema.String, timeout: Schema.String, retries: Schema.Number })
  )
})

const Compose = Schema.Struct({
  services: Schema.Record(Schema.String, Service),
  networks: Schema.Record(
    Schema.String,
    Schema.Struct({
      ipam: Schema.Struct({ config: Schema.Array(Schema.Struct({ subnet: Schema.String })) })
    })
  ),
  volumes: Schema.Record(Schema.String, Schema.Null),
  secrets: Schema.Record(Schema.String, Schema.Struct({ file: Schema.String }))
})

const read = (): typeof Compose.Type => {
  const all: Record<string, unknown> = parse(readFileSync(join(root, "compose.yaml"), "utf8"), {
    merge: true
  })
  const known = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("x-")))
  return Schema.decodeUnknownSync(Compose, { onExcessProperty: "error" })(known)
}

const compose = findTool([["docker", "compose"], ["docker-compose"]])
const isCairn = ([, { image }]: [string, typeof Service.Type]) => image === "cairn"

describe("compose.yaml", () => {
  const file = read()
  const services = Object.entries(file.services)

  it("starts one server on SQLite by itself, and all else with the profile", () => {
    assert.deepStrictEqual(
      services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name),
      ["cairn"]
    )
    const [, volume = ""] = file.services.cairn?.volumes[0]?.split(":") ?? []
    assert.deepStrictEqual(lastTexts("VOLUME"), [volume])
  })

  it("gives the servers no way to write but their volume, and no capability", () => {
    assert.lengthOf(services.filter(isCairn), 3)
    for (const [name, { read_only, cap_drop, cap_add, stop_grace_period }] of services.filter(isCairn)) {
      assert.deepStrictEqual([read_only, cap_drop, cap_add], [true, ["ALL"], undefined], name)
      assert.strictEqual(stop_grace_period, "30s")
    }
  })

  it("takes images of others by an exact tag", () => {
    for (const [, { image, build }] of services) {
      if (build === undefined) assert.match(image, /^[a-z]+:\d+\.\d+[\d.]*-[a-z]+$/)
    }
  })

  it("holds secrets in files alone, and shows none but the proxy and a server on this machine", () => {
    const secrets = Object.keys(file.secrets)
    for (const [name, service] of services) {
      for (const secret of service.secrets ?? []) {
        assert.include(secrets, secret)
        assert.include(Object.values(service.environment), `/run/secrets/${secret}`)
      }
      for (const [variable, value] of Object.entries(service.environment)) {
        if (/KEY|PASSWORD|DATABASE_URL/.test(variable)) assert.match(`${variable}=${value}`, /_FILE=\/run/)
      }
      if (name !== "caddy")
        assert.deepStrictEqual(service.ports ?? [], name === "cairn" ? ["127.0.0.1:8787:8787"] : [])
    }
  })

  it("gives Caddy the servers that there are, and the servers the network that Caddy is in", () => {
    const shared = services.filter(isCairn).filter(([, { profiles }]) => profiles !== undefined)
    assert.strictEqual(
      file.services.caddy?.environment.CAIRN_SERVERS,
      shared.map(([name]) => `${name}:8787`).join(" ")
    )
    for (const [, { environment, networks }] of shared) {
      assert.deepStrictEqual(networks, file.services.caddy?.networks)
      assert.strictEqual(environment.CAIRN_TRUSTED_PROXIES, file.networks.inside?.ipam.config[0]?.subnet)
    }
  })

  it.skipIf(compose === undefined).each([[["--profile", "postgres"]], [[]]])(
    `is read by Compose itself, with %s${because(compose, "Compose")}`,
    (profile) => {
      const env = { CAIRN_DOMAIN: "audit.example.com" }
      const { code, said, stdout } = runTool(
        [...(compose ?? []), ...profile, "--file", "compose.yaml", "config"],
        { env }
      )
      assert.strictEqual(code, 0, said)
      const found = Object.keys(parse(stdout).services)
      if (profile.length > 0) assert.sameMembers(found, Object.keys(file.services))
      else assert.include(found, "cairn")
    }
  )
})

describe("ops/compose/secrets.sh", () => {
  it("makes each secret of compose.yaml once, where only its owner gets to it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-secrets-"))
    try {
      await mkdir(join(folder, "ops/compose"), { recursive: true })
      const script = join(folder, "ops/compose/secrets.sh")
      await cp(join(root, "ops/compose/secrets.sh"), script)
      const made = () => {
        execFileSync(script)
        return Object.values(read().secrets).map(({ file }) => readFileSync(join(folder, file), "utf8"))
      }
      const [password = "", url = "", key = ""] = made()
      assert.match(password, /^[0-9a-f]{48}$/)
      assert.strictEqual(url, `postgres://cairn:${password}@postgres/cairn`)
      assert.lengthOf(Buffer.from(key, "base64"), 32)
      assert.deepStrictEqual(made(), [password, url, key])
      assert.strictEqual(statSync(join(folder, "secrets")).mode & 0o777, 0o700)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
