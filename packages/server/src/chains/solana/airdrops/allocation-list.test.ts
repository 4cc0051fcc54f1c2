import { merkleList } from '@coffer/solana-fixtures/airdrops'
import { describe, expect, it } from 'vitest'
import { readAllocationList } from './allocation-list.ts'

const one = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const other = 'KMNo3nJsBXfcpJTVhZcXLW7RmTwTt4GVFE7suUBo9sS'

describe('a list of allocations', () => {
  it('finds wallets, and has the root of the tree over its lines in their order', () => {
    const text = `pubkey,amount_unlocked,amount_locked,category\r\n${one},1000000,5,Staker\r\n\r\n ${other} , 7\r\n`
    const list = readAllocationList(text)
    expect(list.find(one)).toMatchObject({ unlockedRaw: 1_000_000n, lockedRaw: 5n })
    expect(list.find(other)).toMatchObject({ unlockedRaw: 7n, lockedRaw: 0n })
    expect(list.find('So11111111111111111111111111111111111111112')).toBeUndefined()
    const { root } = merkleList([
      { claimant: one, unlockedRaw: 1_000_000n, lockedRaw: 5n },
      { claimant: other, unlockedRaw: 7n, lockedRaw: 0n },
    ])
    expect(Buffer.from(list.root).equals(root)).toBe(true)
  })

  it.each([
    ['an amount of more than 64 bits', `${one},18446744073709551616`, 'has no allocations'],
    ['an amount with a point', `${one},1\n${other},1.5`, 'line 2 is no allocation'],
    ['an address of 33 bytes', `${one},1\n1${other}1,1`, 'line 2 is no allocation'],
    ['a wallet twice', `${one},1\n${one},2`, 'line 2 names a wallet again'],
    ['a wallet without an amount', `${one},1\n${other}`, 'line 2 is no allocation'],
    ['nothing but a heading', 'address,amount', 'has no allocations'],
  ])('refuses %s', (_, text, problem) => {
    expect(() => readAllocationList(text)).toThrow(problem)
  })

  it('takes the largest amount', () => {
    expect(readAllocationList(`${one},18446744073709551615`).find(one)?.unlockedRaw).toBe(2n ** 64n - 1n)
  })
})
