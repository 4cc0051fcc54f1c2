import { NATIVE_SOL, type SolanaAddress, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { isGiven, isReceived, type Leg, legOf, type Part, type Remainder } from '../../legs.ts'
import { applyRules, type NamedLeg, type NamingRule } from '../../naming.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import { LENDING_PROGRAM, VAULTS_PROGRAM } from '../protocols/jupiter-lend/layout.ts'
import { STAKE_PROGRAM } from '../protocols/native-stake/adapter.ts'
import { WHIRLPOOL_PROGRAM } from '../protocols/orca-whirlpools/adapter.ts'
import { solanaAdapters } from '../protocols/protocols.ts'
import type { SolanaChange } from './changes.ts'

export type KnownProgram = { protocol: string; into: TransactionType; back: TransactionType }

export type ProgramDirectory = {
  programOf(program: SolanaAddress): KnownProgram | undefined
  /** Bait, worth nothing. */
  isSpam(mint: SolanaAddress): boolean
}

const STAKING: readonly string[] = ['spl_stake_pool', 'marinade', 'sanctum', 'jupiter_dao']

const OTHERS: readonly (readonly [program: SolanaAddress, protocol: string])[] = [
  [WHIRLPOOL_PROGRAM, 'orca'],
  [LENDING_PROGRAM, 'jupiter_lend'],
  [VAULTS_PROGRAM, 'jupiter_lend'],
  ['SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy', 'spl_stake_pool'],
]

const searched = solanaAdapters.flatMap(({ key, searched: programs = [] }) =>
  programs.map((program) => [program, key] as const),
)
const programs = new Map([...OTHERS, ...searched].map(([program, key]) => [program, knownProgram(key)]))

export const programOf = (program: SolanaAddress): KnownProgram | undefined => programs.get(program)

function knownProgram(protocol: string): KnownProgram {
  if (STAKING.includes(protocol)) return { protocol, into: 'STAKE', back: 'UNSTAKE' }
  return { protocol, into: 'DEPOSIT', back: 'WITHDRAW' }
}

export type SolanaScene = {
  tx: SolanaTransaction
  wallet: SolanaAddress
  directory: ProgramDirectory
  /** Signed by the wallet. */
  sent: boolean
}

type Legs = readonly Leg<SolanaChange>[]
type Rest = Remainder<SolanaChange>

export function wrapLegs(rest: Rest): Leg<SolanaChange>[] {
  const [sol, wrapped] = [NATIVE_SOL, WRAPPED_SOL].map((token) => rest.all().find((part) => part.token === token))
  if (!sol || !wrapped || isGiven(sol) === isGiven(wrapped)) return []
  const sized = ({ amountRaw }: SolanaChange) => (isGiven({ amountRaw }) ? -amountRaw : amountRaw)
  const parts = [
    ...rest.takeUpTo(sized(wrapped), (part) => part.token === NATIVE_SOL),
    ...rest.takeUpTo(sized(sol), (part) => part.token === WRAPPED_SOL),
  ]
  return [legOf(isGiven(sol) ? 'WRAP' : 'UNWRAP', 'move', null, parts)]
}

type Facts = SolanaScene & {
  given: readonly Part<SolanaChange>[]
  received: readonly Part<SolanaChange>[]
  known: KnownProgram | undefined
  done: Legs
}
type Rule = NamingRule<Facts, SolanaChange>

export const UNREQUESTED: readonly Rule[] = [
  {
    name: 'bait',
    when: ({ sent }) => !sent,
    take: (part, { directory }) => part.token !== NATIVE_SOL && isReceived(part) && directory.isSpam(part.token),
    type: 'SPAM',
    treatment: 'spam',
  },
]

const isBothWays = ({ given, received }: Facts) => given.length > 0 && received.length > 0
const areMinted = (parts: readonly SolanaChange[]) => parts.every(({ counterparty }) => counterparty === null)
const protocolOf = ({ known }: Facts) => known?.protocol ?? null

/** The last rule of each direction takes everything. */
export const PLAIN: readonly Rule[] = [
  {
    name: 'minted share',
    when: (facts) => isBothWays(facts) && areMinted(facts.received),
    type: ({ known }) => known?.into,
    treatment: 'move',
    protocol: protocolOf,
  },
  {
    name: 'burned share',
    when: (facts) => isBothWays(facts) && areMinted(facts.given),
    type: ({ known }) => known?.back,
    treatment: 'move',
    protocol: protocolOf,
  },
  {
    name: 'mint for a price',
    when: (facts) => isBothWays(facts) && areMinted(facts.received),
    type: 'MINT',
    treatment: 'swap',
    protocol: protocolOf,
  },
  { name: 'trade', when: isBothWays, type: 'SWAP', treatment: 'swap', protocol: protocolOf },
  {
    name: 'called protocol',
    when: ({ sent, done }) => sent && done.length === 0,
    type: ({ known, given }) => (given.length > 0 ? known?.into : known?.back),
    treatment: 'move',
    protocol: protocolOf,
  },
  {
    name: 'expense of another action',
    when: ({ done }) => done.length > 0,
    take: isGiven,
    type: 'EXPENSE',
    treatment: 'send',
    legs: 'each',
  },
  { name: 'sent transfer', take: isGiven, type: 'TRANSFEROUT', treatment: 'send', legs: 'each' },
  {
    name: 'reward of another action',
    when: ({ sent, done }) => sent && done.length > 0,
    type: 'CLAIM',
    treatment: 'income',
    legs: 'each',
  },
  {
    name: 'free mint',
    when: ({ sent }) => sent,
    take: ({ counterparty }) => counterparty === null,
    type: 'MINT',
    treatment: 'acquire',
    legs: 'each',
  },
  { name: 'received transfer', type: 'TRANSFERIN', treatment: 'acquire', legs: 'each' },
]

/** `earlier`: legs that a protocol explains. */
export function plainLegs(scene: SolanaScene, rest: Rest, earlier: Legs): NamedLeg<SolanaChange>[] {
  const known = calledProgram(scene)
  const factsOf = (done: Legs): Facts => {
    const parts = rest.all()
    return { ...scene, known, given: parts.filter(isGiven), received: parts.filter(isReceived), done }
  }
  return [
    ...applyRules(UNREQUESTED, factsOf, rest),
    ...applyRules(PLAIN, (named) => factsOf([...earlier, ...named]), rest),
  ]
}

export function calledProgram({ tx, directory }: SolanaScene): KnownProgram | undefined {
  return tx.instructions.map(({ program }) => directory.programOf(program)).find((known) => known !== undefined)
}

const NATIVE_STAKE = 'native_stake'

/** A withdrawal includes the rewards. */
export function stakeLegs(tx: SolanaTransaction, wallet: SolanaAddress, rest: Rest): Leg<SolanaChange>[] {
  const stakes = stakeAccountsIn(tx, wallet)
  if (stakes.size === 0) return []
  const grown = tx.lamports
    .filter(({ account }) => stakes.has(account))
    .reduce((sum, { before, after }) => sum + after - before, 0n)
  const isSol = ({ token }: SolanaChange) => token === NATIVE_SOL
  const [type, moved] =
    grown > 0n
      ? (['STAKE', rest.takeUpTo(grown, (part) => isSol(part) && isGiven(part))] as const)
      : (['UNSTAKE', rest.takeUpTo(-grown, (part) => isSol(part) && isReceived(part))] as const)
  return moved.length > 0 ? [legOf(type, 'move', NATIVE_STAKE, moved)] : []
}

/** Splits and merges have a second stake account. */
function stakeAccountsIn({ instructions }: SolanaTransaction, wallet: SolanaAddress): ReadonlySet<SolanaAddress> {
  const named = instructions.flatMap(({ program, accounts }) => (program === STAKE_PROGRAM ? accounts.slice(0, 2) : []))
  return new Set(named.filter((account) => account !== wallet))
}
