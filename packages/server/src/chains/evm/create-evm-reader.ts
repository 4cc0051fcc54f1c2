import type { Abi } from 'viem'
import type { Chain } from '../chain.ts'
import { decodeAnswer, encodeCall } from './contract-codec.ts'
import { ContractRevert, type EvmReader, type Lens, type PlannedCall } from './evm-reader.ts'
import type { Hex } from './json-rpc.ts'
import { derivedAddress } from './packed-wave.ts'
import type { RpcPool } from './rpc-pool.ts'
import type { WaveCall } from './wave.ts'
import { createWaveQueue } from './wave-queue.ts'

export type EvmReaderOptions = {
  pool: RpcPool
  chain: Chain
  /** Read as of this block; the latest when absent. */
  at?: bigint
  /** Reads of an earlier reader of the same wallet: they leave with the first wave. */
  plan?: readonly PlannedCall[]
  /** Lenses that planned calls may name. */
  lenses?: readonly Lens<Abi>[]
}

/** More planned reads than a wallet has, and few enough that a stored plan cannot swamp the first wave. */
const MOST_PLANNED = 1_000

export function createEvmReader(options: EvmReaderOptions): EvmReader {
  const waves = createWaveQueue(options)
  const lensByName = new Map(options.lenses?.map((lens) => [lens.name, lens]))
  const later = new Map<string, PlannedCall>()
  for (const { to, data, lens } of options.plan?.slice(0, MOST_PLANNED) ?? []) {
    const code = lens === undefined ? undefined : lensByName.get(lens)
    const isCurrent = lens === undefined || (code && derivedAddress(code.runtimeCode) === to)
    if (isCurrent) waves.prefetch({ to, data, ...(code ? { lens: code } : {}) })
  }

  async function call(what: WaveCall, decode: (data: Hex) => unknown): Promise<unknown> {
    const key = `${what.to}${what.data}`
    if (waves.isUnderWay() && !waves.leftFirst(key) && later.size < MOST_PLANNED) {
      later.set(key, { to: what.to, data: what.data, ...(what.lens ? { lens: what.lens.name } : {}) })
    }
    const outcome = await waves.call(what)
    if (outcome.kind === 'failed') throw outcome.error
    if (outcome.kind === 'reverted') throw new ContractRevert(outcome.why)
    return decode(outcome.data)
  }

  const read: EvmReader['read'] = async (request) => {
    const encodable = { abi: request.abi as Abi, functionName: request.functionName, args: argsOf(request) }
    const what = { to: request.address, data: encodeCall(encodable) }
    return (await call(what, (data) => decodeAnswer(encodable, data))) as never
  }

  return {
    chain: options.chain.key,
    header: () => waves.header(),
    scan: (owner, tokens) => waves.scan({ owner, tokens }),
    read,
    async tryRead(request) {
      try {
        return await read(request)
      } catch (error) {
        if (error instanceof ContractRevert) return undefined
        throw error
      }
    },
    async lens(lens, request) {
      const code = lens as unknown as Lens<Abi>
      const encodable = { abi: code.abi, functionName: request.functionName as string, args: argsOf(request) }
      const what = { to: derivedAddress(lens.runtimeCode), data: encodeCall(encodable), lens: code }
      return (await call(what, (data) => decodeAnswer(encodable, data))) as never
    },
    plan: () => [...later.values()],
  }
}

function argsOf(request: object): readonly unknown[] | undefined {
  return 'args' in request ? (request.args as readonly unknown[] | undefined) : undefined
}
