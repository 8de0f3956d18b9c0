import { openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "./TestServer.ts"

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> }
}

const document = JSON.parse(JSON.stringify(openApiDocument("/"))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Every operation with a body; those that make something before those that change it. */
const operations = Object.entries(document.paths)
  .flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, requestBody }]) =>
      requestBody === undefined
        ? []
        : [{ path, method, operationId, example: requestBody.content["application/json"]?.example }]
    )
  )
  .sort((one, other) => Number(one.path.includes("{")) - Number(other.path.includes("{")))

describe("The examples of the OpenAPI document", () => {
  it.live("are taken by a fresh workspace as they are, one for each body", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.isAbove(operations.length, 15)
      for (const { path, method, operationId, example } of operations) {
        assert.isDefined(example, operationId)
        const made = path.includes("{id}")
          ? (yield* send({ path: path.replace("/{id}", ""), key })).json<{ data: [{ id: string }] }>().data[0]
              .id
          : ""
        const response = yield* send({
          method: method.toUpperCase(),
          path: path.replace("{id}", made),
          key,
          body: example
        })
        assert.isTrue(response.status >= 200 && response.status < 300, `${operationId}: ${response.text}`)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
