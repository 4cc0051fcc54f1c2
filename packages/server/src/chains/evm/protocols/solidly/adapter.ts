import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { Instrument, ProtocolAdapter } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { exitLens } from '../shared/exit-lens.bytecode.ts'
import { isRefused, nothingOf } from '../shared/pair-exit.ts'
import { GAUGE_DEPOSIT, solidlyHistory } from './history.ts'
import { discoverLocks, isLock, lockPositions, votedPools, voteNfts } from './locks.ts'
import { solidlyRows } from './rows.ts'
import { solidlyLens } from './solidly-lens.bytecode.ts'
import { voteNftLens } from './vote-nft-lens.bytecode.ts'

const PAGE = 50

const deployment = z.strictObject({
  factory: addressSchema,
  /** Its flag proves gauges. */
  voter: addressSchema,
  /** Tokens that never refuse a withdrawal. */
  tokens: z.array(addressSchema).default([]),
  nfts: voteNfts.optional(),
})

type Deployment = z.infer<typeof deployment>

/**
 * Velodrome v2 and its forks: pools, gauges, vote locks. Unclaimed fees lie next to the pool; fees of staked shares go
 * to voters.
 */
export const solidly: ProtocolAdapter<Deployment> = {
  name: 'solidly',
  deployment,
  rows: solidlyRows,
  lenses: [solidlyLens, voteNftLens, exitLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: async ({ reader, deployment: { nfts } }) => (nfts ? discoverLocks(reader, nfts) : []),

  /** Gauges send the wallet nothing. */
  keyLogs: ({ voter, nfts }) => [
    { contract: 'any', topic: GAUGE_DEPOSIT, walletAt: 2 },
    ...(nfts ? [votedPools(voter)] : []),
  ],

  async recognise({ reader, deployment: { factory, voter }, tokens }) {
    const found = await Promise.all(
      pagesOf(tokens, PAGE).map(async (page) => {
        const answers = await reader.lens(solidlyLens, { functionName: 'recognise', args: [factory, voter, page] })
        return page.flatMap((address, i) => instrumentOf(address, answers[i]))
      }),
    )
    return found.flat()
  },

  vouches: (_, instrument) => isLock(instrument),

  /** Fees outlast a sale, emissions a withdrawal. */
  async probe({ reader, wallet, instrument }) {
    if (isLock(instrument)) return false
    const rewards = await rewardsOf(reader, instrument, wallet)
    return rewards.some(({ amountRaw }) => amountRaw > 0n)
  },

  positions: eachAlone(async (scope, instrument) => {
    const { reader, wallet, deployment } = scope
    const { tokens, voter, nfts } = deployment
    if (isLock(instrument)) return nfts ? lockPositions(scope, { voter, ...nfts }, instrument) : []
    const isGauge = instrument.role === 'gauge'
    const [supplied, rewards, refused] = await Promise.all([
      burntOf(reader, instrument, instrument.balanceRaw),
      rewardsOf(reader, instrument, wallet),
      isGauge ? false : isRefused(reader, tokens, instrument, wallet),
    ])
    return {
      ...(isGauge
        ? { kind: 'farming', label: 'Gauge', receipts: [] }
        : { kind: 'liquidity', label: 'Pool', receipts: [instrument.address] }),
      pool: instrument.address,
      supplied: refused ? nothingOf(supplied) : supplied,
      borrowed: [],
      rewards: refused ? nothingOf(rewards) : rewards,
    } satisfies PositionDraft
  }),

  async decompose({ reader, instrument, amountRaw }) {
    return instrument.fungible ? burntOf(reader, instrument, amountRaw) : undefined
  },

  history: ({ voter, nfts }) => solidlyHistory(voter, nfts),
}

type Found = { pool: string; token0: string; token1: string; reward: string }

function instrumentOf(address: EvmAddress, found: Found | undefined): Instrument[] {
  if (!found || found.pool === NATIVE) return []
  const tokens = [evmAddress(found.token0), evmAddress(found.token1)]
  if (found.reward === NATIVE) return [{ address, role: 'pool', fungible: true, underlyings: tokens }]
  const data = { pool: evmAddress(found.pool) }
  return [{ address, role: 'gauge', fungible: false, underlyings: [...tokens, evmAddress(found.reward)], data }]
}

function partsOf({ address, role, data, underlyings: [token0, token1, reward] }: Instrument) {
  const pool = role === 'gauge' ? data?.['pool'] : address
  if (!pool || !token0 || !token1) throw new Error(`${role} ${address} is stored without its tokens`)
  return { pool: evmAddress(pool), token0, token1, reward }
}

async function burntOf(reader: EvmReader, instrument: Instrument, liquidity: bigint): Promise<TokenAmount[]> {
  const { pool, token0, token1 } = partsOf(instrument)
  const read = { functionName: 'burnt', args: [pool, token0, token1, liquidity] } as const
  return pairOf(token0, token1, await reader.lens(solidlyLens, read))
}

async function rewardsOf(reader: EvmReader, instrument: Instrument, wallet: EvmAddress): Promise<TokenAmount[]> {
  const { pool, token0, token1, reward } = partsOf(instrument)
  if (reward !== undefined) {
    const read = { functionName: 'owed', args: [instrument.address, reward, wallet] } as const
    return [{ token: reward, amountRaw: await reader.lens(solidlyLens, read) }]
  }
  const read = { functionName: 'unclaimed', args: [pool, token0, token1, wallet] } as const
  return pairOf(token0, token1, await reader.lens(solidlyLens, read))
}

const pairOf = (token0: EvmAddress, token1: EvmAddress, [amount0, amount1]: readonly [bigint, bigint]) => [
  { token: token0, amountRaw: amount0 },
  { token: token1, amountRaw: amount1 },
]
