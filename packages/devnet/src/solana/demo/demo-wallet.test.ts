import { createSolanaRpc } from '@solana/kit'
import { getStakeStateAccountDecoder, STAKE_PROGRAM_ADDRESS } from '@solana-program/stake'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { AccountState, getMintDecoder, getTokenDecoder, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SolanaDevnet, startSolanaDevnet } from '../solana-devnet.ts'
import { buildDemoWallet, type DemoWallet } from './demo-wallet.ts'

const SOL = 1_000_000_000n
const START = 1_790_000_000n
const NEVER = 2n ** 64n - 1n

let devnet: SolanaDevnet
let wallet: DemoWallet
const rpc = () => createSolanaRpc(devnet.url)
const bytes = ([text]: readonly [string, string]) => Buffer.from(text, 'base64')

beforeAll(async () => {
  devnet = await startSolanaDevnet({ unixTime: START })
  wallet = await buildDemoWallet(devnet)
})

afterAll(() => devnet.stop())

test('the demonstration wallet has its lamports', async () => {
  const { value } = await rpc().getBalance(wallet.address).send()
  // Of 100 SOL: 1.5 wrapped in an account that holds 2039280 lamports, 21 staked in six that hold 2282880 each, and
  // 20 signatures at 5000: one to wrap, two for each of the stakes, five to delegate, two to deactivate.
  expect(value).toBe(100n * SOL - 1_500_000_000n - 2_039_280n - 21n * SOL - 6n * 2_282_880n - 20n * 5_000n)
  expect(wallet.lamports).toBe(value)
})

test('the demonstration wallet has the tokens that it says', async () => {
  const programs = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]
  const answers = await Promise.all(
    programs.map((programId) =>
      rpc().getTokenAccountsByOwner(wallet.address, { programId }, { encoding: 'base64' }).send(),
    ),
  )
  const found = answers.flatMap(({ value }) =>
    value.map(({ pubkey, account }) => {
      const { mint, amount, state } = getTokenDecoder().decode(bytes(account.data))
      return {
        account: pubkey as string,
        mint,
        amount,
        isFrozen: state === AccountState.Frozen,
        program: account.owner,
      }
    }),
  )
  const told = Object.values(wallet.tokens).map(({ account, mint, amount, isFrozen, program }) => ({
    account: account as string,
    mint,
    amount,
    isFrozen,
    program,
  }))
  const byAccount = (one: { account: string }, other: { account: string }) => (one.account < other.account ? -1 : 1)
  expect(found.sort(byAccount)).toEqual(told.sort(byAccount))
  expect(wallet.tokens.frozen.isFrozen).toBe(true)
})

test('interest and multiplier are those of the mints', async () => {
  const mints = [wallet.tokens.interest.mint, wallet.tokens.scaled.mint]
  const { value } = await rpc().getMultipleAccounts(mints, { encoding: 'base64' }).send()
  const [interest, scaled] = value.map((each) => getMintDecoder().decode(bytes(each?.data ?? ['', ''])).extensions)
  expect(interest).toMatchObject({
    value: [{ currentRate: 500, initializationTimestamp: wallet.tokens.interest.interest.since }],
  })
  expect(scaled).toMatchObject({ value: [{ multiplier: wallet.tokens.scaled.multiplier }] })
})

test('the demonstration wallet has a stake in each state', async () => {
  const filters = [{ memcmp: { offset: 44n, bytes: wallet.address as never, encoding: 'base58' as const } }]
  const found = await rpc().getProgramAccounts(STAKE_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send()
  const epoch = devnet.chain.epoch()
  const read = new Map(
    found.map(({ pubkey, account }) => {
      const { state } = getStakeStateAccountDecoder().decode(bytes(account.data))
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
