import type { Measured } from './cost-measure.ts'

type State = 'cold' | 'warm'

/** Averages per wallet. Bodies only, in thousand bytes. */
export type CostFigures = {
  what: string
  state: State
  requests: number
  calls: number
  kbUp: number
  kbDown: number
  cpuMs: number
  wallMs: number
  /** Until all wallets were answered. */
  answered: { requests: number; kbUp: number }
}

/** Limits per wallet. `kb`: both ways. */
export type Promised = { what: string; state: State } & Partial<Record<'requests' | 'kbUp' | 'kb' | 'cpuMs', number>>

export function figuresOf(what: string, state: State, reads: readonly Measured[]): CostFigures {
  const wallets = reads.reduce((sum, read) => sum + read.wallets, 0)
  const each = (figure: (read: Measured) => number) => reads.reduce((sum, read) => sum + figure(read), 0) / wallets
  return {
    ...{ what, state },
    requests: each(({ all }) => all.requests),
    calls: each(({ all }) => all.calls),
    kbUp: each(({ all }) => all.bytesUp / 1_000),
    kbDown: each(({ all }) => all.bytesDown / 1_000),
    cpuMs: each(({ cpuMs }) => cpuMs),
    wallMs: each(({ ms }) => ms),
    answered: {
      requests: each(({ answered }) => answered.requests),
      kbUp: each(({ answered }) => answered.bytesUp / 1_000),
    },
  }
}

export const HEADING = [
  '| read | | requests | calls | kB up | kB down | CPU ms | wall ms | until answered: requests, kB up |',
  '|---|---|---|---|---|---|---|---|---|',
].join('\n')

const inCell = (figure: number) => figure.toFixed(figure < 10 ? 2 : 1)

export function rowOf({ what, state, answered, ...figures }: CostFigures): string {
  const { requests, calls, kbUp, kbDown, cpuMs, wallMs } = figures
  const cells = [requests, calls, kbUp, kbDown, cpuMs, wallMs].map(inCell)
  return `| ${[what, state, ...cells, `${inCell(answered.requests)}, ${inCell(answered.kbUp)}`].join(' | ')} |`
}

export function missedBy(rows: readonly CostFigures[], promises: readonly Promised[]): string[] {
  return promises.flatMap(({ what, state, ...most }) => {
    const row = rows.find((each) => each.what === what && each.state === state)
    if (!row) return [`${what}, ${state}: not measured`]
    const measured = { ...row, kb: row.kbUp + row.kbDown }
    return Object.entries(most).flatMap(([name, promised]) => {
      const figure = measured[name as keyof typeof most]
      return figure <= promised ? [] : [`${what}, ${state}: ${inCell(figure)} ${name}; promised ${promised}`]
    })
  })
}
