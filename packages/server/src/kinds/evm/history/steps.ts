import type { Adapter, Instrument } from '../families/family.ts'
import type { Step } from './family-history.ts'
import type { Scene } from './scene.ts'

/** A step, the row that read it from a log, and the instrument that logged it, if it is one. */
export type LoggedStep<S extends Step = Step> = {
  adapter: Adapter
  instrument: Instrument | undefined
  step: S
}

/** What the logs of the catalog's contracts say that the wallet did, in order. */
export function stepsIn({ tx, wallet, book }: Scene): LoggedStep[] {
  return tx.logs.flatMap((log, i) => {
    const adapter = book.adapterOf(log.address)
    if (!adapter?.history.step) return []
    const instrument = book.instrumentOf(log.address)?.instrument
    const context = {
      ...{ before: tx.logs[i - 1], after: tx.logs[i + 1], later: () => tx.logs.slice(i + 1) },
      underlyings: instrument?.underlyings ?? [],
    }
    const step = adapter.history.step(log, wallet, context)
    return step ? [{ adapter, instrument, step }] : []
  })
}
