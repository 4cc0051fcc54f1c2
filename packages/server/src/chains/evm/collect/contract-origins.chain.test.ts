import { addresses, startDevnet } from '@coffer/devnet'
import { type Address, concat, type Hex, keccak256, pad, toHex } from 'viem'
import { expect, inject, it } from 'vitest'
import { draftAddress } from '../../../../test/draft-transaction.ts'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { proxyBefore } from '../../../../test/node-behind-proxy.ts'
import type { RpcCall } from '../../../../test/rpc-proxy.ts'
import { started } from '../../../../test/started.ts'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import type { Capabilities } from '../../rpc/capabilities.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createContractDirectory } from '../decode/contract-directory.ts'
import { bindProtocol, protocolLenses, protocolRows } from '../protocols/protocols.ts'
import { createEvmReader } from '../reader/create-evm-reader.ts'
import { createContractOrigins } from './contract-origins.ts'
import type { EvmContext } from './evm-context.ts'

const at = addresses.ethereum
const [minimal, proxied, beaconed, beacon, imitation, named, almostNamed] = Array.from({ length: 7 }, (_, i) =>
  draftAddress(0xabc0 + i),
) as [EvmAddress, EvmAddress, EvmAddress, EvmAddress, EvmAddress, EvmAddress, EvmAddress]

/** EIP-1967 defines its slots by these hashes, less one. */
const slotOf = (what: string): Hex => toHex(BigInt(keccak256(toHex(`eip1967.proxy.${what}`))) - 1n)
const IMPLEMENTATION = slotOf('implementation')

const deployments = protocolRows.filter(({ chain }) => chain === 'ethereum').map(bindProtocol)
const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await proxyBefore(devnet.chains.ethereum)
let now = 1_000

const { client } = devnet.chains.ethereum
const setCode = (address: Address, bytecode: Hex) => client.setCode({ address, bytecode })
const setSlot = (address: Address, slot: Hex, value: Hex) =>
  client.setStorageAt({ address, index: pad(slot), value: pad(value) })
const { pool } = at.aaveV3
await setCode(minimal, concat(['0x363d3d373d3d3d363d73', pool, '0x5af43d82803e903d91602b57fd5bf3']))
await setSlot(proxied, IMPLEMENTATION, pool)
await setSlot(beaconed, slotOf('beacon'), beacon)
// Answers every call with the address.
await setCode(beacon, concat(['0x73', pool, '0x60005260206000f3']))
// Has the code, tokens and factory of a pair, but that factory did not make it.
const pair = at.uniswapV2.pairs.usdcWeth
await setCode(imitation, (await client.getCode({ address: pair })) ?? '0x')
for (const slot of [5, 6, 7].map((place) => toHex(place)))
  await setSlot(imitation, slot, (await client.getStorageAt({ address: pair, slot })) ?? '0x')

const chain = chains.find(({ key }) => key === 'ethereum') as Chain

/** No protocol contracts: the directory has no pools and vaults. */
const directory = createContractDirectory({
  chain,
  rows: deployments.map((deployment) => ({ deployment, protocolContracts: undefined })),
  bridges: [],
  isListed: () => false,
  isSpam: () => false,
})

function open(known: Partial<Capabilities> = {}) {
  const poolOf = () => createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits: UNHURRIED, known: [known] })
  const tokens = new Map([
    [named, 'Aave V3 Looped Ether'],
    [almostNamed, 'Aave V3000'],
  ])
  const find = (address: EvmAddress) => ({ name: tokens.get(address) ?? '' })
  return createContractOrigins({
    ...{ poolOf, deployments, tokens: { of: async () => ({ find }) }, clock: { now: () => now } },
    openPatient: () => createEvmReader({ pool: poolOf(), chain, lenses: protocolLenses }),
  } as unknown as EvmContext)
}

const pairs = Object.values(at.uniswapV2.pairs).map(evmAddress)
const pools = Object.values(at.uniswapV3.pools).map(evmAddress)

it('names contracts that a factory confirms, proxies of named contracts, and tokens by their names', async () => {
  const origins = open()
  const contracts = [...pairs, ...pools, minimal, proxied, beaconed, imitation, named, almostNamed]
  await origins.learn(chain, directory, contracts)
  const found = contracts.map((contract) => origins.find(chain, contract))
  expect(found).toEqual([
    ...pairs.map(() => ({ protocol: 'uniswap_v2', basis: 'factory' })),
    ...pools.map(() => ({ protocol: 'uniswap_v3', basis: 'factory' })),
    ...[minimal, proxied, beaconed].map(() => ({ protocol: 'aave_v3', basis: 'implementation' })),
    undefined,
    { protocol: 'aave_v3', basis: 'name' },
    undefined,
  ])
})

it('asks about a contract once a day', async () => {
  const origins = open()
  const ask = () => origins.learn(chain, directory, pairs)
  await ask()
  proxy.reset()
  await ask()
  expect(proxy.calls()).toEqual([])
  now += 24 * 3_600_000
  await ask()
  expect(proxy.calls().length).toBeGreaterThan(0)
})

it('leaves contracts unknown while the node refuses storage or fails', async () => {
  const origins = open()
  const isStorage = ({ method }: RpcCall) => method === 'eth_getStorageAt'
  proxy.add({ when: isStorage, fault: { error: { code: -32_601, message: 'the method is not available' } } })
  await origins.learn(chain, directory, [minimal, proxied])
  expect([minimal, proxied].map((one) => origins.find(chain, one)?.basis)).toEqual(['implementation', undefined])
  proxy.add({ fault: { raw: { status: 503, body: '' } } })
  await origins.learn(chain, directory, pairs)
  expect(pairs.map((pair) => origins.find(chain, pair))).toEqual(pairs.map(() => undefined))
  proxy.reset()
  await origins.learn(chain, directory, pairs)
  expect(pairs.map((pair) => origins.find(chain, pair)?.basis)).toEqual(pairs.map(() => 'factory'))
})

it('names what factories and slots show where the node runs no lenses', async () => {
  const origins = open({ fallback: 'multicall3', fallbackUntil: Number.POSITIVE_INFINITY })
  const contracts = [...pairs, minimal, proxied, beaconed]
  await origins.learn(chain, directory, contracts)
  const found = contracts.map((contract) => origins.find(chain, contract)?.basis)
  expect(found).toEqual([...pairs.map(() => 'factory'), undefined, 'implementation', 'implementation'])
})
