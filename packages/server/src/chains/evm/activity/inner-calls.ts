import { type AbiParameter, decodeAbiParameters, parseAbiParameters, toFunctionSelector } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Call } from '../../../domain/transaction.ts'
import type { Hex } from '../rpc-values.ts'

type FullCall = { by: EvmAddress; to: EvmAddress; input: Hex }

const MOST_DEPTH = 5
const MOST_CALLS = 64

type Values = readonly unknown[]
type Wrapper = { parameters: readonly AbiParameter[]; callsIn(values: Values, outer: FullCall): FullCall[] }

const SELECTOR_CHARS = 10

/** The account itself calls (target, value, data). */
const asAccount = (values: Values, { to: by }: FullCall): FullCall[] => callOf(by, values[0], values[2])

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  (
    [
      // A Safe, and its module for entry points.
      ['execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)', asAccount],
      ['executeUserOp(address,uint256,bytes,uint8)', asAccount],
      ['executeUserOpWithErrorString(address,uint256,bytes,uint8)', asAccount],
      ['multiSend(bytes)', packedCalls],
      // DSProxy runs the code of the target as itself, for its owner.
      ['execute(address,bytes)', ([to, data]: Values, { by }: FullCall) => callOf(by, to, data)],
      // Calls of the contract itself.
      ['multicall(bytes[])', ([list]: Values, outer: FullCall) => ofItself(list, outer)],
      ['multicall(uint256,bytes[])', ([, list]: Values, outer: FullCall) => ofItself(list, outer)],
      ['multicall(bytes32,bytes[])', ([, list]: Values, outer: FullCall) => ofItself(list, outer)],
      // Accounts of ERC-4337, ERC-7579 and ERC-7702.
      ['execute(address,uint256,bytes)', asAccount],
      ['executeBatch(address[],bytes[])', ([to, data]: Values, outer: FullCall) => pairs(to, data, outer)],
      ['executeBatch(address[],uint256[],bytes[])', ([to, , data]: Values, outer: FullCall) => pairs(to, data, outer)],
      ['executeBatch((address,uint256,bytes)[])', ([list]: Values, outer: FullCall) => tuples(list, outer)],
      ['execute((address,uint256,bytes)[])', ([list]: Values, outer: FullCall) => tuples(list, outer)],
      ['execute(bytes32,bytes)', executions],
      // Entry points.
      [
        'handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)',
        operations,
      ],
      ['handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)', operations],
    ] as const
  ).map(([declaration, callsIn]) => [
    toFunctionSelector(`function ${declaration}`),
    { parameters: parseAbiParameters(declaration.slice(declaration.indexOf('(') + 1, -1)), callsIn },
  ]),
)

export const isWrapper = (selector: Hex): boolean => WRAPPERS.has(selector)

/** Outer calls first. Malformed input has no inner calls; never throws. */
export function callsOf(by: EvmAddress, to: EvmAddress | null, input: Hex): Call[] {
  if (to === null) return []
  const calls: Call[] = []
  const visit = (call: FullCall, depth: number): void => {
    if (calls.length >= MOST_CALLS) return
    const selector = call.input.slice(0, SELECTOR_CHARS).toLowerCase() as Hex
    calls.push({ by: call.by, to: call.to, selector: selector.length === SELECTOR_CHARS ? selector : '0x' })
    const wrapper = depth < MOST_DEPTH ? WRAPPERS.get(selector) : undefined
    if (wrapper) for (const inner of unwrapped(wrapper, call)) visit(inner, depth + 1)
  }
  visit({ by, to, input }, 0)
  return calls
}

function unwrapped({ parameters, callsIn }: Wrapper, call: FullCall): FullCall[] {
  try {
    return callsIn(decodeAbiParameters(parameters, `0x${call.input.slice(SELECTOR_CHARS)}`), call)
  } catch {
    return []
  }
}

function callOf(by: EvmAddress, to: unknown, input: unknown): FullCall[] {
  return typeof to === 'string' && typeof input === 'string'
    ? [{ by, to: to.toLowerCase() as EvmAddress, input: input as Hex }]
    : []
}

const listOf = (value: unknown): Values => (Array.isArray(value) ? value : [])

const ofItself = (inputs: unknown, { by, to }: FullCall) => listOf(inputs).flatMap((input) => callOf(by, to, input))

const pairs = (targets: unknown, inputs: unknown, { to: by }: FullCall) =>
  listOf(targets).flatMap((to, i) => callOf(by, to, listOf(inputs)[i]))

const tuples = (list: unknown, { to: by }: FullCall) =>
  listOf(list).flatMap((tuple) => {
    const [to, , input] = listOf(tuple)
    return callOf(by, to, input)
  })

/** An account's callback for its own user operation is its own call. */
function operations([list]: Values): FullCall[] {
  return listOf(list).flatMap((operation) => {
    const [sender, , , input] = listOf(operation)
    return typeof sender === 'string' ? callOf(sender.toLowerCase() as EvmAddress, sender, input) : []
  })
}

const BYTE_CHARS = 2
const ADDRESS_BYTES = 20
const WORD_BYTES = 32

/** MultiSend: operation, target, value, data length, data. Runs by delegatecall, as its caller. */
function packedCalls([packed]: Values, { by }: FullCall): FullCall[] {
  const calls: FullCall[] = []
  const text = typeof packed === 'string' ? packed : '0x'
  for (let start = 2; start < text.length && calls.length < MOST_CALLS; ) {
    const take = (bytes: number) => {
      const part = text.slice(start, start + bytes * BYTE_CHARS)
      start += bytes * BYTE_CHARS
      return part
    }
    take(1)
    const to = `0x${take(ADDRESS_BYTES)}`
    take(WORD_BYTES)
    calls.push(...callOf(by, to, `0x${take(Number(BigInt(`0x${take(WORD_BYTES)}`)))}`))
  }
  return calls
}

const BATCH = parseAbiParameters('(address,uint256,bytes)[]')
const SINGLE_START = 2 + (ADDRESS_BYTES + WORD_BYTES) * BYTE_CHARS

/** ERC-7579 and ERC-7821: the mode's first byte is 0 for one packed call, 1 for a list. */
function executions([mode, data]: Values, outer: FullCall): FullCall[] {
  if (typeof mode !== 'string' || typeof data !== 'string') return []
  if (mode.startsWith('0x01')) return tuples(decodeAbiParameters(BATCH, data as Hex)[0], outer)
  const to = data.slice(0, 2 + ADDRESS_BYTES * BYTE_CHARS)
  return mode.startsWith('0x00') ? callOf(outer.to, to, `0x${data.slice(SINGLE_START)}`) : []
}
