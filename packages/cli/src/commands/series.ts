import { isDay, type PortfolioSeries, portfolioSeries } from '@coffer/contract'
import { defineCommand } from '../command.ts'
import { figureColumn, textColumn } from '../output/column.ts'
import { money } from '../output/figures.ts'
import { walletsOf } from '../wallets.ts'

type Point = PortfolioSeries['points'][number]

const DAY_MS = 86_400_000
const SHOWN_DAYS = 30
const momentOf = (text: string) => (isDay(text) ? `${text}T00:00:00Z` : text)

const gapsOf = ({ incomplete }: Point) =>
  incomplete.map(({ chain, protocol = '', reason }) => [chain, protocol, reason].filter(Boolean).join(' ')).join(', ')

export const seriesCommand = defineCommand({
  name: 'series',
  about: 'Shows the net worth of wallets over time. 1 credit per address and 30 points.',
  operands: 'ADDRESS…',
  printsRows: true,
  options: {
    from: { type: 'string', value: 'DATE', about: 'The first day or time (ISO 8601, UTC). Default: 30 days ago.' },
    to: { type: 'string', value: 'DATE', about: 'The last day or time. Default: now.' },
    interval: {
      type: 'string',
      value: 'WORD',
      about: 'Default: DAY.',
      choices: portfolioSeries.shape.interval.options,
    },
  },
  examples: ['0x…', '@savings --from 2026-01-01 --interval WEEK --csv'],
  async run(call) {
    const { values, output, service, host } = call
    const { client, lastJson } = service()
    const now = new Date()
    const {
      from = new Date(now.getTime() - SHOWN_DAYS * DAY_MS).toISOString(),
      to = now.toISOString(),
      interval = 'DAY',
    } = values
    const span = { from: momentOf(from), to: momentOf(to), interval }
    const query = { addresses: await walletsOf(call), ...span, waitForSync: true }
    const series = await client.getPortfolioSeries({ query }, { signal: host.signal })
    const columns = [
      textColumn<Point>('time', ({ time }) => time),
      figureColumn<Point>('net worth USD', ({ networth }) => networth, money),
      textColumn<Point>('missing', (point) => (point.computing ? 'computing' : gapsOf(point))),
    ]
    if (series.computing) await output.note('Some points are still being computed. Repeat the command.')
    const lacking = series.points.filter(({ computing, incomplete }) => computing || incomplete.length > 0)
    if (lacking.length > 0) await output.missing(`Incomplete: ${lacking.length} of ${series.points.length} points.`)
    await output.print({ json: lastJson(), columns, rows: series.points, empty: 'No points.' })
  },
})
