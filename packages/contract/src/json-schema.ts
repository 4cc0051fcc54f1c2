import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/**
 * The schema as JSON Schema 2020-12. A wire primitive says itself (`wire` in its metadata) how it looks from outside. An answer
 * may gain fields, so objects of `output` are open.
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
