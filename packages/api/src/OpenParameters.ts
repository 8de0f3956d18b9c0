/** The parameters of the OpenAPI document. */
import { isRecord, type Json, mapOperations } from "./OpenDocument.ts"

const described = (parameter: unknown): unknown => {
  if (!isRecord(parameter) || !isRecord(parameter.schema)) return parameter
  const { description, ...schema } = parameter.schema
  // The default, which not every reader knows.
  const repeated = schema.type === "array" ? { style: "form", explode: true } : {}
  return { ...parameter, description: parameter.description ?? description, ...repeated, schema }
}

/** The document whose parameters have their descriptions themselves, where readers look. */
export const withDescribedParameters = (document: Json): Record<string, unknown> =>
  mapOperations(document, (operation) => ({
    ...operation,
    parameters: Array.isArray(operation.parameters) ? operation.parameters.map(described) : []
  }))
