import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { inPages } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { DeploymentRow, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema, coreAssets, eachAlone } from '../deployment.ts'
import { exitLens } from '../shared/exit-lens.bytecode.ts'
import { isRefused, nothingOf } from '../shared/pair-exit.ts'
import { GAUGE_DEPOSIT, solidlyHistory } from './history.ts'
import { discoverLocks, isLock, lockPositions, votedPools, voteNfts } from './locks.ts'
import { solidlyLens } from './solidly-lens.bytecode.ts'
import { voteNftLens } from './vote-nft-lens.bytecode.ts'

const velodrome = (chain: string, deployment: DeploymentRow['deployment']): DeploymentRow => ({
  key: 'velodrome_v2',
  name: 'Velodrome V2',
  chain,
  siteUrl: 'https://velodrome.finance',
  deployment: { ...deployment, tokens: coreAssets[chain] ?? [] },
})

/** The same addresses on these chains, whose voters get emissions from Optimism. */
const LEAF_FACTORY = '0x31832f2a97fd20664d76cc421207669b55ce4bc0'
const LEAF_VOTER = '0x97cdbce21b6fd0585d29e539b1b99dad328a1123'
const LEAF_CHAINS = ['bob', 'celo', 'fraxtal', 'ink', 'mode', 'soneium', 'swellchain', 'unichain']

/** Sources: Velodrome's Sugar environments, third-party adapters. */
const solidlyRows: readonly DeploymentRow[] = [
  {
    key: 'aerodrome',
    name: 'Aerodrome',
    chain: 'base',
    siteUrl: 'https://aerodrome.finance',
    deployment: {
      factory: '0x420dd381b31aef6683db6b902084cb0ffece40da',
      voter: '0x16613524e02ad97edfef371bc883f2f5d6c480a5',
      tokens: coreAssets['base'] ?? [],
      nfts: {
        escrow: '0xebf418fe2512e7e6bd9b87a8f0f294acdc67e6b4',
        token: '0x940181a94a35a4569e4529a3cdfb74e38fd98631',
        distributor: '0x227f65131a261548b057215bb1d5ab2997964c7d',
      },
    },
  },
  velodrome('optimism', {
    factory: '0xf1046053aa5682b4f9a81b5481394da16be5ff5a',
    voter: '0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c',
    nfts: {
      escrow: '0xfaf8fd17d9840595845582fcb047df13f006787d',
      token: '0x9560e827af36c94d2ac33a39bce1fe78631088db',
      distributor: '0x9d4736ec60715e71afe72973f7885dcbc21ea99b',
    },
  }),
  ...LEAF_CHAINS.map((chain) => velodrome(chain, { factory: LEAF_FACTORY, voter: LEAF_VOTER })),
]

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

/** Velodrome v2 and forks. Unclaimed fees lie next to the pool; fees of staked shares go to voters. */
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
    const found = await inPages(tokens, PAGE, async (page) => {
      const answers = await reader.lens(solidlyLens, { functionName: 'recognise', args: [factory, voter, page] })
      return page.flatMap((address, i) => protocolContractOf(address, answers[i]))
    })
    return found.flat()
  },

  vouches: (_, protocolContract) => isLock(protocolContract),

  /** Fees outlast a sale, emissions a withdrawal. */
  async probe({ reader, wallet, protocolContract }) {
    if (isLock(protocolContract)) return false
    const rewards = await rewardsOf(reader, protocolContract, wallet)
    return rewards.some(({ amountRaw }) => amountRaw > 0n)
  },

  positions: eachAlone(async (scope, protocolContract) => {
    const { reader, wallet, deployment } = scope
    const { tokens, voter, nfts } = deployment
    if (isLock(protocolContract)) return nfts ? lockPositions(scope, { voter, ...nfts }, protocolContract) : []
    const isGauge = protocolContract.role === 'gauge'
    const [supplied, rewards, refused] = await Promise.all([
      burntOf(reader, protocolContract, protocolContract.balanceRaw),
      rewardsOf(reader, protocolContract, wallet),
      isGauge ? false : isRefused(reader, tokens, protocolContract, wallet),
    ])
    return {
      ...(isGauge
        ? { kind: 'farming', label: 'Gauge' }
        : { kind: 'liquidity', label: 'Pool', receipts: [protocolContract.address] }),
      pool: protocolContract.address,
      supplied: refused ? nothingOf(supplied) : supplied,
      rewards: refused ? nothingOf(rewards) : rewards,
    } satisfies PositionDraft
  }),

  decompose: async ({ reader, protocolContract, amountRaw }) =>
    protocolContract.fungible ? burntOf(reader, protocolContract, amountRaw) : undefined,

  history: ({ voter, nfts }) => solidlyHistory(voter, nfts),
}

type Found = Record<'pool' | 'token0' | 'token1' | 'reward', string>

function protocolContractOf(address: EvmAddress, found: Found | undefined): ProtocolContract[] {
  if (!found || found.pool === NATIVE) return []
  const tokens = [evmAddress(found.token0), evmAddress(found.token1)]
  if (found.reward === NATIVE) return [{ address, role: 'pool', fungible: true, underlyings: tokens }]
  const data = { pool: evmAddress(found.pool) }
  return [{ address, role: 'gauge', fungible: false, underlyings: [...tokens, evmAddress(found.reward)], data }]
}

function partsOf({ address, role, data, underlyings: [token0, token1, reward] }: ProtocolContract) {
  const pool = role === 'gauge' ? data?.['pool'] : address
  if (!pool || !token0 || !token1) throw new Error(`${role} ${address} is stored without its tokens`)
  return { pool: evmAddress(pool), token0, token1, reward }
}

async function burntOf(reader: EvmReader, protocolContract: ProtocolContract, liquidity: bigint) {
  const { pool, token0, token1 } = partsOf(protocolContract)
  const read = { functionName: 'burnt', args: [pool, token0, token1, liquidity] } as const
  return pairOf(token0, token1, await reader.lens(solidlyLens, read))
}

async function rewardsOf(
  reader: EvmReader,
  protocolContract: ProtocolContract,
  wallet: EvmAddress,
): Promise<TokenAmount[]> {
  const { pool, token0, token1, reward } = partsOf(protocolContract)
  if (reward !== undefined) {
    const read = { functionName: 'owed', args: [protocolContract.address, reward, wallet] } as const
    return [{ token: reward, amountRaw: await reader.lens(solidlyLens, read) }]
  }
  const read = { functionName: 'unclaimed', args: [pool, token0, token1, wallet] } as const
  return pairOf(token0, token1, await reader.lens(solidlyLens, read))
}

const pairOf = (token0: EvmAddress, token1: EvmAddress, [amount0, amount1]: readonly [bigint, bigint]) => [
  { token: token0, amountRaw: amount0 },
  { token: token1, amountRaw: amount1 },
]
