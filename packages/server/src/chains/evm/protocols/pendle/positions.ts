import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, LeftOut } from '../adapter.ts'
import { amountOf, type Deployment, lensFacts, liquidityOf, redeemedOf, storedFacts } from './contracts.ts'
import { pendleLens } from './pendle-lens.bytecode.ts'

const marketAbi = parseAbi([
  'function getRewardTokens() view returns (address[])',
  'function redeemRewards(address user) returns (uint256[])',
])

export const yieldAbi = parseAbi(['function userInterest(address user) view returns (uint128 index, uint128 accrued)'])

/** `balanceOf` is votes, not PENDLE. */
export const lockAbi = parseAbi(['function positionData(address user) view returns (uint128 amount, uint128 expiry)'])

export const stakeAbi = parseAbi([
  'function userCooldown(address user) view returns (uint104 cooldownStart, uint152 amount)',
  'function cooldownDuration() view returns (uint24)',
])

type Scope = { reader: EvmReader; deployment: Deployment; wallet: EvmAddress; leftOut: LeftOut }

const NOTHING = { supplied: [], borrowed: [], rewards: [], receipts: [] }

/** Liquidity stays if rewards cannot be claimed. */
export async function marketPosition(scope: Scope, market: HeldContract): Promise<PositionDraft> {
  const { reader, wallet, leftOut } = scope
  const call = { address: market.address, abi: marketAbi } as const
  const [supplied, tokens, amounts] = await Promise.all([
    liquidityOf(scope, market, market.balanceRaw),
    reader.tryRead({ ...call, functionName: 'getRewardTokens' }),
    reader.tryRead({ ...call, functionName: 'redeemRewards', args: [wallet] }),
  ])
  if (!tokens || !amounts) leftOut(new Error(`rewards of ${market.address} cannot be claimed`), market, 'part')
  const rewards = paired(tokens ?? [], amounts ?? [])
  return { ...position('liquidity', 'LP', market), supplied, rewards }
}

/** Until expiry a PT is itself, then what it redeems. */
export async function principalPosition(scope: Scope, pt: HeldContract): Promise<PositionDraft> {
  const { expiry, market } = storedFacts(pt)
  const [{ timestamp }, redeemed] = await Promise.all([scope.reader.header(), redeemedOf(scope, pt, pt.balanceRaw)])
  if (timestamp >= expiry) return { ...position('yield', 'PT', pt), supplied: [redeemed] }
  if (market === NATIVE)
    scope.leftOut(new Error(`no market of ${pt.address} is known, so that it has no price`), pt, 'part')
  return { ...position('yield', 'PT', pt), supplied: [itself(pt)], unlockAt: expiry }
}

export async function yieldPosition(scope: Scope, yt: HeldContract): Promise<PositionDraft> {
  const facts = lensFacts(scope, yt)
  const due = { functionName: 'due', args: [facts, scope.wallet] } as const
  const [{ timestamp }, [interest, tokens, amounts]] = await Promise.all([
    scope.reader.header(),
    scope.reader.lens(pendleLens, due),
  ])
  const isOver = timestamp >= facts.expiry
  return {
    ...position('yield', 'YT', yt),
    supplied: isOver ? [] : [itself(yt)],
    rewards: [amountOf(facts, interest), ...paired(tokens, amounts)],
    ...(!isOver && { unlockAt: facts.expiry }),
  }
}

export async function sharesPosition(scope: Scope, sy: HeldContract): Promise<PositionDraft> {
  return { ...position('yield', 'SY', sy), supplied: [await redeemedOf(scope, sy, sy.balanceRaw)] }
}

/** Amount locked, not votes. */
export async function lockPosition({ reader, deployment, wallet }: Scope, lock: HeldContract) {
  const call = { address: lock.address, abi: lockAbi, functionName: 'positionData', args: [wallet] } as const
  const [amountRaw, expiry] = await reader.read(call)
  const supplied = [{ token: deployment.pendle, amountRaw }]
  const draft: PositionDraft = { ...NOTHING, kind: 'locked', label: 'vePENDLE', pool: lock.address, supplied }
  return { ...draft, unlockAt: Number(expiry) }
}

export async function stakePositions({ reader, deployment, wallet }: Scope, stake: HeldContract) {
  const call = { address: stake.address, abi: stakeAbi } as const
  const [[start, amountRaw], duration] = await Promise.all([
    reader.read({ ...call, functionName: 'userCooldown', args: [wallet] }),
    reader.read({ ...call, functionName: 'cooldownDuration' }),
  ])
  const pendle = (amount: bigint) => [{ token: deployment.pendle, amountRaw: amount }]
  const staked: PositionDraft = { ...position('staked', 'sPENDLE', stake), supplied: pendle(stake.balanceRaw) }
  const cooling: PositionDraft = {
    ...NOTHING,
    kind: 'locked',
    label: 'sPENDLE cooldown',
    pool: stake.address,
    supplied: pendle(amountRaw),
    unlockAt: Number(start) + duration,
  }
  return [staked, cooling]
}

const position = (kind: PositionDraft['kind'], label: string, { address }: HeldContract): PositionDraft => ({
  ...NOTHING,
  kind,
  label,
  pool: address,
  receipts: [address],
})

const itself = ({ address, balanceRaw }: HeldContract): TokenAmount => ({ token: address, amountRaw: balanceRaw })

function paired(tokens: readonly string[], amounts: readonly bigint[]): TokenAmount[] {
  if (tokens.length !== amounts.length) throw new Error('rewards and their tokens do not match')
  return tokens.map((token, i) => ({ token: evmAddress(token), amountRaw: amounts[i] ?? 0n }))
}
