import { claimData, compressedClaimData, type DistributorFork, distributorData } from '@coffer/solana-fixtures/airdrops'
import { describe, expect, it } from 'vitest'
import type { SolanaAccount } from '../codec/account-data.ts'
import { layouts, readClaim, readDistributor } from './distributor-layouts.ts'
import { distributorPrograms } from './distributor-programs.ts'

const WALLET = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const MINT = 'KMNo3nJsBXfcpJTVhZcXLW7RmTwTt4GVFE7suUBo9sS'
const VAULT = 'So11111111111111111111111111111111111111112'
const ADMIN = 'DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7'
const TREE = 'HS8EQ8QkQSBJggY8r255AKdWbtYRtyNMoRt4LjNkkWm1'
const root = Uint8Array.from({ length: 32 }, (_, at) => at + 1)
const U64_MAX = 2n ** 64n - 1n

const forks = Object.keys(layouts) as DistributorFork[]
const rulesOf = (fork: DistributorFork) => {
  const rules = distributorPrograms.find(({ layout }) => layout === fork)
  if (!rules) throw new Error(`no program has the layout ${fork}`)
  return rules
}
const account = (fork: DistributorFork, data: Uint8Array): SolanaAccount => ({
  address: TREE,
  owner: rulesOf(fork).program,
  lamports: 1n,
  data,
})
const terms = { root, mint: MINT, token_vault: VAULT, admin: ADMIN, start_ts: 1_700_000_000n, end_ts: 1_800_000_000n }

describe.each(forks)('accounts of %s', (fork) => {
  const read = (values: object) =>
    readDistributor(account(fork, distributorData(fork, { ...terms, ...values })), rulesOf(fork))

  it('say what a distributor pays and when', () => {
    expect(read({})).toMatchObject({
      ...{ address: TREE, mint: MINT, vault: VAULT, clawedBack: false },
      ...{ startTs: 1_700_000_000n, endTs: 1_800_000_000n, isRescheduled: false },
    })
    expect(Array.from(read({}).root)).toEqual(Array.from(root))
    expect(read({ clawed_back: true }).clawedBack).toBe(true)
  })

  it('say what a wallet claimed, to the last of 64 bits', () => {
    const values = { claimant: WALLET, locked_amount: U64_MAX, locked_amount_withdrawn: 3n, unlocked_amount: 9n }
    const claim = readClaim(account(fork, claimData(fork, values)), rulesOf(fork))
    expect(claim).toMatchObject({ claimant: WALLET, lockedRaw: U64_MAX, withdrawnRaw: 3n, isOver: false })
  })

  it('are not believed cut short, of another kind or of another program', () => {
    const [whole, claim] = [distributorData(fork, terms), claimData(fork, { claimant: WALLET })]
    const { minLength } = layouts[fork].distributor
    const invalid = expect.objectContaining({ reason: 'invalid' })
    const rules = rulesOf(fork)
    expect(() => readDistributor(account(fork, whole.subarray(0, minLength - 1)), rules)).toThrow(invalid)
    expect(() => readDistributor(account(fork, claim), rules)).toThrow(invalid)
    expect(() => readDistributor({ ...account(fork, whole), owner: VAULT }, rules)).toThrow(invalid)
    expect(() => readClaim(account(fork, claim.subarray(0, layouts[fork].claim.minLength - 1)), rules)).toThrow(invalid)
    expect(() => readClaim(account(fork, whole), rules)).toThrow(invalid)
    expect(() => readClaim({ ...account(fork, claim), owner: VAULT }, rules)).toThrow(invalid)
  })
})

describe('what only some programs know', () => {
  const read = (fork: DistributorFork, values: object) =>
    readDistributor(account(fork, distributorData(fork, { ...terms, ...values })), rulesOf(fork))

  it('is the slot or the moment at which claims open', () => {
    expect(read('jito', {}).opening).toEqual({ by: 'time', point: 0n })
    expect(read('jupiterFirst', { enable_slot: 7n }).opening).toEqual({ by: 'slot', point: 7n })
    expect(read('jupiterBase', { activation_point: 8n }).opening).toEqual({ by: 'slot', point: 8n })
    const timed = { activation_point: 1_750_000_000n, activation_type: 1n }
    for (const fork of ['jupiterBase', 'jupiterZeroCopy'] as const) {
      expect(read(fork, timed).opening).toEqual({ by: 'time', point: 1_750_000_000n })
      expect(() => read(fork, { activation_type: 2n })).toThrow('opens by an unknown rule (2)')
    }
    expect(read('drift', { enable_slot: 9n })).toMatchObject({ opening: { by: 'slot', point: 9n }, opensAtStart: true })
    expect(read('streamflow', {})).toMatchObject({ opening: { by: 'time', point: 0n }, opensAtStart: true })
  })

  it('is a bonus for those who wait, a step of vesting, a limit of claims and a change of the vesting time', () => {
    for (const fork of ['jupiterBase', 'jupiterZeroCopy'] as const) {
      expect(read(fork, { total_bonus: 40n, vesting_duration: 50n, max_total_claim: 90n }).bonus).toEqual({
        ...{ totalRaw: 40n, duration: 50n, maxTotalClaimRaw: 90n },
      })
      expect(read(fork, {}).bonus.totalRaw).toBe(0n)
    }
    expect(read('streamflow', { unlock_period: 60n, claims_limit: 2n })).toMatchObject({
      unlockPeriod: 60n,
      claimsLimit: 2,
    })
    expect(read('streamflow', { last_duration_update_ts: 1n }).isRescheduled).toBe(true)
    expect(read('streamflow', {}).claimsLimit).toBe(0)
  })

  it('is of which distributor a claim is, and by whom it is administered', () => {
    const read = (fork: DistributorFork, values: object) =>
      readClaim(account(fork, claimData(fork, { claimant: WALLET, ...values })), rulesOf(fork))
    for (const fork of ['drift', 'streamflow', 'jupiterZeroCopy'] as const) {
      expect(read(fork, { distributor: TREE }).distributor).toBe(TREE)
    }
    for (const fork of ['jupiterFirst', 'jupiterBase'] as const) expect(read(fork, { admin: ADMIN }).admin).toBe(ADMIN)
    expect(read('streamflow', { closed: true, claims_count: 4n })).toMatchObject({ isOver: true, claimsCount: 4 })
  })

  it('is that Streamflow keeps one byte of a claim that is through', () => {
    for (const state of [0n, 1n]) {
      expect(readClaim(account('streamflow', compressedClaimData(state)), rulesOf('streamflow')).isOver).toBe(true)
    }
    const unknown = account('streamflow', compressedClaimData(2n))
    expect(() => readClaim(unknown, rulesOf('streamflow'))).toThrow('unknown state 2')
    expect(() => readClaim(account('jito', compressedClaimData(0n)), rulesOf('jito'))).toThrow('of another kind')
  })

  it('is that a longer account of LFG is of a layout that nobody published', () => {
    const longer = new Uint8Array(400)
    longer.set(distributorData('jupiterBase', terms))
    expect(() => readDistributor(account('jupiterBase', longer), rulesOf('jupiterBase'))).toThrow(
      'its layout is not known',
    )
  })
})
