import { configFileSchema } from '../src/config/config-file.ts'
import { gatherChains } from './chain-facts.ts'

/** Every generated file of this package, by path: written by `generate.ts`, compared with the tree by its test. */
export async function publishedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['assets/chains.json', `${JSON.stringify(gatherChains(), null, 1)}\n`],
    ['coffer-config.schema.json', `${JSON.stringify(configFileSchema(), null, 2)}\n`],
  ])
}
