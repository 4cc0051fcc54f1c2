import {
  COUNT_FIELDS,
  type CountField,
  GWEI_FIELDS,
  type GweiField,
  NO_OUTCOME,
  type Outcome,
  type OutcomeChunk,
  readChunk,
  WEI_FIELDS,
  type WeiField,
} from './outcome-chunk.ts'

const SUMMED_GWEI = GWEI_FIELDS.filter((name) => name !== 'effectiveBalanceGwei')

/**
 * `last`: of the last epoch, whose effective balances count. Uses arrays of numbers: a day of a million validators has
 * 225 million outcomes.
 */
export function sumChunks(bodies: readonly Buffer[], last: Buffer | undefined): (Outcome | null)[] {
  const chunks = bodies.map(readChunk)
  const size = chunks.reduce((most, { codes }) => Math.max(most, codes.length), 0)
  const amounts = [
    ...SUMMED_GWEI.map((name) => ({ name, sums: sumGwei(chunks, name, size) })),
    ...WEI_FIELDS.map((name) => ({ name, sums: sumWei(chunks, name, size) })),
  ]
  const counts = COUNT_FIELDS.map((name) => ({ name, sums: sumCounts(chunks, name, size) }))
  const isThere = new Uint8Array(size)
  for (const { codes } of chunks) {
    for (let place = 0; place < codes.length; place += 1) if (codes[place] !== 0) isThere[place] = 1
  }
  const atEnd = last && readChunk(last)
  return Array.from(isThere, (there, place) => {
    if (there === 0) return null
    const sum = { ...NO_OUTCOME }
    for (const { name, sums } of amounts) sum[name] = sums[place] ?? 0n
    for (const { name, sums } of counts) sum[name] = sums[place] ?? 0
    sum.effectiveBalanceGwei = atEnd?.outcomes[(atEnd.codes[place] ?? 0) - 1]?.effectiveBalanceGwei ?? 0n
    return sum
  })
}

function sumGwei(chunks: readonly OutcomeChunk[], name: GweiField, size: number): BigInt64Array {
  const sums = new BigInt64Array(size)
  for (const { codes, outcomes } of chunks) {
    const values = BigInt64Array.of(0n, ...outcomes.map((outcome) => outcome[name]))
    if (values.every((value) => value === 0n)) continue
    for (let place = 0; place < codes.length; place += 1)
      sums[place] = (sums[place] ?? 0n) + (values[codes[place] ?? 0] ?? 0n)
  }
  return sums
}

/** Sums may exceed 64 bits. */
function sumWei(chunks: readonly OutcomeChunk[], name: WeiField, size: number): bigint[] {
  const sums = new Array<bigint>(size).fill(0n)
  for (const { codes, outcomes } of chunks) {
    if (outcomes.every((outcome) => outcome[name] === 0n)) continue
    for (const [place, code] of codes.entries()) sums[place] = (sums[place] ?? 0n) + (outcomes[code - 1]?.[name] ?? 0n)
  }
  return sums
}

function sumCounts(chunks: readonly OutcomeChunk[], name: CountField, size: number): Int32Array {
  const sums = new Int32Array(size)
  for (const { codes, outcomes } of chunks) {
    const values = Int32Array.of(0, ...outcomes.map((outcome) => outcome[name]))
    if (values.every((value) => value === 0)) continue
    for (let place = 0; place < codes.length; place += 1)
      sums[place] = (sums[place] ?? 0) + (values[codes[place] ?? 0] ?? 0)
  }
  return sums
}
