import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import { addressTopic, TRANSFER, word } from './log-words.ts'
import type { Step } from './protocol-history.ts'
import type { Scene } from './scene.ts'

export type LoggedStep<S extends Step = Step> = {
  deployment: ProtocolDeployment
  protocolContract: ProtocolContract | undefined
  step: S
}

export function stepsIn(scene: Scene): LoggedStep[] {
  const { tx, wallet, book } = scene
  return tx.logs.flatMap((log, i) => {
    const settled = settledBy(scene, log)
    if (settled) return [settled]
    const deployment = book.deploymentOf(log.address)
    if (!deployment?.history.step) return []
    const protocolContract = book.protocolContractOf(log.address)?.protocolContract
    const context = {
      before: tx.logs[i - 1],
      after: tx.logs[i + 1],
      later: () => tx.logs.slice(i + 1),
      earlier: () => tx.logs.slice(0, i),
      underlyings: protocolContract?.underlyings ?? [],
      data: protocolContract?.data ?? {},
      underlyingsOf: (other: EvmAddress) => book.protocolContractOf(other)?.protocolContract.underlyings ?? [],
    }
    const step = deployment.history.step(log, wallet, context)
    return [step ?? []].flat().map((one) => ({ deployment, protocolContract, step: one }))
  })
}

/** Payment by an escrow. Any token may log one: only the protocol contract's underlyings count. */
function settledBy({ wallet, book }: Scene, log: ReceiptLog): LoggedStep | undefined {
  if (log.topics[0] !== TRANSFER) return undefined
  const contract = addressTopic(log, 1)
  const kept = contract && book.escrowOf(contract)
  const amountRaw = word(log, 0)
  if (!kept || amountRaw === undefined || addressTopic(log, 2) !== wallet) return undefined
  if (!kept.protocolContract.underlyings.includes(log.address)) return undefined
  const position = { contract, id: 0n }
  return { ...kept, step: { kind: 'take', purpose: 'unstake', position, token: log.address, amountRaw } }
}
