import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, PositionScope, ProtocolContract } from '../adapter.ts'
import { answerOf } from '../deployment.ts'
import { amountOf, type Deployment, lensFacts, liquidityOf, redeemedOf, storedFacts } from './contracts.ts'
import { pendleLens } from './pendle-lens.bytecode.ts'

const marketAbi = parseAbi([
  'function getRewardTokens() view returns (address[])',
  'function redeemRewards(address user) returns (uint256[])',
])

/** YTs, vePENDLE (its `balanceOf` is votes, not PENDLE), sPENDLE. */
const claimAbi = parseAbi([
  'function userInterest(address user) view returns (uint128 index, uint128 accrued)',
  'function positionData(address user) view returns (uint128 amount, uint128 expiry)',
  'function userCooldown(address user) view returns (uint104 cooldownStart, uint152 amount)',
])
const CLAIMS: ReadonlyMap<string, 'userInterest' | 'positionData' | 'userCooldown'> = new Map([
  ['yt', 'userInterest'],
  ['lock', 'positionData'],
  ['stake', 'userCooldown'],
])
const stakeAbi = parseAbi(['function cooldownDuration() view returns (uint24)'])

type Scope = PositionScope<Deployment>
type Read = (scope: Scope, held: HeldContract) => Promise<PositionDraft | PositionDraft[]>

export const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['market', marketPosition],
  ['pt', principalPosition],
  ['yt', yieldPosition],
  ['sy', sharesPosition],
  ['lock', lockPosition],
  ['stake', stakePositions],
])

/** Sold YTs leave interest; ended locks and cooldowns have no balance. */
export async function hasClaim(reader: EvmReader, { address, role }: ProtocolContract, wallet: EvmAddress) {
  const functionName = CLAIMS.get(role)
  if (!functionName) return false
  const claim = reader.tryRead({ address, abi: claimAbi, functionName, args: [wallet] })
  const [first = 0n, second = 0n] = (await answerOf(reader, address, claim)) ?? []
  return (role === 'lock' ? first : second) > 0n
}

/** Liquidity stays if rewards cannot be claimed. */
async function marketPosition(scope: Scope, market: HeldContract): Promise<PositionDraft> {
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
async function principalPosition(scope: Scope, pt: HeldContract): Promise<PositionDraft> {
  const { expiry, market } = storedFacts(pt)
  const [{ timestamp }, redeemed] = await Promise.all([scope.reader.header(), redeemedOf(scope, pt, pt.balanceRaw)])
  if (timestamp >= expiry) return { ...position('yield', 'PT', pt), supplied: [redeemed] }
  if (market === NATIVE)
    scope.leftOut(new Error(`no market of ${pt.address} is known, so that it has no price`), pt, 'part')
  return { ...position('yield', 'PT', pt), supplied: [itself(pt)], unlockAt: expiry }
}

async function yieldPosition(scope: Scope, yt: HeldContract): Promise<PositionDraft> {
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

async function sharesPosition(scope: Scope, sy: HeldContract): Promise<PositionDraft> {
  return { ...position('yield', 'SY', sy), supplied: [await redeemedOf(scope, sy, sy.balanceRaw)] }
}

async function lockPosition({ reader, deployment, wallet }: Scope, { address: pool }: HeldContract) {
  const call = { address: pool, abi: claimAbi, functionName: 'positionData', args: [wallet] } as const
  const [amountRaw, expiry] = await reader.read(call)
  const supplied = [{ token: deployment.pendle, amountRaw }]
  return { kind: 'locked', label: 'vePENDLE', pool, supplied, unlockAt: Number(expiry) } satisfies PositionDraft
}

async function stakePositions({ reader, deployment, wallet }: Scope, stake: HeldContract): Promise<PositionDraft[]> {
  const { address: pool } = stake
  const [[start, amountRaw], duration] = await Promise.all([
    reader.read({ address: pool, abi: claimAbi, functionName: 'userCooldown', args: [wallet] }),
    reader.read({ address: pool, abi: stakeAbi, functionName: 'cooldownDuration' }),
  ])
  const pendle = (amount: bigint) => [{ token: deployment.pendle, amountRaw: amount }]
  const unlockAt = Number(start) + duration
  return [
    { ...position('staked', 'sPENDLE', stake), supplied: pendle(stake.balanceRaw) },
    { kind: 'locked', label: 'sPENDLE cooldown', pool, supplied: pendle(amountRaw), unlockAt },
  ]
}

const position = (kind: PositionDraft['kind'], label: string, { address }: HeldContract) => {
  return { kind, label, pool: address, receipts: [address] }
}

const itself = ({ address, balanceRaw }: HeldContract): TokenAmount => ({ token: address, amountRaw: balanceRaw })

function paired(tokens: readonly string[], amounts: readonly bigint[]): TokenAmount[] {
  if (tokens.length !== amounts.length) throw new Error('rewards and their tokens do not match')
  return tokens.map((token, i) => ({ token: evmAddress(token), amountRaw: amounts[i] ?? 0n }))
}
