import { readFileSync } from 'node:fs'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { StartupError } from '../../../lib/startup-error.ts'
import type { AllocationSource } from '../../airdrops.ts'
import { isSolanaAddress } from '../codec/address.ts'
import { type AllocatedTo, type Allocation, merkleRoot } from '../distributors/merkle-proof.ts'

export type AllocationList = { root: Uint8Array; find(claimant: SolanaAddress): Allocation | undefined }

export type ListedAirdrop = { source: AllocationSource; list: AllocationList }

const U64_MAX = 2n ** 64n - 1n
const DIGITS = /^\d{1,20}$/

/** Throws `StartupError` for a list that is unreadable, malformed, or of another root than configured. */
export function readListFile(source: AllocationSource): ListedAirdrop {
  const refuse = (problem: string) => new StartupError(`The list of the airdrop ${source.key} ${problem}.`)
  let text: string
  try {
    text = readFileSync(source.file, 'utf8')
  } catch {
    throw refuse('cannot be read')
  }
  let list: AllocationList
  try {
    list = readAllocationList(text)
  } catch (error) {
    throw refuse(`is not as it should be: ${(error as Error).message}`)
  }
  const root = Buffer.from(list.root).toString('hex')
  if (source.root !== undefined && source.root !== root) throw refuse(`has another root: ${root}`)
  return { source, list }
}

/** Lines of `address,unlocked[,locked]` in base units. Throws an `Error` that names the first other line. */
export function readAllocationList(text: string): AllocationList {
  const byClaimant = new Map<SolanaAddress, AllocatedTo>()
  const lines = text.split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const row = readLine(line)
    if (!row && index === 0) continue
    if (!row) throw new Error(`line ${index + 1} is no allocation`)
    if (byClaimant.has(row.claimant)) throw new Error(`line ${index + 1} names a wallet again`)
    byClaimant.set(row.claimant, row)
  }
  const root = merkleRoot(byClaimant.values())
  if (!root) throw new Error('has no allocations')
  return { root, find: (claimant) => byClaimant.get(claimant) }
}

function readLine(line: string): AllocatedTo | undefined {
  const [claimant = '', unlocked, locked = '0'] = line.split(',').map((part) => part.trim())
  const [unlockedRaw, lockedRaw] = [amountFrom(unlocked), amountFrom(locked)]
  return isSolanaAddress(claimant) && unlockedRaw !== undefined && lockedRaw !== undefined
    ? { claimant, unlockedRaw, lockedRaw }
    : undefined
}

function amountFrom(text: string | undefined): bigint | undefined {
  if (text === undefined || !DIGITS.test(text)) return undefined
  const amount = BigInt(text)
  return amount <= U64_MAX ? amount : undefined
}
