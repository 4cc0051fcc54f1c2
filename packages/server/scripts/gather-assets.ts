import { gatherChains } from './gather-chains.ts'

/** Every file below `assets/`, by path: written by the gather script, compared with the tree by its test. */
export async function gatherAssets(): Promise<ReadonlyMap<string, string>> {
  return new Map([['chains.json', `${JSON.stringify(gatherChains(), null, 1)}\n`]])
}
