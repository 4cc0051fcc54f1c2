import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import { NATIVE_SOL } from '../../../domain/solana-address.ts'
import { createUsedProgramStore } from '../../../wallets/discovery-store.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../codec/token-program.ts'
import { createProgramSearch } from './used-programs.ts'

const STAKE = 'Stake11111111111111111111111111111111111111'
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const SOL = 1_000_000_000n
const chain = 'solana'
const searched = new Set([NATIVE_SOL, STAKE, TOKEN_2022_PROGRAM])

const { devnet, proxy, poolOf, callsOf, walletWith } = await startCluster()
const database = await suiteDatabase('used programs')

/** The state of a process that has just started. */
function open() {
  const pool = poolOf(undefined, { limits: { backoffMs: 1 } })
  const store = createUsedProgramStore(database.db)
  const search = createProgramSearch(store, new Map([[chain, pool]]), async () => [], searched)
  return {
    of: async (wallet: string) => new Set(await store.find({ chain, wallet })),
    advance: (wallet: string) => search({ chain, wallet }),
  }
}

const walletWithSol = (name: string) => walletWith(name, 10n * SOL)

test('programs of a wallet are found, those that others call too, and stay known', async () => {
  const wallet = await walletWithSol('user')
  const used = open()
  expect(await used.of(wallet.address)).toEqual(new Set())
  expect(await used.advance(wallet.address)).toEqual({ found: true, end: 'whole' })
  expect(await used.of(wallet.address)).toEqual(new Set([NATIVE_SOL]))
  await devnet.actions.stake.create(wallet, await devnet.keypair('user: stake'), SOL)
  await devnet.actions.wrappedSol.wrap(wallet, SOL)
  expect(await used.advance(wallet.address)).toEqual({ found: true, end: 'whole' })
  const all = new Set([NATIVE_SOL, STAKE, TOKEN_PROGRAM, ASSOCIATED_TOKEN])
  expect(await open().of(wallet.address)).toEqual(all)
  expect(await open().advance(wallet.address)).toEqual({ found: false, end: 'whole' })
})

test('a program that no read asks about is stored, and found nothing', async () => {
  const wallet = await walletWithSol('other programs')
  const used = open()
  await used.advance(wallet.address)
  await devnet.actions.wrappedSol.wrap(wallet, SOL)
  expect(await used.advance(wallet.address)).toEqual({ found: false, end: 'whole' })
  expect(await used.of(wallet.address)).toEqual(new Set([NATIVE_SOL, TOKEN_PROGRAM, ASSOCIATED_TOKEN]))
})

test('what failed is no use', async () => {
  const wallet = await walletWithSol('failing')
  const nothing = await devnet.keypair('failing: nothing there')
  await devnet.actions.stake.delegate(wallet, nothing.address, { mayFail: true })
  await open().advance(wallet.address)
  expect(await open().of(wallet.address)).toEqual(new Set([NATIVE_SOL]))
})

test('what a node keeps from being searched is searched another time, and what was searched is not read again', async () => {
  const wallet = await walletWithSol('cut off')
  const token = await devnet.actions.mints.create(await devnet.keypair('cut off: mint'), {
    decimals: 0,
    extensions: [],
  })
  await devnet.actions.tokens.open(token, wallet)
  // So far ahead that no slot is checked again.
  devnet.chain.moveTo(devnet.chain.slot() + 100n)
  proxy.add({
    when: ({ method }) => method === 'getTransaction',
    fault: { error: { code: -32019, message: 'storage' } },
  })
  expect(await open().advance(wallet.address)).toEqual({ found: false, end: 'unfinished' })
  expect(await open().of(wallet.address)).toEqual(new Set())
  proxy.reset()
  expect(await open().advance(wallet.address)).toEqual({ found: true, end: 'whole' })
  expect(await open().of(wallet.address)).toEqual(new Set([NATIVE_SOL, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN]))
  proxy.reset()
  expect(await open().advance(wallet.address)).toEqual({ found: false, end: 'whole' })
  expect(callsOf('getTransaction')).toEqual([])
})

test('of the newest slots only what was not read is read, unless what was found is no longer stored', async () => {
  const wallet = await walletWithSol('newest')
  const used = open()
  const advance = async () => {
    proxy.reset()
    const step = await used.advance(wallet.address)
    return { ...step, read: callsOf('getTransaction').length }
  }
  expect(await advance()).toEqual({ found: true, end: 'whole', read: 1 })
  expect(await advance()).toEqual({ found: false, end: 'whole', read: 0 })
  await devnet.actions.stake.create(wallet, await devnet.keypair('newest: stake'), SOL)
  expect(await advance()).toEqual({ found: true, end: 'whole', read: 1 })
  expect(await advance()).toEqual({ found: false, end: 'whole', read: 0 })
  await database.pool.query('delete from wallet_program where wallet = $1', [wallet.address])
  await database.pool.query('delete from wallet_coverage where wallet = $1', [wallet.address])
  expect(await advance()).toEqual({ found: true, end: 'whole', read: 2 })
  expect(await used.of(wallet.address)).toEqual(new Set([NATIVE_SOL, STAKE]))
})
