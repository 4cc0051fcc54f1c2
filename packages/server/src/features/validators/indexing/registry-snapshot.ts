import type { ValidatorLife } from '../../../beacon/validator-requests.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'

/** All validators as of one state, in 33 bytes each. */
export type RegistrySnapshot = {
  size: number
  slice(from: number, to: number): Map<number, ValidatorLife>
}

const OPEN = -1

type Columns = {
  effectiveBalances: BigInt64Array
  slashed: Uint8Array
  activations: Float64Array
  exits: Float64Array
  withdrawals: Float64Array
}

/** Rejects with `UpstreamError` if a validator is missing: it would count as inactive. */
export async function readSnapshot(pages: AsyncIterable<readonly ValidatorLife[]>): Promise<RegistrySnapshot> {
  let columns = createColumns(0)
  let [size, count] = [0, 0]
  for await (const page of pages) {
    size = page.reduce((most, { index }) => Math.max(most, index + 1), size)
    count += page.length
    if (size > columns.slashed.length) columns = createColumns(2 * size, columns)
    for (const validator of page) write(columns, validator)
  }
  if (count !== size)
    throw new UpstreamError('invalid', `the registry of ${size} validators was returned with ${count}`)
  return {
    size,
    slice(from, to) {
      const indices = Array.from({ length: Math.max(0, Math.min(to, size) - from) }, (_, i) => from + i)
      return new Map(indices.map((index) => [index, read(columns, index)]))
    },
  }
}

function createColumns(length: number, smaller?: Columns): Columns {
  const columns = {
    effectiveBalances: new BigInt64Array(length),
    slashed: new Uint8Array(length),
    activations: new Float64Array(length),
    exits: new Float64Array(length),
    withdrawals: new Float64Array(length),
  }
  if (smaller) {
    columns.effectiveBalances.set(smaller.effectiveBalances)
    columns.slashed.set(smaller.slashed)
    columns.activations.set(smaller.activations)
    columns.exits.set(smaller.exits)
    columns.withdrawals.set(smaller.withdrawals)
  }
  return columns
}

function write(columns: Columns, of: ValidatorLife): void {
  columns.effectiveBalances[of.index] = of.effectiveBalanceGwei
  columns.slashed[of.index] = of.slashed ? 1 : 0
  columns.activations[of.index] = of.activationEpoch ?? OPEN
  columns.exits[of.index] = of.exitEpoch ?? OPEN
  columns.withdrawals[of.index] = of.withdrawableEpoch ?? OPEN
}

function read(columns: Columns, index: number): ValidatorLife {
  const epochIn = (column: Float64Array) => (column[index] === OPEN ? null : (column[index] ?? null))
  return {
    index,
    effectiveBalanceGwei: columns.effectiveBalances[index] ?? 0n,
    slashed: columns.slashed[index] === 1,
    activationEpoch: epochIn(columns.activations),
    exitEpoch: epochIn(columns.exits),
    withdrawableEpoch: epochIn(columns.withdrawals),
  }
}
