import { merkleList } from '@coffer/solana-fixtures/airdrops'
import { base58 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isProven, leafHash, merkleRoot } from './merkle-proof.ts'

const U64_MAX = 2n ** 64n - 1n
const first = { claimant: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', unlockedRaw: 1_000_000n, lockedRaw: 0n }
const second = { claimant: 'KMNo3nJsBXfcpJTVhZcXLW7RmTwTt4GVFE7suUBo9sS', unlockedRaw: 0n, lockedRaw: U64_MAX }
const third = { claimant: 'So11111111111111111111111111111111111111112', unlockedRaw: 5n, lockedRaw: 7n }
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

// Hashes computed with Python's hashlib.
describe('the tree of a list', () => {
  it('hashes leaves and pairs as the program does', () => {
    expect(hex(leafHash(first))).toBe('abacc852cba8567d2e8a554a9eccffe9fa509fcc4656a8589879b930439c8816')
    expect(hex(leafHash(second))).toBe('04042c5db2f1326d67b3e18fa3e102a3817945fabeba19bb66dcaf611cb52c75')
    expect(hex(merkleRoot([first]))).toBe(hex(leafHash(first)))
    expect(hex(merkleRoot([first, second]))).toBe('577707c5ce70e0d73f9822ebb575639c86c4b1f6c04de30fb535db8c51bb5af2')
    expect(hex(merkleRoot([first, second, third]))).toBe(
      'd18df813f43bedf709613da890d41af29b37185b8c7806ff8798ab68eb3fdf67',
    )
    expect(merkleRoot([])).toBeUndefined()
  })

  it('proves what is in it, and a list of one without siblings', () => {
    const { root, proofOf } = merkleList([first, second, third])
    expect(hex(root)).toBe('d18df813f43bedf709613da890d41af29b37185b8c7806ff8798ab68eb3fdf67')
    for (const grant of [first, second, third]) expect(isProven(grant, proofOf(grant.claimant), root)).toBe(true)
    expect(isProven({ ...third, lockedRaw: 8n }, proofOf(third.claimant), root)).toBe(false)
    expect(isProven({ ...third, unlockedRaw: 7n, lockedRaw: 5n }, proofOf(third.claimant), root)).toBe(false)
    expect(isProven(first, [], leafHash(first))).toBe(true)
  })

  it('is the same whatever its size, and no other proof leads to its root', () => {
    const amount = fc.bigInt({ min: 0n, max: U64_MAX })
    const claimant = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes))
    const grant = fc.record({ claimant, unlockedRaw: amount, lockedRaw: amount })
    const lists = fc.uniqueArray(grant, { minLength: 1, maxLength: 40, selector: (one) => one.claimant })
    fc.assert(
      fc.property(lists, fc.nat(), fc.nat(), (grants, pick, turn) => {
        const { root, proofOf } = merkleList(grants)
        expect(hex(merkleRoot(grants))).toBe(hex(root))
        const one = grants[pick % grants.length] as (typeof grants)[number]
        const proof = proofOf(one.claimant)
        expect(isProven(one, proof, root)).toBe(true)
        expect(isProven({ ...one, unlockedRaw: one.unlockedRaw ^ 1n }, proof, root)).toBe(false)
        if (proof.length === 0) return
        const spoilt = proof.map((sibling) => Uint8Array.from(sibling))
        const target = spoilt[turn % spoilt.length] as Uint8Array
        target[turn % 32] = (target[turn % 32] as number) ^ 1
        expect(isProven(one, spoilt, root)).toBe(false)
        expect(isProven(one, proof.slice(1), root)).toBe(false)
      }),
      { seed: 20_261_122, numRuns: 200 },
    )
  })
})
