import { cleanText } from './clean-text.ts'

/** Fields that tell a model nothing: pictures, links of explorers, what other fields say as well, as `next` does of pages. */
const NOISE =
  /^(img(Small|Large)|image|color|(alt)?[eE]xplorer\w*Url|priceAdapters|conversionRates|chainContract|contractAddress|cursor|pagination)$/

export type PlainObject = { [name: string]: unknown }

export const isObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The answer without what tells a model nothing, its texts cleaned. */
export function plainAnswer(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(plainAnswer)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !NOISE.test(name))
  return Object.fromEntries(kept.map(([name, part]) => [cleanText(name), plainAnswer(part)]))
}
