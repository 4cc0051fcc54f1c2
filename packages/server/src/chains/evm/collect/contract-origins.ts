import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ProtocolBasis } from '../../../domain/transaction.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { RpcRefusal } from '../../rpc/json-rpc.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import { requestEach } from '../../rpc/request-each.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { ContractDirectory } from '../decode/contract-directory.ts'
import type { ContractOrigin } from '../decode/read-transaction.ts'
import type { ProtocolDeployment } from '../protocols/adapter.ts'
import { codeLens } from '../protocols/code-lens.bytecode.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { EvmContext } from './evm-context.ts'

export type ContractOrigins = {
  learn(chain: Chain, directory: ContractDirectory, contracts: readonly EvmAddress[]): Promise<void>
  find(chain: Chain, contract: EvmAddress): ContractOrigin | undefined
}

const MOST_AT_ONCE = 50
const KNOWN_MS = 24 * 3_600_000
const MOST_KNOWN = 100_000

/** EIP-1967: implementation and beacon of a proxy. */
const SLOTS = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
] as const
const ADDRESS_IN_WORD = /^0x0{24}([0-9a-f]{40})$/

const abi = parseAbi([
  'function implementation() view returns (address)',
  'function factory() view returns (address)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
  'function poolByPair(address, address) view returns (address)',
  'function isPair(address) view returns (bool)',
  'function isPool(address) view returns (bool)',
  'function isPoolFromFactory(address) view returns (bool)',
  'function isProxy(address) view returns (bool)',
  'function isVault(address) view returns (bool)',
  'function isMetaMorpho(address) view returns (bool)',
  'function isSilo(address) view returns (bool)',
])
const MADE_BY = ['isPair', 'isPool', 'isPoolFromFactory', 'isProxy', 'isVault', 'isMetaMorpho', 'isSilo'] as const

export function createContractOrigins(context: EvmContext): ContractOrigins {
  const { poolOf, openPatient, tokens, deployments, clock } = context
  const known = new BoundedMap<string, { at: number; origin: ContractOrigin | undefined }>(MOST_KNOWN)
  const placeOf = (chain: Chain, contract: EvmAddress) => `${chain.key} ${contract}`
  const nameStated = createNameStated(deployments)

  function isDue(chain: Chain, contract: EvmAddress): boolean {
    const verdict = known.get(placeOf(chain, contract))
    return verdict === undefined || clock.now() - verdict.at >= KNOWN_MS
  }

  async function learn(chain: Chain, directory: ContractDirectory, contracts: readonly EvmAddress[]): Promise<void> {
    const due = [...new Set(contracts)].filter((contract) => isDue(chain, contract)).slice(0, MOST_AT_ONCE)
    if (due.length === 0) return
    const reader = openPatient(chain.key)
    const read = Promise.all([
      readImplementations(poolOf(chain.key), reader, due),
      Promise.all(due.map((contract) => readFactory(reader, contract, directory))),
      tokens.of(chain),
    ])
    const found = await read.catch(upstreamOnly)
    if (!Array.isArray(found)) return
    const [implementations, factories, ofChain] = found
    for (const [i, contract] of due.entries()) {
      const shown: readonly (readonly [ProtocolBasis, string | undefined])[] = [
        ['factory', factories[i]],
        ['implementation', implementations[i] && directory.protocolOf(implementations[i])],
        ['name', nameStated(ofChain.find(contract)?.name ?? '')],
      ]
      const [origin] = shown.flatMap(([basis, protocol]) => (protocol === undefined ? [] : [{ protocol, basis }]))
      known.set(placeOf(chain, contract), { at: clock.now(), origin })
    }
  }

  return { learn, find: (chain, contract) => known.get(placeOf(chain, contract))?.origin }
}

async function readImplementations(
  pool: RpcPool,
  reader: EvmReader,
  contracts: readonly EvmAddress[],
): Promise<(EvmAddress | undefined)[]> {
  const requests = contracts.flatMap((contract) =>
    SLOTS.map((slot) => ({ method: 'eth_getStorageAt', params: [contract, slot, 'latest'], parse: addressInWord })),
  )
  const session = patientPool(pool).session()
  const words = await session.run((endpoint) => requestEach(endpoint, requests, endpoint.background))
  return Promise.all(
    contracts.map(async (contract, i) => {
      const [stored, beacon] = words
        .slice(i * SLOTS.length, (i + 1) * SLOTS.length)
        .map((word) => (word instanceof RpcRefusal ? undefined : word))
      if (stored) return stored
      const answer = beacon
        ? await reader.tryRead({ address: beacon, abi, functionName: 'implementation' })
        : await reader.lens(codeLens, { functionName: 'proxied', args: [contract] }).catch(noneIfForbidden)
      return answer === undefined || answer === NATIVE ? undefined : evmAddress(answer)
    }),
  )
}

/** Some nodes do not execute code that travels with a call. */
function noneIfForbidden(error: unknown): undefined {
  if (!(error instanceof UpstreamError) || error.reason !== 'not-allowed') throw error
}

function addressInWord(word: unknown): EvmAddress | undefined {
  const digits = typeof word === 'string' ? ADDRESS_IN_WORD.exec(word.toLowerCase())?.[1] : undefined
  const address = digits && evmAddress(`0x${digits}`)
  return address === NATIVE ? undefined : address || undefined
}

/** The stated factory must confirm that it made the contract. */
async function readFactory(
  reader: EvmReader,
  contract: EvmAddress,
  directory: ContractDirectory,
): Promise<string | undefined> {
  const stated = await reader.tryRead({ address: contract, abi, functionName: 'factory' })
  const factory = stated && evmAddress(stated)
  const protocol = factory && directory.protocolOf(factory)
  if (!factory || protocol === undefined) return undefined
  const asked = MADE_BY.map((functionName) => reader.tryRead({ address: factory, abi, functionName, args: [contract] }))
  const [isPoolOf, ...answers] = await Promise.all([isPoolOfFactory(reader, contract, factory), ...asked])
  return isPoolOf || answers.includes(true) ? protocol : undefined
}

async function isPoolOfFactory(reader: EvmReader, contract: EvmAddress, factory: EvmAddress): Promise<boolean> {
  const [token0, token1, fee] = await Promise.all([
    reader.tryRead({ address: contract, abi, functionName: 'token0' }),
    reader.tryRead({ address: contract, abi, functionName: 'token1' }),
    reader.tryRead({ address: contract, abi, functionName: 'fee' }),
  ])
  if (!token0 || !token1) return false
  const of = { address: factory, abi } as const
  const pools = await Promise.all([
    reader.tryRead({ ...of, functionName: 'getPair', args: [token0, token1] }),
    reader.tryRead({ ...of, functionName: 'poolByPair', args: [token0, token1] }),
    fee === undefined ? undefined : reader.tryRead({ ...of, functionName: 'getPool', args: [token0, token1, fee] }),
  ])
  return pools.some((pool) => pool !== undefined && evmAddress(pool) === contract)
}

function createNameStated(protocols: readonly ProtocolDeployment[]): (name: string) => string | undefined {
  const byName = new Map(
    protocols.filter(({ name }) => name.length > 3).map((one) => [one.name.toLowerCase(), one.key]),
  )
  const longestFirst = [...byName].toSorted(([a], [b]) => b.length - a.length)
  return (name) => {
    const stated = name.toLowerCase()
    const isNamed = (start: string) => stated.startsWith(start) && !/^[a-z0-9]/.test(stated.slice(start.length))
    return longestFirst.find(([start]) => isNamed(start))?.[1]
  }
}
