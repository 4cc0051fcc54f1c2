import { parseAbi } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ProtocolAdapter } from '../adapter.ts'
import { answerOf, isDeployed } from '../deployment.ts'
import { type Deployment, deployment } from './deployment.ts'
import { eigenLayerLens } from './eigenlayer-lens.bytecode.ts'
import { eigenLayerHistory } from './history.ts'
import { eigenLayerRow } from './rows.ts'

const strategyAbi = parseAbi(['function underlyingToken() view returns (address)'])

const strategyManagerAbi = parseAbi(['function stakerStrategyListLength(address staker) view returns (uint256)'])

const podManagerAbi = parseAbi(['function ownerToPod(address owner) view returns (address)'])

const delegationAbi = parseAbi(['function getQueuedWithdrawalRoots(address staker) view returns (bytes32[] roots)'])

type Part = { strategy: string; token: string; amount: bigint; unlockAt: bigint; isRefused: boolean }

/** Shares and queued withdrawals count as what they would pay after slashing. */
export const eigenLayer: ProtocolAdapter<Deployment> = {
  name: 'eigenlayer',
  deployment,
  rows: [eigenLayerRow],
  lenses: [eigenLayerLens],
  probedOnly: true,

  async discover({ reader, deployment: { delegationManager, strategies, wrapped } }) {
    if (!(await isDeployed(reader, delegationManager))) return []
    const tokens = await Promise.all(
      strategies.map((address) => reader.tryRead({ address, abi: strategyAbi, functionName: 'underlyingToken' })),
    )
    const known = [...tokens.flatMap((token) => (token === undefined ? [] : [evmAddress(token)]))]
    const underlyings = [...new Set([NATIVE, ...known, ...wrapped.map(({ token }) => token)])]
    return [{ address: delegationManager, role: 'manager', fungible: false, underlyings }]
  },

  /** Before the slashing release, a wallet with nothing else has no list. */
  async probe({ reader, deployment: { delegationManager, strategyManager, eigenPodManager }, wallet }) {
    const args = [wallet] as const
    const list = {
      address: strategyManager,
      abi: strategyManagerAbi,
      functionName: 'stakerStrategyListLength',
    } as const
    const pods = { address: eigenPodManager, abi: podManagerAbi, functionName: 'ownerToPod' } as const
    const queue = { address: delegationManager, abi: delegationAbi, functionName: 'getQueuedWithdrawalRoots' } as const
    const [strategies, pod, roots] = await Promise.all([
      answerOf(reader, strategyManager, reader.tryRead({ ...list, args })),
      answerOf(reader, eigenPodManager, reader.tryRead({ ...pods, args })),
      reader.tryRead({ ...queue, args }),
    ])
    return (strategies ?? 0n) > 0n || (pod ?? NATIVE) !== NATIVE || (roots ?? []).length > 0
  },

  async positions({ reader, wallet, deployment: { delegationManager, wrapped, blockSeconds }, held, leftOut }) {
    if (held.length === 0) return []
    const args = [delegationManager, wallet] as const
    const [[staked, queued], { number, timestamp }] = await Promise.all([
      reader.lens(eigenLayerLens, { functionName: 'stakes', args }),
      reader.header(),
    ])
    const paidIn = new Map(wrapped.map(({ strategy, token }) => [strategy, token]))
    const draftsOf = (parts: readonly Part[], facts: Facts) =>
      parts.flatMap((part) => {
        if (part.isRefused) leftOut(new Error(`strategy ${part.strategy} could not be read`))
        return part.isRefused ? [] : [draftOf(part, facts(part), paidIn)]
      })
    return [
      ...draftsOf(staked, stakeFacts),
      ...queued.flatMap(({ fromBlock, parts }) => {
        const left = fromBlock - number
        const isReady = left <= 0n
        const unlockAt = timestamp + Number(left) * blockSeconds
        return draftsOf(parts, () =>
          isReady
            ? { kind: 'locked', label: 'Withdrawal, ready' }
            : { kind: 'locked', label: `Withdrawal, pending until block ${fromBlock}`, unlockAt },
        )
      }),
    ]
  },

  history: eigenLayerHistory,
}

type Facts = (part: Part) => Pick<PositionDraft, 'kind' | 'label' | 'unlockAt'>

const stakeFacts: Facts = ({ token, unlockAt }) => ({
  kind: 'staked',
  label: token === NATIVE ? 'Pod' : 'Stake',
  ...(unlockAt > 0n && { unlockAt: Number(unlockAt) }),
})

function draftOf(
  { strategy, token, amount }: Part,
  facts: ReturnType<Facts>,
  paidIn: ReadonlyMap<EvmAddress, EvmAddress>,
): PositionDraft {
  const pool = evmAddress(strategy)
  const supplied = [{ token: paidIn.get(pool) ?? evmAddress(token), amountRaw: amount }]
  return { ...facts, pool, supplied }
}
