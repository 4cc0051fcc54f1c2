import { readAsset } from '../../lib/asset.ts'

let names: ReadonlyMap<string, string> | undefined

/**
 * Name of the function that people most often mean by a selector (`0x` and eight hex digits); null for one that is not
 * listed. A contract may mean another function by it. The list is read when it is first asked for.
 */
export function functionName(selector: string): string | null {
  names ??= new Map(Object.entries(JSON.parse(readAsset('function-names.json')) as Record<string, string>))
  return names.get(selector) ?? null
}
