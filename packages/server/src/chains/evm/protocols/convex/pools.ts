import { encodeFunctionData, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { Hex } from '../../rpc-values.ts'
import type { At, PositionScope, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { claimLens } from '../shared/claim-lens.bytecode.ts'

const booster = z.strictObject({
  address: addressSchema,
  /**
   * `silent`: Ethereum, where a pool logs its stakes. `vaults`: Aura, stakes are tokens. `side`: other chains, tokens
   * with a list of rewards.
   */
  layout: z.enum(['silent', 'vaults', 'side']),
})

const stake = z.strictObject({
  pool: addressSchema,
  token: addressSchema,
  wrapped: z.boolean().default(false),
  /** Token into which the pool converts its reward. */
  paid: addressSchema.optional(),
})

export const deployment = z.strictObject({
  boosters: z.array(booster).min(1),
  /** Minted along with a booster pool's reward. */
  bonus: addressSchema.optional(),
  /** Pools outside the boosters' lists, read for every wallet. */
  beside: z.array(stake).default([]),
  locker: z.strictObject({ address: addressSchema, token: addressSchema, boosted: z.boolean() }).optional(),
})

export type Deployment = z.infer<typeof deployment>
type Booster = z.infer<typeof booster>

const boosterAbi = parseAbi([
  'function poolInfo(uint256 pid) view returns (address lptoken, address token, address gauge, address crvRewards, address stash, bool shutdown)',
])
const sideBoosterAbi = parseAbi([
  'function poolInfo(uint256 pid) view returns (address lptoken, address gauge, address rewards, bool shutdown, address factory)',
])

export const poolAbi = parseAbi([
  'function pid() view returns (uint256)',
  'function rewardToken() view returns (address)',
  'function extraRewards(uint256 i) view returns (address)',
  'function earned(address account) view returns (uint256)',
  'function getReward(address account, bool withExtras)',
])
const extraAbi = parseAbi(['function rewardToken() view returns (address)', 'function getReward(address account)'])
const convertingAbi = parseAbi(['function getReward(address account, bool withExtras, bool stake)'])
/** An extra pool may pay a wrapper, whose transfer sends the token within. */
const wrapperAbi = parseAbi(['function token() view returns (address)'])

/** Stakes are tokens. `earned` changes state. */
const sidePoolAbi = parseAbi([
  'function convexPoolId() view returns (uint256)',
  'function rewards(uint256 i) view returns (address token)',
  'function earned(address account) returns ((address token, uint256 amount)[])',
])

export const lockerAbi = parseAbi([
  'function rewardTokens(uint256 i) view returns (address)',
  'function claimableRewards(address account) view returns ((address token, uint256 amount)[])',
])
/** Convex' locks have a boosted amount, Aura's do not. */
export const lockedAbi = parseAbi([
  'function lockedBalances(address account) view returns (uint256 total, uint256 unlockable, uint256 locked, (uint112 amount, uint112 boosted, uint32 unlockTime)[] locks)',
])
export const plainLockedAbi = parseAbi([
  'function lockedBalances(address account) view returns (uint256 total, uint256 unlockable, uint256 locked, (uint112 amount, uint32 unlockTime)[] locks)',
])

const MOST_EXTRAS = 8
const MOST_REWARDS = 12

type Scope = PositionScope<Deployment>
type Extra = { pool: EvmAddress; token: EvmAddress }

const SILENT = 'stake'
const VAULT = 'vault'
const LISTING = 'wrapper'
const BESIDE = 'extra'

export const listsRewards = ({ role }: ProtocolContract) => role === LISTING
export const isBeside = ({ role }: ProtocolContract) => role === BESIDE

/** The contract states its pool number, and the booster must list it there. */
export async function poolAt(
  at: At<Deployment>,
  { address: booster, layout }: Booster,
  address: EvmAddress,
): Promise<ProtocolContract[]> {
  const { reader } = at
  const call = { address: booster, functionName: 'poolInfo' } as const
  if (layout === 'side') {
    const pid = await reader.tryRead({ address, abi: sidePoolAbi, functionName: 'convexPoolId' })
    if (pid === undefined) return []
    const [token = NATIVE, , pool] = (await reader.tryRead({ ...call, abi: sideBoosterAbi, args: [pid] })) ?? []
    return pool?.toLowerCase() === address ? [await listingStake(reader, address, evmAddress(token))] : []
  }
  const pid = await reader.tryRead({ address, abi: poolAbi, functionName: 'pid' })
  if (pid === undefined) return []
  const [token = NATIVE, , , pool] = (await reader.tryRead({ ...call, abi: boosterAbi, args: [pid] })) ?? []
  if (pool?.toLowerCase() !== address) return []
  return payingStake(at, { address, token: evmAddress(token), isToken: layout === 'vaults' })
}

export async function listingStake(
  reader: EvmReader,
  address: EvmAddress,
  token: EvmAddress,
): Promise<ProtocolContract> {
  const call = { address, abi: sidePoolAbi, functionName: 'rewards' } as const
  const alsoShown = await listOf(MOST_REWARDS, (i) => reader.tryRead({ ...call, args: [i] }))
  return { address, role: LISTING, fungible: true, underlyings: [token], alsoShown }
}

export async function payingStake(
  { reader, deployment: { bonus } }: At<Deployment>,
  { address, token, isToken, paid }: { address: EvmAddress; token: EvmAddress; isToken: boolean; paid?: EvmAddress },
): Promise<ProtocolContract[]> {
  const [reward, extras] = await Promise.all([
    reader.read({ address, abi: poolAbi, functionName: 'rewardToken' }),
    extrasOf(reader, address),
  ])
  const main = paid ? [paid] : [evmAddress(reward), ...(bonus ? [bonus] : [])]
  const alsoShown = [...new Set([...main, ...extras.map((extra) => extra.token)])]
  const data = {
    main: main.join(' '),
    extras: extras.map(({ pool, token: other }) => `${pool} ${other}`).join(','),
    ...(paid && { converting: 'true' }),
  }
  const beside = extras.map(({ pool, token: other }): ProtocolContract => {
    return { address: pool, role: BESIDE, fungible: false, underlyings: [other], data: { main: other } }
  })
  if (isToken) return [{ address, role: VAULT, fungible: true, underlyings: [token], alsoShown, data }, ...beside]
  const underlyings = [token, ...alsoShown]
  return [{ address, role: SILENT, fungible: false, underlyings, data: { ...data, silent: 'true' } }, ...beside]
}

async function extrasOf(reader: EvmReader, address: EvmAddress): Promise<Extra[]> {
  const call = { address, abi: poolAbi, functionName: 'extraRewards' } as const
  const pools = await listOf(MOST_EXTRAS, (i) => reader.tryRead({ ...call, args: [i] }))
  const extras = await Promise.all(
    pools.map(async (pool): Promise<Extra[]> => {
      const reward = await reader.tryRead({ address: pool, abi: extraAbi, functionName: 'rewardToken' })
      if (reward === undefined) return []
      const within = await reader.tryRead({ address: evmAddress(reward), abi: wrapperAbi, functionName: 'token' })
      return [{ pool, token: evmAddress(within ?? reward) }]
    }),
  )
  return extras.flat()
}

/** A list that only its indexes show, without gaps. */
export async function listOf(most: number, read: (i: bigint) => Promise<string | undefined>): Promise<EvmAddress[]> {
  const found = await Promise.all(Array.from({ length: most }, (_, i) => read(BigInt(i))))
  return found.map((one) => evmAddress(one ?? NATIVE)).filter((one) => one !== NATIVE)
}

/** No view shows minted CVX and AURA: claims are simulated. Extra pools' tokens are untrusted, claimed separately. */
export async function rewardsOf(scope: Scope, protocolContract: ProtocolContract): Promise<TokenAmount[]> {
  const { reader, wallet } = scope
  const { address, data } = protocolContract
  if (listsRewards(protocolContract)) return listed(scope, protocolContract)
  const main = (data?.['main'] ?? '').split(' ').map(evmAddress)
  const extras = (data?.['extras'] ?? '').split(',').filter((extra) => extra !== '')
  const claim = data?.['converting']
    ? encodeFunctionData({ abi: convertingAbi, functionName: 'getReward', args: [wallet, false, false] })
    : encodeFunctionData({ abi: poolAbi, functionName: 'getReward', args: [wallet, false] })
  const ofExtra = encodeFunctionData({ abi: extraAbi, functionName: 'getReward', args: [wallet] })
  const claimed = async (target: EvmAddress, call: Hex, tokens: readonly EvmAddress[]): Promise<TokenAmount[]> => {
    const amounts = await reader.lens(claimLens, { functionName: 'paid', args: [wallet, target, call, tokens] })
    return tokens.map((token, i) => ({ token, amountRaw: amounts[i] ?? 0n }))
  }
  const paid = await Promise.all([
    claimed(address, claim, main),
    ...extras.map((extra) => {
      const [pool = '', token = ''] = extra.split(' ')
      return claimed(evmAddress(pool), ofExtra, [evmAddress(token)])
    }),
  ])
  return paid.flat()
}

/** One refusing reward token makes the whole list refuse. */
async function listed({ reader, wallet, leftOut }: Scope, protocolContract: ProtocolContract) {
  const { address } = protocolContract
  const call = { address, abi: sidePoolAbi, functionName: 'earned', args: [wallet] } as const
  const earned = await reader.tryRead(call)
  if (!earned) leftOut(new Error(`rewards of ${address} could not be read`), protocolContract, 'part')
  const found = (earned ?? []).map(({ token, amount }) => ({ token: evmAddress(token), amountRaw: amount }))
  return found.filter(({ token }) => token !== NATIVE)
}
