import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { OtherBlock, RpcRefusal } from '../../rpc/json-rpc.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { blockRequest } from '../blocks.ts'
import { type Hex, parseData, parseQuantity } from '../rpc-values.ts'
import {
  assertSameBlock,
  type BatchCall,
  type BatchResult,
  type BatchRun,
  blockTag,
  type CallOutcome,
  NotAnswered,
  reorganised,
  type SeenBlock,
} from './batch.ts'
import type { Scan } from './evm-reader.ts'
import { gasOfCall } from './program-plan.ts'

const TOKEN_GAS = 200_000
const BALANCE_OF = '70a08231000000000000000000000000'

function plainBatch({ batch, endpoint }: BatchRun) {
  const { gasCeiling } = endpoint.capabilities
  const plain = (call: BatchCall) => ({ to: call.to, data: call.data, gas: gasOfCall(call, gasCeiling) })
  return {
    calls: batch.calls.flatMap((call, index) =>
      call.lens ? [] : [{ index, call: plain(call), isAlone: call.changesState === true }],
    ),
    tokens: batch.scans.flatMap(({ owner, lists }) =>
      lists.flat().map((to) => ({ to, data: `0x${BALANCE_OF}${owner.slice(2)}` as const, gas: TOKEN_GAS })),
    ),
  }
}

/** Calls after one that changes state would see the changes. */
export async function runMulticallBatch(run: BatchRun, multicall3: EvmAddress): Promise<BatchResult> {
  const { calls, tokens } = plainBatch(run)
  const natives = run.batch.scans.map(({ owner }) => ({
    to: multicall3,
    data: `${ETH_BALANCE}000000000000000000000000${owner.slice(2)}` as Hex,
    gas: TOKEN_GAS,
  }))
  const together = calls.filter(({ isAlone }) => !isAlone)
  const asked = [...natives, ...together.map(({ call }) => call), ...tokens]
  const { block, answers } = await aggregate(run, multicall3, asked)
  const alone = calls.filter(({ isAlone }) => isAlone)
  const answersAlone = await callEach(
    run.endpoint,
    alone.map(({ call }) => call),
    block.number,
  )
  const answered = new Map<number, PlainAnswer | undefined>()
  for (const [i, { index }] of together.entries()) answered.set(index, answers[natives.length + i])
  for (const [i, { index }] of alone.entries()) answered.set(index, answersAlone[i])
  const nativeRaws = natives.map((_, i) => quantityOf(answers[i]))
  const balances = answers.slice(natives.length + together.length)
  const scans = await scansOf(run, nativeRaws, balances, block.number)
  return { block, scans, calls: outcomesOf(run, answered), held: [] }
}

/** An unchanged hash proves that all reads were made on one block. */
export async function runSingleBatch(run: BatchRun): Promise<BatchResult> {
  const { endpoint, batch } = run
  const listed = await endpoint.request(blockRequest(run.at))
  const at = listed.number
  await assertRunsCalls(run, at)
  const { calls, tokens } = plainBatch(run)
  const nativeRaws = await requestEach(
    endpoint,
    batch.scans.map(({ owner }) => ({ method: 'eth_getBalance', params: [owner, blockTag(at)], parse: parseQuantity })),
  )
  const answers = await callEach(endpoint, [...calls.map(({ call }) => call), ...tokens], at)
  const answered = new Map(calls.map(({ index }, i) => [index, answers[i]]))
  const scans = await scansOf(run, nativeRaws.map(valueOrThrow), answers.slice(calls.length), at)
  const again = await endpoint.request(blockRequest(at))
  if (again.hash !== listed.hash) throw reorganised(at)
  const block: SeenBlock = { number: at, timestamp: listed.timestamp, parentHash: listed.parentHash, prevRandao: null }
  return { block, scans, calls: outcomesOf(run, answered), held: [] }
}

/** Multicall3 must know the block: a node that answers zero to everything would empty every wallet. */
async function assertRunsCalls({ endpoint, chain }: BatchRun, at: bigint): Promise<void> {
  if (!chain.multicall3 || chain.blockSource !== 'opcode') return
  const probe = { to: chain.multicall3, data: BLOCK_NUMBER, gas: TOKEN_GAS }
  const [answer] = await callEach(endpoint, [probe], at).catch(refusedProbe)
  if (!answer?.passed || answer.data === '0x') return
  if (answer.data.length !== 66 || BigInt(answer.data) !== at) throw new NotAnswered('the node does not run calls')
}

function refusedProbe(error: unknown): PlainAnswer[] {
  if (error instanceof RpcRefusal && error.kind !== 'rate-limited') return []
  throw error
}

function quantityOf(answer: PlainAnswer | undefined): bigint {
  if (!answer?.passed || answer.data.length !== 66) throw new UpstreamError('invalid', 'expected a native balance')
  return BigInt(answer.data)
}

function outcomesOf(
  { batch, endpoint }: BatchRun,
  answered: ReadonlyMap<number, PlainAnswer | undefined>,
): CallOutcome[] {
  return batch.calls.map((call, index) => {
    const answer = answered.get(index)
    if (answer?.passed) return { kind: 'answered', data: answer.data }
    if (answer) return { kind: 'reverted', why: 'the contract refused the call' }
    const what = call.lens ? `the code of ${call.lens.name}` : 'the call'
    return { kind: 'failed', error: new UpstreamError('not-allowed', `${endpoint.label} cannot run ${what}`) }
  })
}

async function scansOf(
  run: BatchRun,
  nativeRaws: readonly bigint[],
  answers: readonly PlainAnswer[],
  at: bigint,
): Promise<Scan[]> {
  const scanned = run.batch.scans.flatMap(({ lists }) => lists.flat())
  const silent = [...new Set(scanned.filter((_, i) => answers[i]?.passed && answers[i]?.data === '0x'))]
  const ask = (address: EvmAddress) => ({ method: 'eth_getCode', params: [address, blockTag(at)], parse: parseData })
  const codes = await requestEach(run.endpoint, silent.map(ask))
  // Tokens without code have a balance of zero.
  const withoutCode = new Set(silent.filter((_, i) => codes[i] === '0x'))
  let from = 0
  return run.batch.scans.map(({ lists }, i) => {
    const tokens = lists.flat()
    const own = answers.slice(from, from + tokens.length)
    from += tokens.length
    const balances = new Map<EvmAddress, bigint>()
    const failed = new Set<EvmAddress>()
    for (const [k, token] of tokens.entries()) {
      const raw = withoutCode.has(token) ? 0n : balanceOf(own[k])
      if (raw === undefined) failed.add(token)
      else if (raw > 0n) balances.set(token, raw)
    }
    return { nativeRaw: nativeRaws[i] ?? 0n, balances, failed }
  })
}

function balanceOf(answer: PlainAnswer | undefined): bigint | undefined {
  return answer?.passed && answer.data.length >= 66 ? BigInt(answer.data.slice(0, 66)) : undefined
}

/** Selectors of Multicall3 (github.com/mds1/multicall3). */
const BLOCK_NUMBER: Hex = '0x42cbb15c'
const BLOCK_TIMESTAMP: Hex = '0x0f28c97d'
const LAST_BLOCK_HASH: Hex = '0x27e86d6e'
const BLOCK_DIFFICULTY: Hex = '0x72425d9d'
const ETH_BALANCE: Hex = '0x4d2301cc'

/** 224 bytes each; low enough for nodes that support no better way. */
const CALLS_PER_AGGREGATE = 500
/** Up to this number, failed calls are retried alone: one may have burnt the gas of the others. */
const FEW = 8
const AT_ONCE = 4

type Aggregator = {
  endpoint: RpcEndpoint
  multicall3: EvmAddress
  calls: readonly PlainCall[]
  answers: PlainAnswer[]
  at: bigint | null
  block: SeenBlock | null
}

async function aggregate(
  { endpoint, at }: BatchRun,
  multicall3: EvmAddress,
  calls: readonly PlainCall[],
): Promise<{ block: SeenBlock; answers: PlainAnswer[] }> {
  const answers: PlainAnswer[] = new Array(calls.length)
  const run: Aggregator = { endpoint, multicall3, calls, answers, at, block: null }
  const [first = [], ...others] = pagesOf([...calls.keys()], CALLS_PER_AGGREGATE)
  // The first batch determines the block of all others.
  await aggregateRange(run, first)
  const gate = createGate(AT_ONCE)
  await Promise.all(others.map((page) => gate(() => aggregateRange(run, page))))
  if (!run.block) throw new NotAnswered('Multicall3 did not say its block')
  return { block: run.block, answers }
}

async function aggregateRange(run: Aggregator, indices: readonly number[]): Promise<void> {
  const { calls, answers } = run
  const got = await aggregateOnce(run, indices)
  const failed: number[] = []
  for (const [i, index] of indices.entries()) {
    const answer = got?.[i]
    if (answer?.passed) answers[index] = answer
    else failed.push(index)
  }
  const at = run.block?.number ?? run.at
  if (failed.length <= FEW) {
    const chosen = failed.flatMap((index) => calls[index] ?? [])
    const alone = await callEach(run.endpoint, chosen, at)
    for (const [i, index] of failed.entries()) answers[index] = alone[i] ?? { passed: false, data: '0x' }
    return
  }
  const half = Math.ceil(failed.length / 2)
  await aggregateRange(run, failed.slice(0, half))
  await aggregateRange(run, failed.slice(half))
}

async function aggregateOnce(run: Aggregator, indices: readonly number[]): Promise<PlainAnswer[] | undefined> {
  const own = [BLOCK_NUMBER, BLOCK_TIMESTAMP, LAST_BLOCK_HASH, BLOCK_DIFFICULTY]
  const chosen = indices.flatMap((index) => run.calls[index] ?? [])
  const batch = [...own.map((data) => ({ to: run.multicall3, data })), ...chosen]
  const gas = `0x${run.endpoint.capabilities.gasCeiling.toString(16)}`
  const at = run.block?.number ?? run.at
  try {
    const answers = await run.endpoint.request({
      method: 'eth_call',
      params: [{ to: run.multicall3, data: encodeAggregate(batch), gas }, blockTag(at)],
      parse: (result) => decodeAggregate(parseData(result), batch.length),
      timeoutMs: run.endpoint.limits.scanTimeoutMs,
    })
    const block = blockOf(answers.slice(0, own.length))
    if (at !== null && block.number !== at) throw new OtherBlock(at)
    if (run.block) assertSameBlock(run.block, block)
    run.block = block
    return answers.slice(own.length)
  } catch (error) {
    const isTooMuch = error instanceof RpcRefusal && (error.kind === 'gas' || error.kind === 'reverted')
    if (!isTooMuch || indices.length === 0) throw error
    // Smaller batches need a block to run at.
    if (!run.block) await aggregateOnce(run, [])
    return undefined
  }
}

function blockOf(answers: readonly PlainAnswer[]): SeenBlock {
  const [number, timestamp, parentHash, prevRandao] = answers.map(({ data }) => (data.length === 66 ? data : undefined))
  if (!number || !timestamp || !parentHash || !prevRandao) throw new NotAnswered('Multicall3 did not say its block')
  return { number: BigInt(number), timestamp: Number(BigInt(timestamp)), parentHash, prevRandao }
}

/** All failures are allowed. */
function encodeAggregate(calls: readonly { to: EvmAddress; data: Hex }[]): Hex {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args })
}

function decodeAggregate(data: Hex, count: number): PlainAnswer[] {
  const answers = attemptDecoding(data)
  if (answers.length !== count) throw new NotAnswered('Multicall3 answered for another number of calls')
  return answers.map(({ success, returnData }) => ({ passed: success, data: returnData }))
}

function attemptDecoding(data: Hex) {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  } catch {
    throw new NotAnswered('this is not an answer of Multicall3')
  }
}

/** `gas`: without the cost of the transaction. */
type PlainCall = { to: EvmAddress; data: Hex; gas: number }
type PlainAnswer = { passed: boolean; data: Hex }

/** Each input byte adds 16. */
const TRANSACTION_GAS = 21_000

/** A revert or running out of gas is an answer; any other refusal rejects. */
async function callEach(endpoint: RpcEndpoint, calls: readonly PlainCall[], at: bigint | null): Promise<PlainAnswer[]> {
  const requests = calls.map(({ to, data, gas }) => {
    const withInput = gas + TRANSACTION_GAS + (data.length / 2) * 16
    return {
      method: 'eth_call',
      params: [{ to, data, gas: `0x${withInput.toString(16)}` }, blockTag(at)],
      parse: parseData,
    }
  })
  const answers = await requestEach(endpoint, requests)
  return answers.map((answer) => {
    if (typeof answer === 'string') return { passed: true, data: answer }
    if (answer.kind === 'reverted' || answer.kind === 'gas') return { passed: false, data: '0x' }
    throw answer
  })
}
