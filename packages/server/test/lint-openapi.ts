import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** What Spectral's recommended rules find in a document, errors and warnings: `rule at place: what is wrong`. */
export async function lintOpenApi(document: object): Promise<string[]> {
  const spectral = new Spectral()
  // Its own type leaves out that a set of rules may extend none.
  spectral.setRuleset({ extends: [[oas as unknown as RulesetDefinition, 'recommended']] })
  // It takes the document for its own.
  const found = await spectral.run(structuredClone(document) as Record<string, unknown>)
  return found.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}
