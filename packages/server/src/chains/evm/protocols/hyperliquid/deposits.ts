import type { ContractFunctionReturnType } from 'viem'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { LeftOut } from '../adapter.ts'
import type { coreLens } from './core-lens.bytecode.ts'
import type { Deployment } from './deployment.ts'
import { CORE_DECIMALS, HYPE_LINK, PERP_DECIMALS, toContract, usdcLinkOf } from './tokens.ts'

type Deposits = ContractFunctionReturnType<typeof coreLens.abi, 'view', 'deposits'>

const SECOND_MS = 1_000n
const PERP_UNIT = 10n ** BigInt(CORE_DECIMALS - PERP_DECIMALS)

export function depositPositions(
  [stake, shares, refused, lent, time]: Deposits,
  deployment: Deployment,
  leftOut: LeftOut,
): PositionDraft[] {
  for (const vault of refused) leftOut(new Error(`the vault ${vault} of HyperCore refused to be read`))
  for (const token of lent) leftOut(new Error(`token ${token} is lent or owed on HyperCore, which is not read`))
  const staked = (amount: bigint) => [toContract(amount, HYPE_LINK)]
  return [
    ...stake.delegations.map(({ at, amount, lockedUntil }): PositionDraft => {
      const pool = evmAddress(at)
      return { kind: 'staked', label: 'Delegated', pool, supplied: staked(amount), ...lock(lockedUntil, time) }
    }),
    { kind: 'staked', label: 'Not delegated', supplied: staked(stake.undelegated) },
    { kind: 'locked', label: 'Staking, withdrawal pending', supplied: staked(stake.pending) },
    ...shares.map(({ at, amount, lockedUntil }): PositionDraft => {
      const vault = evmAddress(at)
      const label = deployment.vaults.find((row) => row.vault === vault)?.label ?? ''
      const supplied = [toContract(amount * PERP_UNIT, usdcLinkOf(deployment))]
      return { kind: 'yield', label, pool: vault, supplied, ...lock(lockedUntil, time) }
    }),
  ]
}

/** Unix seconds, rounded up. */
function lock(lockedUntilMs: bigint, time: bigint): Pick<PositionDraft, 'unlockAt'> {
  const until = (lockedUntilMs + SECOND_MS - 1n) / SECOND_MS
  return until > time ? { unlockAt: Number(until) } : {}
}
