import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** Errors and warnings of recommended rules: `rule at place: what is wrong`. */
export async function lintOpenApi(document: object): Promise<string[]> {
  const spectral = new Spectral()
  // The type omits that a ruleset may extend none.
  spectral.setRuleset({ extends: [[oas as unknown as RulesetDefinition, 'recommended']] })
  // Spectral takes ownership of the document.
  const found = await spectral.run(structuredClone(document) as Record<string, unknown>)
  return found.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}
