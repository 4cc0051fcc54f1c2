import { type Abi, type AbiFunction, decodeFunctionResult, encodeFunctionData, prepareEncodeFunctionData } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { Hex } from '../rpc-values.ts'
import { type BatchCall, type CallOutcome, keyOfCall } from './batch.ts'
import { type Batches, createBatchQueue } from './batch-queue.ts'
import { ContractRevert, type EvmReader, type Lens, type PlannedCall } from './evm-reader.ts'
import { type BlankCall, blankCall, filled, HeldTokens } from './held-call.ts'
import { derivedAddress } from './packed-batch.ts'

type EvmReaderOptions = {
  pool: RpcPool
  chain: Chain
  at?: bigint | undefined
  plan?: readonly PlannedCall[]
  lenses?: readonly Lens<Abi>[]
  batches?: Batches | undefined
}

/** A stored plan cannot swamp the first batch. */
const MOST_PLANNED = 1_000

export function createEvmReader(options: EvmReaderOptions): EvmReader {
  const batches = options.batches ?? ownBatches(options)
  const first = new Set<string>()
  const later = new Map<string, PlannedCall>()
  const { calls, heldCalls } = plannedCalls(options)
  const held = new HeldTokens()
  for (const call of calls) batches.prefetch(call)

  async function ask(what: BatchCall): Promise<Hex> {
    const key = keyOfCall(what)
    if (!batches.hasLeft()) first.add(key)
    else if (!first.has(key) && later.size < MOST_PLANNED) later.set(key, plannedCall(what))
    return dataOf(await batches.call(what))
  }

  const read: EvmReader['read'] = async (request) => {
    const call = contractCall(request)
    return decodeAnswer(call, await ask({ to: request.address, ...packed(call) })) as never
  }

  return {
    chain: options.chain.key,
    header: () => batches.header(),
    async scan(owner, ...lists) {
      const scan = await batches.scan({ owner, lists })
      held.found(owner, scan.balances.keys())
      return scan
    },
    read,
    async tryRead(request) {
      try {
        return await read(request)
      } catch (error) {
        if (error instanceof ContractRevert) return undefined
        throw error
      }
    },
    async lens(lens, request, standIn) {
      const code = lens as unknown as Lens<Abi>
      const call = contractCall({ ...request, abi: code.abi })
      const to = derivedAddress(code.runtimeCode)
      return decodeAnswer(call, await ask({ to, lens: code, ...packed(call), standIn })) as never
    },
    expectHeld(tokens) {
      held.among = tokens
      for (const blank of heldCalls) batches.expectHeld({ ...blank, among: tokens })
    },
    heldLens(lens, read) {
      const code = lens as unknown as Lens<Abi>
      const to = derivedAddress(code.runtimeCode)
      const callOf = (token: EvmAddress, owner: EvmAddress) => contractCall({ ...read(token, owner), abi: code.abi })
      const blank = blankCall((token, owner) => ({ to, lens: code, ...packed(callOf(token, owner)) }))
      const { tokenAt, ownerAt } = blank
      const blankPlan = { to, data: blank.call.data, lens: code.name, held: { tokenAt, ownerAt } }
      const isPlanned = heldCalls.some(({ call }) => keyOfCall(call) === keyOfCall(blank.call))
      const answer = async (token: EvmAddress, owner: EvmAddress) => {
        later.set(`held ${keyOfCall(blank.call)}`, blankPlan)
        const call = filled(blank, token, owner)
        const data = batches.heldAnswer(call) ?? (isPlanned ? await ask(call) : dataOf(await batches.call(call)))
        return decodeAnswer(callOf(token, owner), data)
      }
      return (token, owner) => (held.isAsked(owner, token) ? (answer(token, owner) as never) : undefined)
    },
    foresee(request) {
      batches.prefetch({ to: request.address, ...packed(contractCall(request)) })
    },
    plan: () => [...later.values()],
  }
}

function ownBatches(options: EvmReaderOptions): Batches {
  const queue = createBatchQueue(options)
  queue.depart()
  return queue.join()
}

function dataOf(outcome: CallOutcome): Hex {
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'reverted') throw new ContractRevert(outcome.why)
  return outcome.data
}

/** Skips lenses that are gone or have changed. */
function plannedCalls({ plan = [], lenses = [] }: EvmReaderOptions): { calls: BatchCall[]; heldCalls: BlankCall[] } {
  // By the address that its code gives: two protocols may have lenses of one name.
  const byAddress = new Map(lenses.map((lens) => [derivedAddress(lens.runtimeCode), lens]))
  const calls: BatchCall[] = []
  const heldCalls: BlankCall[] = []
  for (const { lens: name, standIn: planned, held, ...call } of plan.slice(0, MOST_PLANNED)) {
    const lens = byAddress.get(call.to)
    const code = planned && byAddress.get(planned.lens)
    if (held && lens) heldCalls.push({ call: { ...call, lens }, ...held })
    if (held || (name !== undefined && !lens)) continue
    const standIn = planned && code && { at: planned.at, lens: code }
    calls.push(name === undefined ? call : { ...call, lens, standIn })
  }
  return { calls, heldCalls }
}

function plannedCall({ lens, to, data, changesState, standIn }: BatchCall): PlannedCall {
  return {
    to,
    data,
    ...(lens && { lens: lens.name }),
    ...(changesState && { changesState: true }),
    ...(standIn && { standIn: { at: standIn.at, lens: derivedAddress(standIn.lens.runtimeCode) } }),
  }
}

const contractCall = (request: object) => request as ContractCall

function packed(call: ContractCall): { data: Hex; changesState?: boolean } {
  return { data: encodeCall(call), ...(changesState(call) && { changesState: true }) }
}

type ContractCall = { abi: Abi; functionName: string; args?: readonly unknown[] | undefined }

type Prepared = { abi: [AbiFunction]; selector: Hex }

const preparedByAbi = new WeakMap<Abi, Map<string, Prepared | null>>()

/** Null for overloaded names: viem selects by arguments. */
function prepare(abi: Abi, name: string): Prepared | null {
  const byName = preparedByAbi.get(abi) ?? new Map<string, Prepared | null>()
  preparedByAbi.set(abi, byName)
  let prepared = byName.get(name)
  if (prepared === undefined) {
    const named = abi.filter((item) => item.type === 'function' && item.name === name)
    const [only] = named
    const isOne = named.length === 1 && only?.type === 'function'
    prepared = isOne
      ? {
          abi: [only],
          selector: prepareEncodeFunctionData({ abi: [only], functionName: name } as never).functionName as Hex,
        }
      : null
    byName.set(name, prepared)
  }
  return prepared
}

function encodeCall({ abi, functionName, args }: ContractCall): Hex {
  const prepared = prepare(abi, functionName)
  const call = prepared ? { abi: prepared.abi, functionName: prepared.selector } : { abi, functionName }
  return encodeFunctionData({ ...call, args } as never)
}

/** A mismatch with the outputs is a `ContractRevert`: it is the same at every node. */
function decodeAnswer({ abi, functionName, args }: ContractCall, data: Hex): unknown {
  const prepared = prepare(abi, functionName)?.abi
  // Frequent, and viem would build an error first.
  if (data === '0x' && prepared?.[0].outputs.length) throw new ContractRevert(`${functionName} answered nothing`)
  try {
    return decodeFunctionResult({ abi: prepared ?? abi, functionName, args, data } as never)
  } catch {
    throw new ContractRevert(`${functionName} answered with data that its interface does not allow`)
  }
}

function changesState({ abi, functionName }: ContractCall): boolean {
  const named = prepare(abi, functionName)?.abi ?? abi.filter((item) => 'name' in item && item.name === functionName)
  return named.some((item) => item.type === 'function' && !['view', 'pure'].includes(item.stateMutability))
}
