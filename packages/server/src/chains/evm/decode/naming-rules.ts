import { NATIVE } from '../../../domain/evm-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived } from '../../legs.ts'
import { applyRules, type NamedLeg, type NamingRule } from '../../naming.ts'
import type { Change, Leg, Part, Remainder } from './changes.ts'
import {
  bridgeIn,
  type Exchange,
  type Facts,
  factsOf,
  isFungible,
  isGain,
  isNative,
  isNftWrap,
  isRequested,
  logFactsOf,
  ownerOf,
  rewarderIn,
  typeByRole,
} from './naming-facts.ts'
import { asStake, protocolIn, type Scene } from './scene.ts'

type Rule = NamingRule<Facts, Change>

/** Before received and given amounts of a token are offset. */
export const UNREQUESTED: readonly Rule[] = [
  {
    name: 'transfer to itself',
    take: (part, { wallet }) => part.counterparty === wallet,
    type: 'SELFTRANSFER',
    treatment: 'move',
  },
  {
    name: 'bait',
    when: (facts) => !isRequested(facts),
    take: ({ token }, { directory }) =>
      token !== NATIVE && !directory.protocolContractOf(token) && directory.isSpam(token),
    type: 'SPAM',
    treatment: 'spam',
  },
  {
    name: 'refunded gas of a vote',
    when: ({ parts }) => parts.every((part) => isReceived(part) && isNative(part)),
    type: ({ named }) => named.still,
    treatment: 'acquire',
    protocol: protocolIn,
  },
]

const LOGGED = { DEPOSIT: 'deposit', STAKE: 'stake', UNSTAKE: 'unstake', WITHDRAW: 'withdrawal' } as const

const LOGGED_RULES = (Object.keys(LOGGED) as (keyof typeof LOGGED)[]).map(
  (type): Rule => ({
    name: `logged ${LOGGED[type]}`,
    when: (facts) => !isBothWays(facts),
    take: (part, { logged }) => logged(part)?.type === type,
    type,
    treatment: 'move',
    protocol: protocolIn,
  }),
)

const isBothWays = ({ given, received }: Facts) => given.length > 0 && received.length > 0

/** A wrap changes the coin's form and costs nothing. */
const isAction = ({ type, protocol }: Leg) => protocol !== null || (type !== 'WRAP' && type !== 'UNWRAP')

/** Native coin given with a protocol's action or a claim is its cost and buys nothing. */
function isCost({ parts, given, named, done }: Facts): boolean {
  return (done.some(isAction) || (named.claims && parts.every(isFungible))) && given.every(isNative)
}

function exchangeRule(
  name: string,
  typeOf: (exchange: Exchange, facts: Facts) => TransactionType | undefined,
  rest: Partial<Rule> = {},
): Rule {
  return {
    name,
    when: (facts) => isBothWays(facts) && !isCost(facts),
    type: (facts) => typeOf(facts.exchange(), facts),
    treatment: 'move',
    protocol: (facts) => protocolIn(facts, facts.parts),
    ...rest,
  }
}

/** Excludes transactions of a spender by allowance. */
function shareRule(name: string, typeOf: (exchange: Exchange, facts: Facts) => TransactionType | undefined): Rule {
  return exchangeRule(name, (exchange, facts) => {
    if (!facts.sent || exchange.trades) return undefined
    return asStake(facts.stakes, typeOf(exchange, facts))
  })
}

const namedDebt =
  (type: 'BORROW' | 'REPAYVAULT') =>
  (exchange: Exchange, { named }: Facts) =>
    exchange.isFungible && named.debt === type ? type : undefined

const EXCHANGES: readonly Rule[] = [
  exchangeRule('loan with collateral', namedDebt('BORROW'), {
    treatment: (part) => (isGiven(part) ? 'move' : 'borrow'),
    legs: 'direction',
  }),
  exchangeRule('repayment with collateral', namedDebt('REPAYVAULT'), {
    treatment: (part) => (isGiven(part) ? 'repay' : 'move'),
    legs: 'direction',
  }),
  exchangeRule('deposit with change', ({ into, made }) => (made ? undefined : into), { take: isGiven }),
  shareRule('NFT wrap', ({ made }, { parts, given, received }) =>
    made && !parts.some(isFungible) && isNftWrap(given, received) ? 'WRAP' : undefined,
  ),
  shareRule('NFT unwrap', ({ ended }, { parts, given, received }) =>
    ended && !parts.some(isFungible) && isNftWrap(received, given) ? 'UNWRAP' : undefined,
  ),
  shareRule('migration', ({ into }, { named }) => (named.migrates ? (into ?? named.back ?? 'SWAP') : undefined)),
  shareRule('named share', ({ into, made }, { named }) => (made ? (into ?? named.back) : undefined)),
  shareRule('share for share', (it) => (it.made && it.ended && it.isFungible ? 'SWAP' : undefined)),
  shareRule('minted share', (it) => (it.made && it.isFungible ? 'DEPOSIT' : undefined)),
  shareRule('named withdrawal of a share', ({ made, ended }, { named }) => (!made && ended ? named.back : undefined)),
  // The NFT is the ticket of an earlier withdrawal request.
  shareRule('burned share', (it) => (!it.made && it.ended && (it.isFungible || it.isTicket) ? 'WITHDRAW' : undefined)),
  shareRule('named return', ({ made, ended }, { named }) =>
    made || ended || named.back === 'WITHDRAW' ? undefined : named.back,
  ),
  exchangeRule('mint for a price', ({ made, trades }) => (made && !trades ? 'MINT' : undefined), { treatment: 'swap' }),
  exchangeRule('trade', () => 'SWAP', { treatment: 'swap' }),
]

const RECEIVED: readonly Rule[] = [
  {
    name: 'claim',
    when: (facts) => facts.named.claims || rewarderIn(facts) !== undefined,
    take: isReceived,
    type: 'CLAIM',
    treatment: 'income',
    protocol: (facts) => rewarderIn(facts) ?? ownerOf(facts),
  },
  {
    name: 'loan',
    when: ({ named }) => named.debt === 'BORROW',
    take: isReceived,
    type: 'BORROW',
    treatment: 'borrow',
    protocol: protocolIn,
  },
  {
    name: 'reward of another action',
    when: ({ sent, done }) => sent && done.some(({ type }) => type !== 'CLAIM'),
    take: isReceived,
    type: 'CLAIM',
    treatment: 'income',
    protocol: ownerOf,
  },
  {
    name: 'withdrawal',
    take: isReceived,
    type: (facts) => asStake(facts.stakes, facts.named.back) ?? typeByRole(facts, facts.received, 1),
    treatment: 'move',
    protocol: protocolIn,
  },
  {
    name: 'trading gain',
    when: ({ sent, given }) => sent && given.length === 0,
    take: (part, facts) => isReceived(part) && isGain(facts, part),
    type: 'SWAP',
    treatment: 'income',
    protocol: protocolIn,
  },
  {
    name: 'airdrop',
    when: ({ sent }) => !sent,
    take: (part, { isMassDistributed }) => isReceived(part) && isMassDistributed(part),
    type: 'AIRDROP',
    treatment: 'income',
  },
  {
    name: 'free mint',
    when: ({ sent }) => sent,
    take: (part) => isReceived(part) && part.counterparty === NATIVE,
    type: 'MINT',
    treatment: 'acquire',
  },
  { name: 'received transfer', take: isReceived, type: 'TRANSFERIN', treatment: 'acquire', legs: 'each' },
]

const GIVEN: readonly Rule[] = [
  {
    name: 'expense of another action',
    when: ({ done }) => done.length > 0,
    type: 'EXPENSE',
    treatment: 'send',
    legs: 'each',
  },
  {
    name: 'repayment',
    when: ({ named }) => named.debt === 'REPAYVAULT',
    type: 'REPAYVAULT',
    treatment: 'repay',
    protocol: protocolIn,
  },
  {
    name: 'deposit',
    type: (facts) => asStake(facts.stakes, facts.named.into) ?? typeByRole(facts, facts.given, 0),
    treatment: 'move',
    protocol: protocolIn,
  },
  // The cost passes to the later payout. Native coin alone is a fee.
  {
    name: 'withdrawal request',
    when: ({ named, given }) => named.requests && !given.every(isNative),
    type: ({ named, stakes }) => asStake(stakes, named.back ?? 'WITHDRAW'),
    treatment: 'move',
    protocol: protocolIn,
  },
  { name: 'named payment', type: ({ named }) => named.away, treatment: 'send', legs: 'each' },
  { name: 'sent transfer', type: 'TRANSFEROUT', treatment: 'send', legs: 'each' },
]

const isCarried = (part: Part, { parts }: Facts) => !isNative(part) || parts.every(isNative)

/** The last rules of each direction take everything. */
export const PLAIN: readonly Rule[] = [
  {
    name: 'bridge, sent',
    when: (facts) => facts.received.length === 0 && (facts.named.bridges || bridgeIn(facts) !== undefined),
    take: isCarried,
    type: 'BRIDGEOUT',
    treatment: 'bridge',
    protocol: (facts, taken) => bridgeIn(facts) ?? protocolIn(facts, taken),
  },
  {
    name: 'bridge, received',
    when: (facts) => facts.given.length === 0 && bridgeIn(facts) !== undefined,
    take: isCarried,
    type: 'BRIDGEIN',
    treatment: 'bridge',
    protocol: (facts) => bridgeIn(facts) ?? null,
  },
  {
    name: 'logged reward',
    take: (part, { logged }) => isReceived(part) && logged(part)?.kind === 'reward',
    type: 'CLAIM',
    treatment: 'income',
    protocol: protocolIn,
  },
  ...LOGGED_RULES,
  ...EXCHANGES,
  ...RECEIVED,
  ...GIVEN,
]

export function plainLegs(scene: Scene, rest: Remainder, earlier: readonly Leg[]): NamedLeg<Change>[] {
  const known = { ...scene, ...logFactsOf(scene) }
  const factsWith = (gross: readonly Part[], done: readonly Leg[]) => factsOf(known, { parts: rest.all(), gross, done })
  const before = applyRules(UNREQUESTED, (done) => factsWith([], done), rest)
  const gross = rest.all()
  rest.settle()
  const after = applyRules(PLAIN, (done) => factsWith(gross, [...earlier, ...done]), rest)
  return [...before, ...after]
}
