import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import { addressTopic, TRANSFER, word } from './log-words.ts'
import type { Step } from './protocol-history.ts'
import type { Scene } from './scene.ts'

/** A step, the row that read it from a log, and the protocol contract that logged it, if it is one. */
export type LoggedStep<S extends Step = Step> = {
  deployment: ProtocolDeployment
  protocolContract: ProtocolContract | undefined
  step: S
}

/** What the logs of the catalog's contracts say that the wallet did, in order. */
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

/** A payment to the wallet by a contract that keeps what is waited for. Any token may log one; only the protocol contract's own counts. */
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
