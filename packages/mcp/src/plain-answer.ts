import { cleanText } from './clean-text.ts'

/** Useless to a model: pictures, explorer links, and repetitions, such as paging, which `next` has. */
const NOISE =
  /^(img(Small|Large)|image|color|(alt)?[eE]xplorer\w*Url|priceAdapters|conversionRates|chainContract|contractAddress|cursor|pagination)$/

export type PlainObject = { [name: string]: unknown }

export const isObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function plainAnswer(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(plainAnswer)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !NOISE.test(name))
  return Object.fromEntries(kept.map(([name, part]) => [cleanText(name), plainAnswer(part)]))
}
