import { expect, test } from 'vitest'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createWalletGroup, groupByStart } from './wallet-history.ts'

const wallets: readonly EvmAddress[] = ['0xa', '0xb', '0xc', '0xd']
const [a, b, c, d] = wallets as [EvmAddress, EvmAddress, EvmAddress, EvmAddress]

test('a wallet that begins long ago widens the search of no other by more than half of it', () => {
  const starts = new Map([
    [a, 999_996n],
    [b, 400_000n],
    [c, 999_993n],
    [d, 0n],
  ])
  expect(groupByStart(starts, 1_000_000n)).toEqual([
    { fromBlock: 999_996n, wallets: [a] },
    { fromBlock: 999_993n, wallets: [c] },
    { fromBlock: 0n, wallets: [b, d] },
  ])
  expect(groupByStart(new Map(), 10n)).toEqual([])
})

test('a wallet that fails leaves its group, and is returned with the reason', async () => {
  const failures: [string, unknown][] = []
  const bug = new TypeError('x is undefined')
  const group = createWalletGroup('ethereum', wallets, (wallet, error) => void failures.push([wallet, error]))
  const seen: EvmAddress[] = []
  await group.of([a, b]).each(async (wallet) => {
    if (wallet === b) throw bug
  })
  await group.each(async (wallet) => void seen.push(wallet))
  expect(seen).toEqual([a, c, d])
  expect(failures).toEqual([[b, bug]])
})

test('what says nothing of the wallet ends the work of all', async () => {
  const stop = new Error('the process stops')
  const group = createWalletGroup('ethereum', wallets, (_, error) => {
    throw error
  })
  const seen: EvmAddress[] = []
  const work = group.each(async (wallet) => {
    seen.push(wallet)
    throw stop
  })
  await expect(work).rejects.toBe(stop)
  expect(seen).toEqual([a])
})
