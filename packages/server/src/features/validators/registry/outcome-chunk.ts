import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../../domain/validator-epoch.ts'

/** A day and a sum have the effective balance at their end. */
export type Outcome = Omit<ValidatorEpoch, 'validatorIndex' | 'epoch'>

export type OutcomePart = readonly [validator: number, part: Partial<Outcome>]

/** `place`: of the list that has the epoch. `epoch`: of a day, its first. */
export type FindOutcomes = (
  period: 'epoch' | 'day',
  validator: number,
  lists: readonly (readonly EpochRange[])[],
) => Promise<{ place: number; epoch: number; outcome: Outcome }[]>

type NamesOf<T> = { [Name in keyof Outcome]: Outcome[Name] extends T ? Name : never }[keyof Outcome]

export const GWEI_FIELDS = [
  'attestationGwei',
  'attestationIdealGwei',
  'effectiveBalanceGwei',
  'syncGwei',
  'syncPotentialGwei',
  'proposalGwei',
  'proposalPotentialGwei',
  'slashingGwei',
] as const satisfies readonly NamesOf<bigint>[]
export const WEI_FIELDS = ['tipsWei', 'mevWei'] as const satisfies readonly NamesOf<bigint>[]
export const COUNT_FIELDS = [
  'attestationsIncluded',
  'attestationsMissed',
  'syncParticipations',
  'syncMissed',
  'proposedBlocks',
  'missedBlocks',
  'mevBlocks',
] as const satisfies readonly NamesOf<number>[]

const SUMMED_GWEI = GWEI_FIELDS.filter((name) => name !== 'effectiveBalanceGwei')
const AMOUNT_FIELDS = [...SUMMED_GWEI, ...WEI_FIELDS] as const

type CountField = (typeof COUNT_FIELDS)[number]

const zerosOf = <T>(names: readonly string[], zero: T) => names.map((name) => [name, zero] as const)

export const NO_OUTCOME = Object.fromEntries<bigint | number>([
  ...zerosOf([...GWEI_FIELDS, ...WEI_FIELDS], 0n),
  ...zerosOf(COUNT_FIELDS, 0),
]) as Outcome

const NEWLINE = 10
/** The length precedes the deflated bytes. */
const LENGTH_BYTES = 4

function inflate(body: Buffer): Buffer {
  // The spare byte lets zlib detect the end in one step.
  const chunkSize = Math.max(constants.Z_MIN_CHUNK, body.readUInt32LE() + 1)
  return inflateRawSync(body.subarray(LENGTH_BYTES), { chunkSize })
}

/** Code `c` stands for `outcomes[c - 1]`, 0 for none. */
type OutcomeChunk = { codes: Uint16Array; outcomes: Outcome[] }

/** Deflated: count of validators and their codes (16 bits, little endian), then a line per distinct outcome. */
export function packOutcomes(outcomes: readonly (Outcome | null)[]): Buffer {
  const codeOf = new Map<string, number>()
  const codes = new Uint16Array(1 + outcomes.length)
  codes[0] = outcomes.length
  for (const [place, outcome] of outcomes.entries()) {
    if (!outcome) continue
    const line = lineOf(outcome)
    const code = codeOf.get(line) ?? codeOf.size + 1
    codeOf.set(line, code)
    codes[place + 1] = code
  }
  const bytes = Buffer.concat([Buffer.from(codes.buffer), Buffer.from([...codeOf.keys()].join('\n'), 'latin1')])
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(bytes.byteLength)
  return Buffer.concat([length, deflateRawSync(bytes)])
}

export function outcomeAt(body: Buffer, place: number): Outcome | null {
  const bytes = inflate(body)
  const count = bytes.readUInt16LE(0)
  const code = place < count ? bytes.readUInt16LE(2 * (1 + place)) : 0
  if (code === 0) return null
  let begin = 2 * (1 + count)
  for (let line = 1; line < code; line += 1) begin = bytes.indexOf(NEWLINE, begin) + 1
  const end = bytes.indexOf(NEWLINE, begin)
  return outcomeOf(bytes.toString('latin1', begin, end === -1 ? bytes.length : end))
}

export function readChunk(body: Buffer): OutcomeChunk {
  const bytes = inflate(body)
  const end = 2 * (1 + bytes.readUInt16LE(0))
  // They may begin at an odd address.
  const codes = new Uint16Array(new Uint8Array(bytes.subarray(2, end)).buffer)
  const text = bytes.toString('latin1', end)
  return { codes, outcomes: text === '' ? [] : text.split('\n').map(outcomeOf) }
}

/** Rarely set fields come last, to keep lines short. */
const LINE = [...GWEI_FIELDS, ...COUNT_FIELDS, ...WEI_FIELDS] as const

/** As stored: comma-separated; zero is empty, without trailing commas. */
export function lineOf(outcome: Outcome): string {
  let line = ''
  for (const name of LINE) line += `${outcome[name] || ''},`
  return line.replace(/,+$/, '')
}

export function outcomeOf(line: string): Outcome {
  const outcome = { ...NO_OUTCOME }
  for (const [i, value] of line.split(',').entries()) {
    const name = LINE[i]
    if (!name || value === '') continue
    if (isCount(name)) outcome[name] = Number(value)
    else outcome[name] = BigInt(value)
  }
  return outcome
}

const COUNTS: ReadonlySet<string> = new Set(COUNT_FIELDS)
const isCount = (name: keyof Outcome): name is CountField => COUNTS.has(name)

/** `last`: of the last epoch, whose effective balance counts. */
export function sumOutcomes(outcomes: readonly Partial<Outcome>[], last: Outcome | undefined): Outcome {
  const sum = { ...NO_OUTCOME, effectiveBalanceGwei: last?.effectiveBalanceGwei ?? 0n }
  for (const outcome of outcomes) {
    for (const name of AMOUNT_FIELDS) sum[name] += outcome[name] ?? 0n
    for (const name of COUNT_FIELDS) sum[name] += outcome[name] ?? 0
  }
  return sum
}

/** `last`: of the last epoch. Arrays of numbers, as a day has 225 million outcomes. */
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

function sumGwei(chunks: readonly OutcomeChunk[], name: keyof Outcome & `${string}Gwei`, size: number): BigInt64Array {
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
function sumWei(chunks: readonly OutcomeChunk[], name: (typeof WEI_FIELDS)[number], size: number): bigint[] {
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
