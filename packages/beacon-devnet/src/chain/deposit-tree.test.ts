import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { depositProof, depositRoot } from './deposit-tree.ts'

const hash = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const leaf = (index: number) => new Uint8Array(32).fill(index + 1)

it('has the root that the empty deposit contract answers', () => {
  expect(Buffer.from(depositRoot([])).toString('hex')).toBe(
    'd70a234731285c6804c2a4f56711ddb8c82c99740f207854891028af34e27e5e',
  )
})

it('proves every leaf by its 32 siblings and the number of leaves', () => {
  const leaves = Array.from({ length: 5 }, (_, index) => leaf(index))
  leaves.forEach((one, index) => {
    const proof = depositProof(leaves, index)
    expect(proof).toHaveLength(33)
    const root = proof.reduce<Uint8Array>(
      (node, sibling, height) =>
        Math.floor(index / 2 ** height) % 2 === 1 ? hash(sibling, node) : hash(node, sibling),
      one,
    )
    expect(Buffer.from(root)).toEqual(Buffer.from(depositRoot(leaves)))
  })
})
