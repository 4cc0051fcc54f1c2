import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/**
 * Converts to JSON Schema 2020-12. `wire` in the metadata is the outside shape of a wire primitive. Objects of `output`
 * are open: answers may gain fields.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: target }) {
      const { def } = zodSchema._zod
      if (io === 'output' && target.additionalProperties === false) delete target.additionalProperties
      if (def.type === 'default') target.default = def.defaultValue as typeof target.default
      const wire = z.globalRegistry.get(zodSchema)?.['wire']
      if (wire === undefined) return
      const { description } = target
      for (const key of Object.keys(target)) delete target[key as keyof typeof target]
      Object.assign(target, wire, description !== undefined && { description })
    },
  })
  delete json.$schema
  return { ...json }
}
