import { readAsset } from '../../../lib/asset.ts'
import type { Hex } from '../rpc-values.ts'

let names: ReadonlyMap<string, string> | undefined

function allNames(): ReadonlyMap<string, string> {
  names ??= new Map(Object.entries(JSON.parse(readAsset('function-names.json')) as Record<string, string>))
  return names
}

/** The most common name: contracts may use the selector for another function. */
export function functionName(selector: string): string | null {
  return allNames().get(selector) ?? null
}

export function selectorsNamed(part: string): Hex[] {
  const searched = part.toLowerCase()
  const named = [...allNames()].filter(([, name]) => name.toLowerCase().includes(searched))
  return named.map(([selector]) => selector as Hex)
}
