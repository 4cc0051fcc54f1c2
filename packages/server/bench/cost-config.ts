import { readFileSync } from 'node:fs'
import { type Config, readConfig } from '../src/config/config.ts'
import { rpcVariable } from '../src/config/env.ts'

export function costConfig(chain: string, rpcUrl: string, file: string): Config {
  const env = { COFFER_CHAINS: chain, COFFER_LOCAL_CHAINS: chain, [rpcVariable(chain)]: rpcUrl, COFFER_CONFIG: file }
  return readConfig(env, (path) => readFileSync(path, 'utf8'))
}
