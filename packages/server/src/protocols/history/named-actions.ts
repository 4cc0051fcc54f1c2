import type { Call, TransactionType } from '../../domain/transaction.ts'
import { functionName } from './function-names.ts'

type Named<T extends TransactionType = TransactionType> = readonly (readonly [name: RegExp, type: T])[]

/** Against collateral that the same call puts in or takes out. */
export type Debt = Extract<TransactionType, 'BORROW' | 'REPAYVAULT'>

const CLAIM =
  /^(claim(?!\w*Withdraw)|getAllRewards|getReward|harvest|collect|redeemRewards|redeemDue|withdrawReward|release)/

const INTO: Named = [
  [/^(addLiquidity|add_liquidity|increaseLiquidity|joinPool)/, 'ADDLIQUIDITY'],
  [
    /^(stake(?!End)|restake|buyVoucher|submit$|enter$|enterStaking|lock$|create_lock|increase_amount|depositAndStake|depositInto)/,
    'STAKE',
  ],
  [/^wrap(?!ETH$)/, 'WRAP'],
  [/^supply/, 'LEND'],
  [/^(deposit|lockETH$|lockGem$)/, 'DEPOSIT'],
]

const BACK: Named = [
  [/^(removeLiquidity|remove_liquidity|decreaseLiquidity|exitPool)/, 'REMOVELIQUIDITY'],
  [
    /^(unstake|stakeEnd|sellVoucher|leave|unlock|exit|requestWithdraw|claimWithdraw|completeQueued|processExpired)/,
    'UNSTAKE',
  ],
  [/^unwrap(?!WETH9)/, 'UNWRAP'],
  [/^(withdraw|redeem|emergencyWithdraw|freeETH|freeGem)/, 'WITHDRAW'],
]

const DEBTS: Named<Debt> = [
  [/^(borrow|create_loan|openTrove|openLock\w*Draw|lock\w*Draw|draw$|drawDai)/, 'BORROW'],
  [/^(repay|wipe|burnSynths|closeTrove|closeVault)/, 'REPAYVAULT'],
]
const TRADE =
  /^(swap|exchange|exactInput|exactOutput|trade|(buy|sell)(?!Voucher)|fill|unoswap|uniswapV3Swap|clipperSwap|simpleSwap|multiSwap|megaSwap|transformERC20)/
const MIGRATE = /^(migrate|upgrade)/

const STILL: Named = [
  [/^(approve(?!Hash)|permit$|setApproval|setRelayerApproval|increaseAllowance)/, 'APPROVAL'],
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
  /** What is received is owed from now on, or what is given was; what goes the other way is collateral. */
  debt: Debt | undefined
  /** What is received stands for what was given. */
  migrates: boolean
  /** Donates what is given. */
  donates: boolean
  /** What putting something in is called. */
  into: TransactionType | undefined
  /** What taking something out is called. */
  back: TransactionType | undefined
  /** One thing for another: nothing stands for what was put in. */
  trades: boolean
  /** What it is called when nothing moved. */
  still: TransactionType | undefined
}

export function namedAction(calls: readonly Call[]): NamedAction {
  const names = calls.flatMap(({ selector }) => functionName(selector) ?? [])
  const find = <T extends TransactionType>(named: Named<T>, among = names) =>
    among.map((name) => named.find(([pattern]) => pattern.test(name))?.[1]).find((type) => type !== undefined)
  const others = names.filter((name) => !CLAIM.test(name))
  const back = find(BACK, others)
  return {
    // What is collected beside what is taken out is told apart by events alone.
    claims: others.length < names.length && !back,
    debt: find(DEBTS),
    migrates: names.some((name) => MIGRATE.test(name)),
    trades: names.some((name) => TRADE.test(name)),
    donates: names.some((name) => name.startsWith('donate')),
    into: find(INTO),
    back,
    still: find(STILL),
  }
}
