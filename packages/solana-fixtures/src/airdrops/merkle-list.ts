import { createHash } from 'node:crypto'
import { addressBytes } from '../addresses.ts'

/** In base units: at once and over time. */
export type Grant = { claimant: string; unlockedRaw: bigint; lockedRaw: bigint }

/** As built by the tools of Jito's distributor. */
export type MerkleList = { root: Uint8Array; proofOf(claimant: string): Uint8Array[] }

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

function grantHash({ claimant, unlockedRaw, lockedRaw }: Grant): Buffer {
  const amounts = Buffer.alloc(16)
  amounts.writeBigUInt64LE(unlockedRaw, 0)
  amounts.writeBigUInt64LE(lockedRaw, 8)
  return sha256(Buffer.from([0]), sha256(addressBytes(claimant), amounts))
}

const join = (left: Buffer, right: Buffer) => sha256(Buffer.from([1]), ...[left, right].sort(Buffer.compare))

/** Leaves first. */
function levelsOf(leaves: readonly Buffer[]): Buffer[][] {
  const levels: Buffer[][] = [[...leaves]]
  for (let level = levels[0] ?? []; level.length > 1; ) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) => {
      const left = level[2 * at] as Buffer
      return join(left, level[2 * at + 1] ?? left)
    })
    levels.push(level)
  }
  return levels
}

export function merkleList(grants: readonly Grant[]): MerkleList {
  const levels = levelsOf(grants.map(grantHash))
  return {
    root: levels.at(-1)?.[0] as Buffer,
    proofOf(claimant) {
      const index = grants.findIndex((grant) => grant.claimant === claimant)
      return levels.slice(0, -1).map((level, height) => {
        const at = index >> height
        return (level[at ^ 1] ?? level[at]) as Buffer
      })
    },
  }
}
