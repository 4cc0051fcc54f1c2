import type { SyncProgress } from '@coffer/contract'

type Advice = Pick<SyncProgress, 'action' | 'advice'>
type ToldChain = Pick<SyncProgress['chains'][number], 'chain' | 'state'> & { gap?: Gap | undefined }
/** `closedBy`: an endpoint with the missing part. */
export type Gap = { reason: string; closedBy?: string }

const CALL = 'POST /v1/sync-transactions'

export function adviseOn({ state, chains }: { state: SyncProgress['state']; chains: readonly ToldChain[] }): Advice {
  if (state === 'never') {
    return { action: 'sync', advice: `No sync was requested yet, so no transaction is listed: call ${CALL}.` }
  }
  if (state === 'running') {
    return { action: 'wait', advice: 'The sync is running. Transactions found so far are listed; ask again later.' }
  }
  if (state === 'paused') {
    const advice = `The credits ran out. Paid progress is kept: add credits and call ${CALL} to continue.`
    return { action: 'add-credits', advice }
  }
  if (state === 'failed') {
    const which = namesOf(chains, 'failed') || 'a chain'
    const advice = `The sync of ${which} ended early. Transactions found so far are kept: call ${CALL} to continue. If it fails again, the operator has to check the nodes.`
    return { action: 'sync', advice }
  }
  const unsearched = namesOf(chains, 'never')
  if (unsearched !== '') return { action: 'sync', advice: `${unsearched} is not synced yet: call ${CALL}.` }
  if (state === 'done') return { action: 'none', advice: null }
  const closing = chains.flatMap(({ chain, gap }) => (gap?.closedBy ? [`for ${chain} ${gap.closedBy}`] : []))
  if (closing.length === 0) return { action: 'none', advice: null }
  return {
    action: 'add-endpoint',
    advice: `The operator has to add an endpoint: ${closing.join('; ')}. Then call ${CALL}.`,
  }
}

/** For chain types without histories. */
export const NOTHING_HELPS: Advice = { action: 'none', advice: null }

const namesOf = (chains: readonly ToldChain[], state: ToldChain['state']) =>
  chains.flatMap((one) => (one.state === state ? [one.chain] : [])).join(', ')
