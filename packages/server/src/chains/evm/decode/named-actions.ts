import type { Call, TransactionType } from '../../../domain/transaction.ts'
import { readAsset } from '../../../lib/asset.ts'
import type { Hex } from '../rpc-values.ts'

type Named<T extends TransactionType = TransactionType> = readonly (readonly [name: RegExp, type: T])[]

type Debt = Extract<TransactionType, 'BORROW' | 'REPAYVAULT'>

const CLAIM =
  /^(claim(?!\w*(Withdraw|Exited|Redemption))|(batch|multi|vested)Claim(?!Withdraw)|nTokenClaim|getAllRewards|getReward|harvest|collect|redeemRewards|redeemDue|withdrawReward|release|mint_many|(partialR|r)edeem(All)?Plans)/

const INTO: Named = [
  [/^(add\w*Liquidity|add_liquidity|increaseLiquidity|joinPool|joinswap)/, 'ADDLIQUIDITY'],
  [
    /^(stake(?!End)|restake|addToStake|buyVoucher|submit$|enter$|enterStaking|mintAndStake|deposit\w*[sS]take|depositIntoStrategy)/,
    'STAKE',
  ],
  [/^(lock$|lockFor|lockWithPermit|create_?[lL]ock|increaseAmount|increase_amount|increaseLock)/, 'STAKE'],
  [/^wrap(?!ETH$)/, 'WRAP'],
  [/^supply/, 'LEND'],
  [/^(deposit|batchDeposit|provideToSP|invest|mint(IdleToken|Sy|Py)|[zZ]apIn|zapAndDeposit)/, 'DEPOSIT'],
  [/^(lockETH$|lockGem$|(safeL|l)ock(ETH|Gem|TokenCollateral)$|add_?[cC]oll)/, 'DEPOSIT'],
]

const BACK: Named = [
  [/^(removeLiquidity|remove_liquidity|decreaseLiquidity|exitPool|exitswap|exitP(re|ost)Exp)/, 'REMOVELIQUIDITY'],
  [
    /^(unstake|instantUnstake|removeStake|undelegate|unbond|stakeEnd|sellVoucher|leave|unlock|exit|cooldown(Shares|Assets)|completeWithdraw|completeQueued|processExpired)/,
    'UNSTAKE',
  ],
  [/^(requestWithdraw|batchClaimWithdraw|claim\w*(Withdraw|Exited|Redemption))/, 'UNSTAKE'],
  [/^unwrap(?!WETH9)/, 'UNWRAP'],
  [/^(withdraw|redeem|emergencyWithdraw|emergencyExit|freeETH|freeGem|remove_?[cC]oll|[zZ]apOut)/, 'WITHDRAW'],
]

const REQUEST =
  /^(unstake|removeStake|unbond|request(Withdraw|Redeem|Redemption|Exit|Unlock)|queueWithdraw|initiateWithdraw$|enterExitQueue|cooldown|startCooldown)/

const DEBTS: Named<Debt> = [
  [
    /^(borrow|create_loan|openTrove|withdraw(LUSD|Bold)|depositAndBorrow|generateDebt|increaseDebt|(open)?[lL]ock\w*(Draw|GenerateDebt)|draw$|drawDai|issue(Max)?Synths)/,
    'BORROW',
  ],
  [/^(repay|payback|decreaseDebt|wipe|safeWipe|burnSynths|closeTrove|closeVault)/, 'REPAYVAULT'],
]
const TRADE =
  /^(swap|exchange|exactInput|exactOutput|trade|(buy|sell)(?!Voucher)|fill|unoswap|ethUnoswap|unxswap|uniswapV3Swap|directUniV3Swap|(clipper|simple|multi|mega|batch|mix|dodo|dag|smart|robust)Swap|multiplex|UNSAFE_swap|transformERC20)/
const MIGRATE = /^(migrate|upgrade|daiToUsds|usdsToDai|mkrToSky|skyToMkr)/
const BRIDGE =
  /^(bridge|startBridge|depositV3|swapAnd(Start)?Bridge|anySwapOut|Swapout|depositForBurn|outboundTransfer|createRetryableTicket|requestL2Transaction|sendToL2|sendToChain|xcall|ccipSend)/
const AWAY: Named<'DONATION' | 'EXPENSE'> = [
  [/^(donate|curate$)/, 'DONATION'],
  [/^(renew|(add|set)ERC\d+Listing)/, 'EXPENSE'],
]

const STILL: Named = [
  [
    /^(approve(?!Hash)|permit$|setApproval|setRelayerApproval|increaseAllowance|(authorize|revoke|set)Operator)/,
    'APPROVAL',
  ],
  [/^(castVote|castRefundableVote|vote|submitVote|upvote)/, 'VOTE'],
  [/^follow/, 'FOLLOW'],
  [/^(signMessage|approveHash|setPreSignature|attest)/, 'SIGN'],
]

/** Authors choose names freely: they label movements and never imply one. Empty for transactions of others. */
export type NamedAction = {
  claims: boolean
  /** The opposite direction is collateral. */
  debt: Debt | undefined
  migrates: boolean
  away: TransactionType | undefined
  into: TransactionType | undefined
  back: TransactionType | undefined
  requests: boolean
  bridges: boolean
  trades: boolean
  still: TransactionType | undefined
}

export function namedAction(calls: readonly Call[]): NamedAction {
  const names = calls.flatMap(({ selector }) => functionName(selector) ?? [])
  const find = <T extends TransactionType>(named: Named<T>, among = names) =>
    among.map((name) => named.find(([pattern]) => pattern.test(name))?.[1]).find((type) => type !== undefined)
  const others = names.filter((name) => !CLAIM.test(name))
  const back = find(BACK, others)
  return {
    // Only events can separate rewards from a withdrawal in the same call.
    claims: others.length < names.length && !back,
    debt: find(DEBTS),
    migrates: names.some((name) => MIGRATE.test(name)),
    trades: names.some((name) => TRADE.test(name)),
    requests: names.some((name) => REQUEST.test(name)),
    bridges: names.some((name) => BRIDGE.test(name)),
    away: find(AWAY),
    into: find(INTO),
    back,
    still: find(STILL),
  }
}

let allNames: ReadonlyMap<string, string> | undefined

function loadNames(): ReadonlyMap<string, string> {
  allNames ??= new Map(Object.entries(JSON.parse(readAsset('function-names.json')) as Record<string, string>))
  return allNames
}

/** The most common name: contracts may use the selector for another function. */
export function functionName(selector: string): string | null {
  return loadNames().get(selector) ?? null
}

export function selectorsNamed(part: string): Hex[] {
  const searched = part.toLowerCase()
  const named = [...loadNames()].filter(([, name]) => name.toLowerCase().includes(searched))
  return named.map(([selector]) => selector as Hex)
}
