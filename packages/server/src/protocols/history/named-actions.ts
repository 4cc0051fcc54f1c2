import type { TransactionType } from '../../domain/transaction.ts'
import { functionName } from './function-names.ts'
import type { Scene } from './scene.ts'

type Named = readonly (readonly [name: RegExp, type: TransactionType])[]

const CLAIM =
  /^(claim(?!Withdraw)|getAllRewards|getReward|harvest|collect|redeemRewards|redeemDue|withdrawReward|release)/

const INTO: Named = [
  [/^(addLiquidity|add_liquidity|joinPool)/, 'ADDLIQUIDITY'],
  [
    /^(stake|restake|submit$|enter$|enterStaking|lock$|create_lock|increase_amount|depositAndStake|depositInto)/,
    'STAKE',
  ],
  [/^wrap/, 'WRAP'],
  [/^supply/, 'LEND'],
  [/^deposit/, 'DEPOSIT'],
]

const BACK: Named = [
  [/^(removeLiquidity|remove_liquidity|exitPool)/, 'REMOVELIQUIDITY'],
  [/^(unstake|leave|unlock|exit|requestWithdraw|claimWithdraw|completeQueued|processExpired)/, 'UNSTAKE'],
  [/^unwrap/, 'UNWRAP'],
  [/^(withdraw|redeem|emergencyWithdraw)/, 'WITHDRAW'],
]

const STILL: Named = [
  [/^(castVote|castRefundableVote|vote|submitVote)/, 'VOTE'],
  [/^follow/, 'FOLLOW'],
  [/^(signMessage|approveHash|setPreSignature|attest)/, 'SIGN'],
]

/**
 * What the name of the called function says where no protocol is known. Names are chosen by whoever writes a contract:
 * they name what tokens did, and never say that any moved. Of a transaction that the wallet did not send they say nothing.
 */
export type NamedAction = {
  claims: boolean
  /** Donates what is given. */
  donates: boolean
  /** What putting something in is called. */
  into: TransactionType | undefined
  /** What taking something out is called. */
  back: TransactionType | undefined
  /** What it is called when nothing moved. */
  still: TransactionType | undefined
}

export function namedAction({ tx, sent }: Scene): NamedAction {
  const name = (sent && functionName(tx.selector)) || ''
  const find = (named: Named) => named.find(([pattern]) => pattern.test(name))?.[1]
  const claims = CLAIM.test(name)
  return {
    claims,
    donates: name.startsWith('donate'),
    into: find(INTO),
    back: claims ? undefined : find(BACK),
    still: find(STILL),
  }
}
