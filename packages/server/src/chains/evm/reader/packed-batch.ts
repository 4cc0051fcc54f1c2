import { keccak256 } from 'viem'
import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Capabilities } from '../../rpc/capabilities.ts'
import { HttpRefusal, OtherBlock, type RefusalKind, RpcRefusal, type RpcRequest } from '../../rpc/json-rpc.ts'
import { type Hex, parseData } from '../rpc-values.ts'
import { assertSameBlock, type BatchResult, type BatchRun, blockTag, type SeenBlock } from './batch.ts'
import { BatchProgress } from './batch-progress.ts'
import { packedProgramCode } from './contracts/packed-program.bytecode.ts'
import { programLoaderCode } from './contracts/program-loader.bytecode.ts'
import { BIG_SCAN_TOKENS, learnGas } from './learn-gas.ts'
import { decodeProgram, encodeProgram, type Program, type ProgramAnswer, uint } from './packed-program.ts'
import {
  gasOfCall,
  HELD_GAS,
  type ProgramPart,
  type ProgramRoom,
  planPrograms,
  type Remainder,
} from './program-plan.ts'

export type ProgramCarrier = ProgramRoom & {
  maxOutputBytes: number
  params(
    input: string,
    codes: ReadonlyMap<EvmAddress, Hex>,
    sent: { gas: number; from: EvmAddress | undefined },
    block: string,
  ): unknown[]
}

const derived = new Map<Hex, EvmAddress>()

/** By the code's hash, so that no other contract is there. */
export function derivedAddress(runtimeCode: Hex): EvmAddress {
  const known = derived.get(runtimeCode) ?? evmAddress(`0x${keccak256(runtimeCode).slice(-40)}`)
  derived.set(runtimeCode, known)
  return known
}

function creationOf(runtimeCode: Hex): Hex {
  return `0x61${(runtimeCode.length / 2 - 1).toString(16).padStart(4, '0')}80600a3d393df3${runtimeCode.slice(2)}`
}

const programAddress = derivedAddress(packedProgramCode.runtime)

export const overrideCarrier: ProgramCarrier = {
  maxInputBytes: 1_000_000,
  maxOutputBytes: 512_000,
  baseGas: 60_000,
  createsCodes: false,
  params(input, codes, { gas, from }, block) {
    const overrides: Record<string, { code: Hex }> = { [programAddress]: { code: packedProgramCode.runtime } }
    for (const [address, code] of codes) overrides[address] = { code }
    const call = { from, to: programAddress, gas: `0x${gas.toString(16)}`, data: `0x${input}` }
    return [call, block, overrides]
  },
}

const loader = programLoaderCode.creation
const programCreation = creationOf(packedProgramCode.runtime).slice(2)

/** EIP-3860 limits the input, EIP-170 the answer. */
export const creationCarrier: ProgramCarrier = {
  maxInputBytes: 49_152 - (loader.length + programCreation.length) / 2 - 6,
  maxOutputBytes: 24_576,
  baseGas: 6_000_000,
  createsCodes: true,
  params(input, _codes, { gas }, block) {
    const sizes = `${uint(programCreation.length / 2, 2)}${uint(input.length / 2, 4)}`
    return [{ gas: `0x${gas.toString(16)}`, data: `${loader}${programCreation}${input}${sizes}` }, block]
  },
}

const MOST_ROUNDS = 12
const MORE_GAS = 200_000_000
/** Gas ceilings after a refusal: geth's default, EIP-7825's, and what every chain's blocks hold. */
const GAS_STEPS = [50_000_000, 30_000_000, 16_700_000, 10_000_000, 7_000_000]

export async function runPackedBatch(run: BatchRun, carrier: ProgramCarrier): Promise<BatchResult> {
  const progress = new BatchProgress(run.batch)
  let block: SeenBlock | null = null
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const parts = planWithin(run, progress.left(), carrier)
    const at: bigint | null = block?.number ?? run.at
    const asked = await askAll(run, carrier, parts, at)
    if (asked === 'less') continue
    block = chooseBlock(block, asked)
    for (const { part, answer } of asked) {
      if (answer.block.number !== block.number) continue
      assertSameBlock(answer.block, block)
      progress.absorb(part, answer)
    }
    const result = progress.result()
    if (result) return { block, ...result }
  }
  throw new UpstreamError('unavailable', 'the node grants too little gas for the call')
}

function planWithin({ endpoint, batch }: BatchRun, left: Remainder, carrier: ProgramCarrier): ProgramPart[] {
  const known = endpoint.capabilities
  const room = { ...carrier, maxInputBytes: Math.min(carrier.maxInputBytes, known.inputBytes ?? carrier.maxInputBytes) }
  const parts = planPrograms(batch, left, known, room)
  if (parts.length === 1 || known.gasSettled || known.gasCeiling >= MORE_GAS) return parts
  return planPrograms(batch, left, { ...known, gasCeiling: MORE_GAS }, room)
}

const mayBeGas: ReadonlySet<RefusalKind> = new Set(['gas', 'other', 'unsupported'])

type Asked = { part: ProgramPart; answer: ProgramAnswer }

async function askAll(
  run: BatchRun,
  carrier: ProgramCarrier,
  parts: readonly ProgramPart[],
  at: bigint | null,
): Promise<Asked[] | 'less'> {
  try {
    return await Promise.all(parts.map(async (part) => ({ part, answer: await ask(run, carrier, part, at) })))
  } catch (error) {
    const known = run.endpoint.capabilities
    if (error instanceof RequestTooLong) return 'less'
    if (parts.some((part) => part.gas > known.gasCeiling)) {
      // More gas is tried once. A refusal that may be about gas is retried within the known ceiling.
      known.gasSettled = true
      if (error instanceof RpcRefusal && mayBeGas.has(error.kind)) return 'less'
    }
    lowerCeiling(known, error)
    return 'less'
  }
}

function lowerCeiling(known: Capabilities, error: unknown): void {
  const lower = GAS_STEPS.find((gas) => gas < known.gasCeiling)
  if (!(error instanceof RpcRefusal) || error.kind !== 'gas' || lower === undefined) throw error
  known.gasCeiling = lower
}

class RequestTooLong extends UpstreamError {
  constructor() {
    super('unavailable', 'the request is longer than the gateway takes')
  }
}

const LEAST_INPUT_BYTES = 2_000

function shorterInput({ endpoint: { capabilities } }: BatchRun, bytes: number): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof HttpRefusal) || error.status !== 413 || bytes <= LEAST_INPUT_BYTES) throw error
    capabilities.inputBytes = Math.floor(Math.min(bytes, capabilities.inputBytes ?? bytes) / 2)
    throw new RequestTooLong()
  }
}

async function ask(
  run: BatchRun,
  carrier: ProgramCarrier,
  part: ProgramPart,
  at: bigint | null,
): Promise<ProgramAnswer> {
  const { program, codes, from } = buildProgram(run, carrier, part)
  const tokens = part.scans.reduce((sum, scan) => sum + scan.to - scan.from, 0)
  const input = encodeProgram(program)
  const request: RpcRequest<ProgramAnswer> = {
    method: 'eth_call',
    params: carrier.params(input, codes, { gas: part.gas, from }, blockTag(at)),
    parse: (result) => decodeProgram(program, parseData(result)),
    ...(tokens >= BIG_SCAN_TOKENS ? { timeoutMs: run.endpoint.limits.scanTimeoutMs } : {}),
  }
  const answer = await run.endpoint.request(request).catch(shorterInput(run, input.length / 2))
  if (at !== null && answer.block.number !== at) throw new OtherBlock(at)
  learnGas(run, part, answer)
  return answer
}

const NO_TOKENS: readonly EvmAddress[] = []

function buildProgram(run: BatchRun, carrier: ProgramCarrier, part: ProgramPart) {
  const codes = new Map<EvmAddress, Hex>()
  // Contracts can detect a call without a sender.
  let from: EvmAddress | undefined
  const calls = part.calls.map((index) => {
    const call = run.batch.calls[index]
    if (!call) throw new RangeError('a program names a call that its wave has not')
    if (call.lens) codes.set(call.to, call.lens.runtimeCode)
    if (call.standIn && !carrier.createsCodes) {
      codes.set(call.standIn.at, call.standIn.lens.runtimeCode)
      from = call.standIn.at
    }
    const target = call.lens && carrier.createsCodes ? [...codes.keys()].indexOf(call.to) : call.to
    return { target, data: call.data, gas: gasOfCall(call, part.gas) }
  })
  const scans = part.scans.map(({ scan, list, from, to }) => {
    const wanted = run.batch.scans[scan]
    if (!wanted) throw new RangeError('a program names a scan that its wave has not')
    return { owner: wanted.owner, tokens: wanted.lists[list] ?? NO_TOKENS, from, to }
  })
  const { held } = run.batch
  if (part.asksHeld && held?.call.lens) codes.set(held.call.to, held.call.lens.runtimeCode)
  const program: Program = {
    arbSys: run.chain.blockSource === 'arbsys',
    maxBytes: carrier.maxOutputBytes,
    codes: carrier.createsCodes ? [...codes.values()].map(creationOf) : [],
    calls,
    scans,
    held: part.asksHeld && held ? { ...held, target: held.call.to, data: held.call.data, gas: HELD_GAS } : undefined,
  }
  return { program, codes, from }
}

/** Every node of the endpoint has the lowest answered block. */
function chooseBlock(pinned: SeenBlock | null, asked: readonly Asked[]): SeenBlock {
  let block = pinned
  for (const { answer } of asked) {
    if (!block || (!pinned && answer.block.number < block.number)) block = answer.block
  }
  if (!block) throw new RangeError('a round without programs')
  return block
}
