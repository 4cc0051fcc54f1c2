import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { RpcRefusal } from '../../rpc/json-rpc.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import { blockRequest } from '../blocks.ts'
import { type Hex, parseData, parseQuantity } from '../rpc-values.ts'
import {
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
import { aggregate, BLOCK_NUMBER, callEach, ETH_BALANCE, type PlainAnswer } from './multicall.ts'
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
  const { block, answers } = await aggregate(run.endpoint, multicall3, asked, run.at)
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
  const silent = run.batch.scans
    .flatMap(({ lists }) => lists.flat())
    .filter((_, i) => answers[i]?.passed && answers[i]?.data === '0x')
  const withoutCode = await addressesWithoutCode(run, [...new Set(silent)], at)
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

/** Tokens without code have a balance of zero. */
async function addressesWithoutCode(
  { endpoint }: BatchRun,
  addresses: readonly EvmAddress[],
  at: bigint,
): Promise<Set<EvmAddress>> {
  const codes = await requestEach(
    endpoint,
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, blockTag(at)], parse: parseData })),
  )
  return new Set(addresses.filter((_, i) => codes[i] === '0x'))
}
