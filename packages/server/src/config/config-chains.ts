import type { Chain } from '../chains/chain.ts'
import { findChain } from '../chains/chain-catalog.ts'
import type { ChainTypes } from '../chains/chain-type.ts'
import { CEX } from '../domain/virtual-read.ts'
import { isUrl } from '../lib/is-url.ts'
import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError, suggestion } from './config-error.ts'
import { type FileChain, fileError } from './config-file.ts'
import { type Env, envList, envText, rpcVariable, type Variable } from './env.ts'

/** Without `COFFER_CHAINS`: chains whose approvals can be listed. */
const defaultChains = 'arbitrum avalanche base binance ethereum fantom gnosis linea optimism polygon'.split(' ')

export function readChains(env: Env, rows: readonly FileChain[], chainTypes: ChainTypes): readonly Chain[] {
  const known = withFileChains(rows, chainTypes)
  const local = listedChains(env, 'COFFER_LOCAL_CHAINS', known) ?? []
  return known.map((chain) => (local.includes(chain) ? { ...chain, isLocal: true } : chain))
}

function listedChains(env: Env, variable: Variable, known: readonly Chain[]): readonly Chain[] | undefined {
  return envList(env, variable)?.map((name) => {
    const chain = findChain(name, known)
    if (!chain) throw new ConfigError(variable, `names an ${unknownChain(name, known)}`)
    return chain
  })
}

function withFileChains(rows: readonly FileChain[], { chains, list }: ChainTypes): readonly Chain[] {
  const known = [...chains]
  const ownChain = list.find((chainType) => chainType.ownChain)?.ownChain
  for (const [index, row] of rows.entries()) {
    if (!ownChain) throw fileError(`chains[${index}]`, 'no chain type accepts chains of the file')
    const chain = ownChain(row)
    if (chain.key === CEX) throw fileError(`chains[${index}].key`, `${CEX} is reserved for assets on no chain`)
    const same = known.find((other) => other.key === chain.key || other.chainId === chain.chainId)
    if (same) throw fileError(`chains[${index}]`, `key or chainId is already used by ${same.key}`)
    known.push(chain)
  }
  return known
}

export function unknownChain(name: string, chains: readonly Chain[]): string {
  const keys = chains.map((chain) => chain.key)
  return `unknown chain ${JSON.stringify(name)}${suggestion(name, keys)}`
}

function rpcUrls(env: Env, chain: Chain): readonly string[] {
  const variable = rpcVariable(chain.key)
  const urls = envList(env, variable) ?? chain.publicRpcUrls
  if (urls.length === 0)
    throw new ConfigError(variable, `is required: ${chain.key} is enabled and has no public endpoint`)
  for (const [index, url] of urls.entries()) {
    if (!isUrl(url)) {
      throw new ConfigError(variable, `has an entry (number ${index + 1}) that is not an http or https URL`)
    }
  }
  if (new Set(urls).size < urls.length) throw new ConfigError(variable, 'names the same endpoint twice')
  return urls
}

/** `own`: chains of the file, enabled unless `COFFER_CHAINS` says otherwise. */
export function readEndpoints(
  env: Env,
  chains: readonly Chain[],
  own: readonly FileChain[],
): ReadonlyMap<string, readonly Secret[]> {
  const byDefault = [...defaultChains, ...own.map(({ key }) => key)].flatMap((key) => findChain(key, chains) ?? [])
  const enabled = [...new Set(listedChains(env, 'COFFER_CHAINS', chains) ?? byDefault)]
  for (const chain of chains) {
    const variable = rpcVariable(chain.key)
    if (envText(env, variable) !== undefined && !enabled.includes(chain)) {
      throw new ConfigError(
        variable,
        `is set, but ${chain.key} is not one of the enabled chains: add it to COFFER_CHAINS`,
      )
    }
  }
  return new Map(enabled.map((chain) => [chain.key, rpcUrls(env, chain).map(secret)]))
}
