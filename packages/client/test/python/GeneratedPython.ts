/** What the Python client has from the OpenAPI document: types, and a method for each operation. */
import { fileURLToPath } from "node:url"
import { openApiDocument } from "@cairn/api"
import { makeEndpoints } from "../../src/Endpoints.ts"
import { Http } from "../../src/Http.ts"

const file = (name: string) =>
  fileURLToPath(new URL(`../../../../clients/python/src/cairn_client/${name}`, import.meta.url))

/** The files that are made, and how. */
export const PYTHON_FILES = { types: file("types.py"), endpoints: file("_endpoints.py") }

interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

interface Operation {
  readonly summary?: string
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }>
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const HEAD = "# Made by `npm run generate:client` from the OpenAPI document; not to be edited."
/** Names that Python keeps for itself: a parameter of such a name ends in an underscore. */
const KEYWORDS = new Set(
  "as and assert async await break class def del elif else except for from global if import in is"
    .split(" ")
    .concat("lambda nonlocal not or pass raise return try while with yield None True False".split(" "))
)

const document = (): Document => openApiDocument("/") as unknown as Document
const pascal = (name: string): string =>
  name.replace(/(^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, _between, letter: string) => letter.toUpperCase())
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const literal = (value: unknown): string =>
  value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value)

/** Lines of at most 100 columns. */
const wrapped = (text: string, indent: string): ReadonlyArray<string> => {
  const lines = [indent]
  for (const word of text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").split(/\s+/)) {
    const line = lines.at(-1) ?? ""
    if (line.length + word.length > 99 && line.trim() !== "") lines.push(`${indent}${word}`)
    else lines[lines.length - 1] = line.trim() === "" ? `${line}${word}` : `${line} ${word}`
  }
  return lines
}

const docOf = (text: string | undefined, indent: string): ReadonlyArray<string> => {
  if (text === undefined || text === "") return []
  const lines = wrapped(text, indent)
  return lines.length === 1
    ? [`${indent}"""${lines[0]?.trim()}"""`]
    : [`${indent}"""`, ...lines, `${indent}"""`]
}

/** Collects the classes that schemas need, and names their types. */
class Types {
  readonly #done = new Map<string, ReadonlyArray<string>>()

  /** The Python type of a schema; an object without a name gets the one that is proposed. */
  of(schema: Schema, proposed: string): string {
    if (schema.$ref !== undefined) return pascal(schema.$ref.split("/").at(-1) ?? "")
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) {
      const names = choices.map((each, index) => this.of(each, `${proposed}${index === 0 ? "" : index + 1}`))
      const [first, ...rest] = [...new Set(names.map((name) => name))]
      return rest.length === 0 ? (first ?? "Any") : `Union[${[first, ...rest].join(", ")}]`
    }
    switch (schema.type) {
      case "string":
        return "str"
      case "integer":
        return "int"
      case "number":
        return "float"
      case "boolean":
        return "bool"
      case "null":
        return "None"
      case "array":
        return `List[${this.of(schema.items ?? {}, `${proposed}Item`)}]`
      case "object":
        return this.#object(schema, proposed)
    }
    return "Any"
  }

  /** Makes a class, or another name, for a schema of the document. */
  named(name: string, schema: Schema): void {
    const of = this.of(schema, name)
    if (of !== name) this.#done.set(name, [`${name} = ${of.replaceAll(/\b[A-Z]\w+\b(?!\[)/g, quoted)}`])
  }

  #object(schema: Schema, name: string): string {
    const members = Object.entries(schema.properties ?? {})
    if (members.length === 0) {
      const { additionalProperties: further } = schema
      return `Dict[str, ${typeof further === "object" ? this.of(further, `${name}Value`) : "Any"}]`
    }
    const required = new Set(schema.required ?? [])
    const isPlain = members.every(([member]) => /^[A-Za-z_]\w*$/.test(member) && !KEYWORDS.has(member))
    if (!isPlain) {
      const fields = members.map(
        ([member, each]) =>
          `    ${JSON.stringify(member)}: ${JSON.stringify(this.of(each, name + pascal(member)))},`
      )
      const total = members.every(([member]) => required.has(member)) ? "True" : "False"
      this.#done.set(name, [
        `${name} = TypedDict(`,
        `    "${name}",`,
        "    {",
        ...fields.map((line) => `    ${line}`),
        "    },",
        `    total=${total},`,
        ")"
      ])
      return name
    }
    const lines = (which: (member: string) => boolean): ReadonlyArray<string> =>
      members
        .filter(([member]) => which(member))
        .flatMap(([member, each]) => [
          ...this.#field(member, this.of(each, name + pascal(member))),
          ...docOf(each.description, "    ")
        ])
    const always = lines((member) => required.has(member))
    const perhaps = lines((member) => !required.has(member))
    const doc = docOf(schema.description, "    ")
    this.#done.set(
      name,
      perhaps.length === 0
        ? [`class ${name}(TypedDict):`, ...doc, ...always]
        : always.length === 0
          ? [`class ${name}(TypedDict, total=False):`, ...doc, ...perhaps]
          : [
              `class _${name}(TypedDict):`,
              ...always,
              "",
              "",
              `class ${name}(_${name}, total=False):`,
              ...doc,
              ...perhaps
            ]
    )
    return name
  }

  #field(member: string, type: string): ReadonlyArray<string> {
    const line = `    ${member}: ${type}`
    if (line.length <= 110) return [line]
    return [
      `    ${member}: ${type.slice(0, type.indexOf("[") + 1)}`,
      ...wrapped(type.slice(type.indexOf("[") + 1, -1), "        "),
      "    ]"
    ]
  }

  text(): string {
    const names = [...this.#done.keys()].sort()
    return [
      HEAD,
      '"""Types of the interface, by the names of its OpenAPI document."""',
      "",
      "from __future__ import annotations",
      "",
      "from typing import Any, Dict, List, Literal, TypedDict, Union",
      // Other names come behind the classes that they name.
      ...[
        ...names.filter((name) => this.#isClass(name)),
        ...names.filter((name) => !this.#isClass(name))
      ].map((name) => `\n\n${this.#done.get(name)?.join("\n")}`),
      ""
    ].join("\n")
  }

  #isClass(name: string): boolean {
    return this.#done.get(name)?.[0]?.startsWith("class ") === true
  }
}

const quoted = (name: string): string =>
  ["Any", "None", "True", "False"].includes(name) ? name : `"${name}"`

/** A line of the TypeScript client's table, seen from outside: what it asks for. */
interface Line {
  readonly group: string
  readonly name: string
  readonly kind: "json" | "text" | "list" | "open"
  readonly method: string
  readonly path: string
}

const linesOfTable = async (): Promise<ReadonlyArray<Line>> => {
  const seen: Array<
    Pick<Line, "method" | "path"> & { readonly isFollowed: boolean; readonly isText: boolean }
  > = []
  const http = new Http({ url: "http://localhost", apiKey: "key" })
  const note = (call: {
    readonly method: string
    readonly path: string
    readonly redirect?: string | undefined
    readonly isText?: boolean | undefined
  }) => {
    seen.push({
      method: call.method.toLowerCase(),
      path: call.path.replace("-id-", "{id}"),
      isFollowed: call.redirect === "follow",
      isText: call.isText === true
    })
    return Promise.resolve({ status: 200, headers: new Headers(), body: {} })
  }
  http.json = note
  http.open = (call) => note(call).then(() => new Response())
  const lines: Array<Line> = []
  for (const [group, calls] of Object.entries(makeEndpoints({ http }))) {
    for (const [name, call] of Object.entries(calls) as ReadonlyArray<[string, (id: string) => unknown]>) {
      const answer = call("-id-") as { readonly page?: () => Promise<unknown> }
      await (answer.page?.() ?? answer)
      const last = seen.at(-1)
      if (last === undefined) throw new Error(`${group}.${name} asks for nothing`)
      const kind = answer.page ? "list" : last.isFollowed ? "open" : last.isText ? "text" : "json"
      lines.push({ group, name, kind, method: last.method, path: last.path })
    }
  }
  return lines
}

const answerOf = (operation: Operation): Schema => {
  const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? []
  return Object.values(answer?.content ?? {}).at(0)?.schema ?? {}
}

const qualified = (type: string): string =>
  type.replaceAll(/\b[A-Z]\w+\b/g, (name) =>
    ["Any", "Dict", "List", "Literal", "None", "Union", "True", "False"].includes(name)
      ? name
      : `types.${name}`
  )

/** One method. */
const methodOf = (
  line: Line,
  operation: Operation,
  types: Types,
  isAsync: boolean
): ReadonlyArray<string> => {
  const proposed = pascal(snake(line.group)) + pascal(snake(line.name))
  const answer = answerOf(operation)
  const [item] = line.kind === "list" ? [answer.properties?.data?.items ?? {}] : [undefined]
  const named = qualified(types.of(item ?? answer, item ? `${proposed}Item` : `${proposed}Answer`))
  const given =
    line.kind === "list"
      ? `${isAsync ? "AsyncPages" : "Pages"}[${named}]`
      : line.kind === "open"
        ? "Stream"
        : line.kind === "text"
          ? "str"
          : named
  const query = (operation.parameters ?? []).filter((each) => each.in === "query")
  const python = (name: string) => (KEYWORDS.has(name) ? `${name}_` : name)
  const body = operation.requestBody?.content["application/json"]?.schema
  const isOptional = operation.requestBody?.required !== true && body !== undefined
  const bodyType = body === undefined ? "" : qualified(types.of(body, `${proposed}Input`))
  const parameters = [
    "self",
    ...(line.path.includes("{id}") ? ["id: str"] : []),
    ...(body === undefined ? [] : [isOptional ? `body: Optional[${bodyType}] = None` : `body: ${bodyType}`]),
    "*",
    ...query.map(({ name, schema, required }) => {
      const of = qualified(types.of(schema, `${proposed}${pascal(name)}`))
      // One value alone is taken too.
      const type = schema.type === "array" ? of.replace(/^List\[(.*)\]$/, "Union[$1, List[$1]]") : of
      return required ? `${python(name)}: ${type}` : `${python(name)}: Optional[${type}] = None`
    }),
    "timeout: float = TIMEOUT"
  ]
  const asked = query.map(({ name }) => `                ${JSON.stringify(name)}: ${python(name)},`)
  const id = line.path.includes("{id}") ? "id" : "None"
  const path = JSON.stringify(line.path)
  const asking = asked.length === 0 ? ["            {},"] : ["            {", ...asked, "            },"]
  const caller = isAsync ? "await self._json(" : "self._caller.json("
  const call =
    line.kind === "list"
      ? [
          "        return self._list(",
          `            ${path},`,
          `            ${id},`,
          ...asking,
          "            timeout,",
          "        )"
        ]
      : line.kind === "open"
        ? [
            `        return ${isAsync ? "await self._open(" : "self._caller.open("}`,
            `            ${path},`,
            `            ${id},`,
            ...asking,
            "            timeout,",
            "        )"
          ]
        : [
            `        return ${caller}`,
            `            "${line.method.toUpperCase()}",`,
            `            ${path},`,
            `            ${id},`,
            ...asking,
            ...(body === undefined ? [] : ["            body=body,"]),
            ...(line.kind === "text" ? ["            is_text=True,"] : []),
            "            timeout=timeout,",
            "        )"
          ]
  const isCoroutine = isAsync && line.kind !== "list"
  return [
    `    ${isCoroutine ? "async " : ""}def ${snake(line.name)}(`,
    ...parameters.map((each) => `        ${each},`),
    `    ) -> ${given}:`,
    ...docOf(operation.summary, "        "),
    ...call
  ]
}

/** The texts of the files. */
export const generatePython = async (): Promise<{ readonly types: string; readonly endpoints: string }> => {
  const { paths, components } = document()
  const types = new Types()
  for (const [name, schema] of Object.entries(components.schemas)) types.named(pascal(name), schema)
  const lines = await linesOfTable()
  const groups = [...new Set(lines.map(({ group }) => group))]
  const classes = [false, true].flatMap((isAsync) => [
    ...groups.flatMap((group) => {
      const methods = lines.filter((line) => line.group === group)
      return [
        "",
        "",
        `class ${isAsync ? "Async" : ""}${pascal(group)}(${isAsync ? "Async" : ""}Group):`,
        `    """Calls about ${snake(group).replaceAll("_", " ")}."""`,
        ...methods.flatMap((line) => {
          const operation = paths[line.path]?.[line.method]
          if (operation === undefined) throw new Error(`the document has no ${line.method} ${line.path}`)
          return ["", ...methodOf(line, operation, types, isAsync)]
        })
      ]
    }),
    "",
    "",
    `class ${isAsync ? "AsyncEndpoints" : "Endpoints"}:`,
    '    """The calls of the interface, by what they are about."""',
    "",
    isAsync
      ? "    def __init__(self, caller: Caller, run: Runner) -> None:"
      : "    def __init__(self, caller: Caller) -> None:",
    ...groups.map(
      (group) =>
        `        self.${snake(group)} = ${isAsync ? `Async${pascal(group)}(caller, run)` : `${pascal(group)}(caller)`}`
    )
  ])
  const endpoints = [
    HEAD,
    '"""A method for each operation of the interface."""',
    "",
    "from __future__ import annotations",
    "",
    "from typing import Any, Dict, List, Literal, Optional, Union",
    "",
    "from . import types",
    "from ._calls import TIMEOUT, AsyncGroup, AsyncPages, Caller, Group, Pages, Runner",
    "from ._http import Stream",
    ...classes,
    ""
  ].join("\n")
  return { types: types.text(), endpoints }
}
