import { erc20Abi, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type At, type ProtocolAdapter, type ProtocolContract, rowsByChain } from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { gaugeAt, gaugedPools, gaugeMakers, isGauge, type Share } from '../shared/gauges.ts'
import { discoverEscrow, voteEscrow } from '../shared/vote-escrow.ts'
import chains from './chains.json' with { type: 'json' }

const pool = z.strictObject({
  name: z.string().min(1),
  pool: addressSchema,
  token: addressSchema.optional(),
  gauge: addressSchema.optional(),
})

const deployment = z.strictObject({
  registry: addressSchema.optional(),
  stableFactories: z.array(addressSchema).default([]),
  cryptoFactories: z.array(addressSchema).default([]),
  /** Base pools, and gauges that send the wallet nothing. */
  pools: z.array(pool).default([]),
  gauges: gaugeMakers.optional(),
  escrow: voteEscrow.optional(),
})

type Deployment = z.infer<typeof deployment>

/**
 * Pool shares count as a proportional withdrawal. Pools and gauges from logs need a registry, factory or the controller
 * to vouch for them.
 */
export const curve: ProtocolAdapter<Deployment> = {
  name: 'curve',
  deployment,
  /**
   * Sources: `curvefi/curve-js`, `curvefi/metaregistry`, DefiLlama's list of factories. Gauges of chains without their
   * own CRV are left out.
   */
  rows: rowsByChain({ key: 'curve', name: 'Curve', siteUrl: 'https://www.curve.finance' }, chains),
  ...gaugedPools<Deployment>(shareAt, worthOf),

  async discover({ reader, deployment: { pools, gauges, escrow } }) {
    const found = await Promise.all([
      ...pools.map(async ({ pool, token = pool, gauge }): Promise<(ProtocolContract | undefined)[]> => {
        if (!(await isDeployed(reader, pool))) return []
        return Promise.all([
          protocolContractOf(reader, { pool, token }),
          gauge && gauges ? gaugeAt(reader, gauges, gauge, true) : undefined,
        ])
      }),
      escrow ? discoverEscrow(reader, escrow) : [],
    ])
    return found.flat().flatMap((protocolContract) => protocolContract ?? [])
  },

  /** Gauges are read only for wallets to which they were sent. */
  vouches: ({ pools }, protocolContract) =>
    !isGauge(protocolContract) || pools.some(({ gauge }) => gauge === protocolContract.address),
}

/** Crypto pools have a `gamma`. */
const poolAbi = parseAbi([
  'function coins(uint256 i) view returns (address)',
  'function balances(uint256 i) view returns (uint256)',
  'function gamma() view returns (uint256)',
])

/** Oldest pools of Ethereum. */
const oldPoolAbi = parseAbi([
  'function coins(int128 i) view returns (address)',
  'function balances(int128 i) view returns (uint256)',
])

const registryAbi = parseAbi(['function get_pool_from_lp_token(address token) view returns (address pool)'])

/** 0 for pools that the factory did not make. */
const stableFactoryAbi = parseAbi(['function get_n_coins(address pool) view returns (uint256)'])

const cryptoFactoryAbi = parseAbi(['function get_coins(address pool) view returns (address first)'])

const MOST_COINS = 8
const COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

type Pool = { pool: EvmAddress; token: EvmAddress }

async function protocolContractOf(reader: EvmReader, { pool, token }: Pool): Promise<ProtocolContract | undefined> {
  const indexes = Array.from({ length: MOST_COINS }, (_, i) => BigInt(i))
  const [gamma, coins, old] = await Promise.all([
    reader.tryRead({ address: pool, abi: poolAbi, functionName: 'gamma' }),
    Promise.all(indexes.map((i) => reader.tryRead({ address: pool, abi: poolAbi, functionName: 'coins', args: [i] }))),
    Promise.all(
      indexes.map((i) => reader.tryRead({ address: pool, abi: oldPoolAbi, functionName: 'coins', args: [i] })),
    ),
  ])
  const isOld = coins[0] === undefined
  const underlyings = known(isOld ? old : coins)
  if (underlyings.length === 0) return undefined
  const data = { pool, ...(gamma !== undefined && { crypto: 'true' }), ...(isOld && { old: 'true' }) }
  return { address: token, role: 'share', fungible: true, underlyings, data }
}

function known(coins: readonly (string | undefined)[]): EvmAddress[] {
  const end = coins.findIndex((coin) => coin === undefined || evmAddress(coin) === NATIVE)
  const there = coins.slice(0, end < 0 ? coins.length : end)
  return there.map((coin) => (coin?.toLowerCase() === COIN ? NATIVE : evmAddress(coin ?? NATIVE)))
}

async function shareAt(
  { reader, deployment }: At<Deployment>,
  token: EvmAddress,
): Promise<ProtocolContract | undefined> {
  const { registry, stableFactories, cryptoFactories } = deployment
  const ask = { args: [token] } as const
  const stable = { abi: stableFactoryAbi, functionName: 'get_n_coins', ...ask } as const
  const crypto = { abi: cryptoFactoryAbi, functionName: 'get_coins', ...ask } as const
  const [registered, ...made] = await Promise.all([
    registry && reader.tryRead({ address: registry, abi: registryAbi, functionName: 'get_pool_from_lp_token', ...ask }),
    ...stableFactories.map(async (address) => ((await reader.tryRead({ address, ...stable })) ?? 0n) > 0n),
    ...cryptoFactories.map(async (address) => ((await reader.tryRead({ address, ...crypto })) ?? NATIVE) !== NATIVE),
  ])
  if (registered && registered !== NATIVE) return protocolContractOf(reader, { pool: evmAddress(registered), token })
  return made.includes(true) ? protocolContractOf(reader, { pool: token, token }) : undefined
}

/** Crypto pools pay for one unit less than is burnt, unless it is all. Balances exclude administrator fees. */
async function worthOf(
  { reader }: At<Deployment>,
  { protocolContract: { address, underlyings, data }, amountRaw }: Share,
): Promise<TokenAmount[]> {
  const pool = evmAddress(data?.['pool'] ?? address)
  const balanceAt = (i: bigint) =>
    data?.['old']
      ? reader.read({ address: pool, abi: oldPoolAbi, functionName: 'balances', args: [i] })
      : reader.read({ address: pool, abi: poolAbi, functionName: 'balances', args: [i] })
  const [supply, ...balances] = await Promise.all([
    reader.read({ address, abi: erc20Abi, functionName: 'totalSupply' }),
    ...underlyings.map((_, i) => balanceAt(BigInt(i))),
  ])
  const burnt = data?.['crypto'] && amountRaw < supply && amountRaw > 0n ? amountRaw - 1n : amountRaw
  return underlyings.map((token, i) => ({
    token,
    amountRaw: supply === 0n ? 0n : ((balances[i] ?? 0n) * burnt) / supply,
  }))
}
