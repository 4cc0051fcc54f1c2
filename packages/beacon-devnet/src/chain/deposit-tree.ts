import { createHash } from 'node:crypto'

const DEPTH = 32

const hash = (...parts: readonly Uint8Array[]): Uint8Array => {
  const sha256 = createHash('sha256')
  for (const part of parts) sha256.update(part)
  return new Uint8Array(sha256.digest())
}

const EMPTY: readonly Uint8Array[] = Array.from({ length: DEPTH }).reduce<Uint8Array[]>(
  (roots) => [...roots, hash(roots.at(-1) ?? new Uint8Array(32), roots.at(-1) ?? new Uint8Array(32))],
  [new Uint8Array(32)],
)
const emptyAt = (height: number): Uint8Array => EMPTY[height] ?? new Uint8Array(32)

const above = (layer: readonly Uint8Array[], height: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(layer.length / 2) }, (_, at) =>
    hash(layer[2 * at] ?? emptyAt(height), layer[2 * at + 1] ?? emptyAt(height)),
  )

const lengthOf = (count: number): Uint8Array => {
  const bytes = Buffer.alloc(32)
  bytes.writeBigUInt64LE(BigInt(count))
  return new Uint8Array(bytes)
}

/** `get_deposit_root` of the deposit contract. */
export const depositRoot = (leaves: readonly Uint8Array[]): Uint8Array => {
  let layer = [...leaves]
  for (let height = 0; height < DEPTH; height++) layer = above(layer, height)
  return hash(layer[0] ?? emptyAt(DEPTH), lengthOf(leaves.length))
}

/** 33 items: siblings from the leaf up, then the number of leaves. */
export const depositProof = (leaves: readonly Uint8Array[], index: number): Uint8Array[] => {
  const proof: Uint8Array[] = []
  let layer = [...leaves]
  for (let height = 0; height < DEPTH; height++) {
    proof.push(layer[(index >> height) ^ 1] ?? emptyAt(height))
    layer = above(layer, height)
  }
  return [...proof, lengthOf(leaves.length)]
}
