import { readAsset } from '../../../lib/asset.ts'

type Selector = `0x${string}`

let names: ReadonlyMap<string, string> | undefined

/** The list is read when it is first asked for. */
function allNames(): ReadonlyMap<string, string> {
  names ??= new Map(Object.entries(JSON.parse(readAsset('function-names.json')) as Record<string, string>))
  return names
}

/**
 * Name of the function that people most often mean by a selector (`0x` and eight hex digits); null for one that is not
 * listed. A contract may mean another function by it.
 */
export function functionName(selector: string): string | null {
  return allNames().get(selector) ?? null
}

/** Selectors whose function's name has this in it, in letters of any case. */
export function selectorsNamed(part: string): Selector[] {
  const searched = part.toLowerCase()
  const named = [...allNames()].filter(([, name]) => name.toLowerCase().includes(searched))
  return named.map(([selector]) => selector as Selector)
}
