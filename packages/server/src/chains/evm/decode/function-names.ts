import { readAsset } from '../../../lib/asset.ts'

type Selector = `0x${string}`

let names: ReadonlyMap<string, string> | undefined

/** Loads the list on first use. */
function allNames(): ReadonlyMap<string, string> {
  names ??= new Map(Object.entries(JSON.parse(readAsset('function-names.json')) as Record<string, string>))
  return names
}

/**
 * The most common function name of a selector (`0x` and eight hex digits); null for an unlisted one. A contract may use
 * the selector for another function.
 */
export function functionName(selector: string): string | null {
  return allNames().get(selector) ?? null
}

/** Selectors of functions whose name contains `part`, ignoring case. */
export function selectorsNamed(part: string): Selector[] {
  const searched = part.toLowerCase()
  const named = [...allNames()].filter(([, name]) => name.toLowerCase().includes(searched))
  return named.map(([selector]) => selector as Selector)
}
