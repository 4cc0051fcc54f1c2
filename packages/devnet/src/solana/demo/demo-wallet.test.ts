import { getStakeStateAccountDecoder, STAKE_PROGRAM_ADDRESS } from '@solana-program/stake'
import { AccountState, getMintDecoder } from '@solana-program/token-2022'
import { expect, test } from 'vitest'
import { bytesOf, NEVER, SOL, START, startCluster, TOKEN_PROGRAMS } from '../../../test/solana-cluster.ts'
import { buildDemoWallet } from './demo-wallet.ts'

const { devnet, rpc, balanceOf, tokensOf } = await startCluster()
const wallet = await buildDemoWallet(devnet)

test('the demonstration wallet has its lamports', async () => {
  const lamports = await balanceOf(wallet.address)
  // Of 100 SOL: 1.5 wrapped in an account that holds 2039280 lamports, 21 staked in six that hold 2282880 each, and
  // 20 signatures at 5000: one to wrap, two for each of the stakes, five to delegate, two to deactivate.
  expect(lamports).toBe(100n * SOL - 1_500_000_000n - 2_039_280n - 21n * SOL - 6n * 2_282_880n - 20n * 5_000n)
  expect(wallet.lamports).toBe(lamports)
})

test('the demonstration wallet has the tokens that it says', async () => {
  const held = await Promise.all(TOKEN_PROGRAMS.map((programId) => tokensOf(wallet.address, { programId })))
  const found = held.flat().map(({ state, account, mint, amount, program }) => {
    return { account, mint, amount, program, isFrozen: state === AccountState.Frozen }
  })
  const reported = Object.values(wallet.tokens).map(({ account, mint, amount, isFrozen, program }) => {
    return { account, mint, amount, program, isFrozen }
  })
  const byAccount = (one: { account: string }, other: { account: string }) => (one.account < other.account ? -1 : 1)
  expect(found.sort(byAccount)).toEqual(reported.sort(byAccount))
  expect(wallet.tokens.frozen.isFrozen).toBe(true)
})

test('interest and multiplier are those of the mints', async () => {
  const mints = [wallet.tokens.interest.mint, wallet.tokens.scaled.mint]
  const { value } = await rpc.getMultipleAccounts(mints, { encoding: 'base64' }).send()
  const [interest, scaled] = value.map((each) => getMintDecoder().decode(bytesOf(each?.data ?? ['', ''])).extensions)
  expect(interest).toMatchObject({
    value: [{ currentRate: 500, initializationTimestamp: wallet.tokens.interest.interest.since }],
  })
  expect(scaled).toMatchObject({ value: [{ multiplier: wallet.tokens.scaled.multiplier }] })
})

test('the demonstration wallet has a stake in each state', async () => {
  const filters = [{ memcmp: { offset: 44n, bytes: wallet.address as never, encoding: 'base58' as const } }]
  const found = await rpc.getProgramAccounts(STAKE_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send()
  const epoch = devnet.chain.epoch()
  const read = new Map(
    found.map(({ pubkey, account }) => {
      const { state } = getStakeStateAccountDecoder().decode(bytesOf(account.data))
      const delegation = state.__kind === 'Stake' ? state.fields[1].delegation : null
      const unlocksAt = 'fields' in state ? state.fields[0].lockup.unixTimestamp : 0n
      return [
        pubkey,
        {
          lamports: account.lamports as bigint,
          unlocksAt,
          since: delegation && delegation.activationEpoch - epoch,
          until: delegation && (delegation.deactivationEpoch === NEVER ? NEVER : delegation.deactivationEpoch - epoch),
        },
      ]
    }),
  )
  const holds = (sol: bigint) => ({ lamports: 2_282_880n + sol * SOL, unlocksAt: 0n })
  const { stakes } = wallet
  expect(read).toEqual(
    new Map([
      [stakes.initialized.account, { ...holds(1n), since: null, until: null }],
      [stakes.activating.account, { ...holds(2n), since: 0n, until: NEVER }],
      [stakes.active.account, { ...holds(3n), since: -2n, until: NEVER }],
      [stakes.deactivating.account, { ...holds(4n), since: -2n, until: 0n }],
      [stakes.inactive.account, { ...holds(5n), since: -2n, until: -1n }],
      [stakes.locked.account, { ...holds(6n), unlocksAt: stakes.locked.unlocksAt, since: -2n, until: NEVER }],
    ]),
  )
  for (const { account, lamports } of Object.values(stakes)) expect(read.get(account)?.lamports).toBe(lamports)
})

test('it takes less than five days of the chain', () => {
  expect(devnet.chain.time() - START).toBeLessThan(5n * 86_400n)
})
