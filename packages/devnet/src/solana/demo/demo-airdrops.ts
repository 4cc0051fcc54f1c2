import { type AirdropTerms, addressOf, airdropFixture } from '@coffer/solana-fixtures/airdrops'
import type { SolanaDevnet } from '../solana-devnet.ts'
import { placeFixture } from './place-fixture.ts'

/** Base units of JUP. `unlockAt`: Unix seconds, 0 if unlocked. */
type DuePart = { amountRaw: bigint; isClaimable: boolean; unlockAt: number }

/** The configuration entry lacks the file name. */
export type DemoList = { row: { key: string }; lines: string }

/** `due`: claims at placement, empty once settled. */
export type DemoAirdrop = {
  state: 'open' | 'vesting' | 'claimed' | 'future' | 'expired'
  title: string
  due: readonly DuePart[]
  /** Without a list only the chain has the data. */
  list?: DemoList
}

type Plan = Pick<DemoAirdrop, 'state' | 'title' | 'due'> & {
  fork: AirdropTerms['fork']
  unlocked?: bigint
  locked?: bigint
  terms: AirdropTerms['terms']
  claim?: AirdropTerms['terms']
  /** From the operator's list. Without it there is no list. */
  window?: { from?: number; until?: number }
}

const MINT = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const UNIT = 1_000_000n
const VAULT = 1_000_000n * UNIT
const DAY = 86_400n

const jup = (amount: bigint) => amount * UNIT
const distributorOf = (state: string) => addressOf(`${state} airdrop`)

/** `due` is calculated by hand. */
const plans = (now: bigint): Plan[] => {
  const day = (days: bigint) => now + days * DAY
  const at = (days: bigint) => Number(day(days))
  const past = { start_ts: day(-20n), end_ts: day(-10n) }
  return [
    {
      ...{ state: 'open', title: 'Season 3', fork: 'jupiterFirst', unlocked: jup(250n), terms: past },
      window: { until: at(90n) },
      due: [{ amountRaw: jup(250n), isClaimable: true, unlockAt: 0 }],
    },
    {
      ...{ state: 'vesting', title: 'Streamflow airdrop', fork: 'streamflow', locked: jup(800n) },
      terms: { start_ts: day(-300n), end_ts: day(700n), unlock_period: DAY },
      claim: {
        ...{ distributor: distributorOf('vesting'), locked_amount: jup(800n), locked_amount_withdrawn: jup(100n) },
      },
      // 300 of 1000 days have passed: 240 of 800, 100 of them withdrawn.
      due: [
        { amountRaw: jup(140n), isClaimable: true, unlockAt: 0 },
        { amountRaw: jup(560n), isClaimable: false, unlockAt: at(700n) },
      ],
    },
    {
      ...{ state: 'claimed', title: 'Season 2', fork: 'jupiterBase', unlocked: jup(90n), terms: past },
      ...{ claim: { unlocked_amount: jup(90n) }, window: { until: at(90n) }, due: [] },
    },
    {
      ...{ state: 'future', title: 'Season 4', fork: 'streamflow', unlocked: jup(400n), locked: jup(200n) },
      terms: { start_ts: day(30n), end_ts: day(120n), unlock_period: DAY },
      window: { until: at(365n) },
      due: [
        { amountRaw: jup(400n), isClaimable: false, unlockAt: at(30n) },
        { amountRaw: jup(200n), isClaimable: false, unlockAt: at(120n) },
      ],
    },
    {
      ...{ state: 'expired', title: 'Season 1', fork: 'jito', unlocked: jup(50n), terms: past },
      ...{ window: { until: at(-1n) }, due: [] },
    },
  ]
}

/** One per state at the chain's time. */
export const demoAirdrops = (devnet: SolanaDevnet, wallet: string): DemoAirdrop[] =>
  plans(devnet.chain.time()).map((plan) => {
    const { state, title, due, fork, unlocked = 0n, locked = 0n, terms, claim, window } = plan
    const grants = [
      { claimant: wallet, unlockedRaw: unlocked, lockedRaw: locked },
      { claimant: addressOf('a stranger'), unlockedRaw: jup(1n), lockedRaw: 0n },
      { claimant: addressOf('another stranger'), unlockedRaw: jup(2n), lockedRaw: jup(3n) },
    ]
    const placed = airdropFixture({
      ...{ fork, distributor: distributorOf(state), mint: MINT, grants, terms, vaultRaw: VAULT },
      ...(claim && { claims: { [wallet]: claim } }),
    })
    placeFixture(devnet, placed.accounts)
    const { program, distributor } = placed
    const row = {
      ...{ kind: 'allocation', key: `nova_${state}`, protocol: { key: 'nova', name: 'Nova' }, title, program },
      ...{ mint: MINT, token: { symbol: 'JUP', name: 'Jupiter' }, window, distributor },
      link: 'https://nova.invalid/claim/{distributor}',
    }
    return { state, title, due, ...(window && { list: { row, lines: linesOf(grants) } }) }
  })

const linesOf = (grants: AirdropTerms['grants']): string =>
  ['address,unlocked,locked', ...grants.map((each) => [each.claimant, each.unlockedRaw, each.lockedRaw].join())].join(
    '\n',
  )
