import { endpoints, TRANSACTION_TYPES, type Transaction, type TransactionAsset } from '@coffer/contract'
import { defineCommand, type Options } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { money, quantity, UNKNOWN } from '../output/figures.ts'
import type { Output } from '../output/output.ts'
import { shortened } from '../output/visible-text.ts'
import { priceOf } from '../price.ts'
import { walletsOf } from '../wallets.ts'

const MS_PER_SECOND = 1_000

/** Options shared by `transactions` and `export`. */
export const TRANSACTION_FILTER = {
  from: { type: 'string', value: 'DATE', about: 'Not before this day or time (ISO 8601, days of UTC).' },
  to: { type: 'string', value: 'DATE', about: 'Not after the end of this day, or this time.' },
  chain: { type: 'string', value: 'CHAIN,…', about: 'Only these chains.' },
  type: { type: 'string', value: 'TYPE,…', about: 'Only these types.', choices: TRANSACTION_TYPES },
  protocol: { type: 'string', value: 'KEY,…', about: 'Only these protocols.' },
  search: { type: 'string', value: 'TEXT', about: 'Text in the hash, a token, the protocol or the function.' },
  'hide-spam': { type: 'boolean', about: 'Excludes transactions of the type SPAM.' },
  'hide-dust': { type: 'boolean', about: 'Excludes transactions that moved less than 0.01 USD.' },
} as const satisfies Options

type Filter = { readonly [K in keyof typeof TRANSACTION_FILTER]?: string | boolean | undefined }

export function filterQuery(values: Filter): Record<string, string | boolean> {
  const asked = {
    startDate: values.from,
    endDate: values.to,
    networks: values.chain,
    txTypes: values.type,
    protocols: values.protocol,
    initialSearchText: values.search,
    hideSpam: values['hide-spam'],
    hideDust: values['hide-dust'],
  }
  return Object.fromEntries(
    Object.entries(asked).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined),
  )
}

const timeOf = ({ timestamp }: Transaction) =>
  new Date(Number(timestamp) * MS_PER_SECOND).toISOString().replace('T', ' ').replace('.000Z', '')

const moved = (assets: readonly TransactionAsset[], show = (amount: string) => amount) =>
  assets.map(({ balance, symbol }) => `${show(balance)} ${symbol}`).join(', ')

const columns: readonly Column<Transaction>[] = [
  textColumn('wallet', ({ address }) => address, { brief: ({ address }) => shortened(address), spare: 5 }),
  textColumn('time UTC', timeOf, { isWhole: true }),
  textColumn('chain', ({ chain }) => chain.key, { spare: 1 }),
  textColumn('type', ({ type }) => type),
  textColumn('protocol', protocolOf, { spare: 2 }),
  textColumn('received', ({ assetsIn }) => moved(assetsIn), { brief: ({ assetsIn }) => moved(assetsIn, quantity) }),
  textColumn('given', ({ assetsOut }) => moved(assetsOut), { brief: ({ assetsOut }) => moved(assetsOut, quantity) }),
  figureColumn('value USD', worthOf, money),
  figureColumn('fees USD', ({ feesFiat }) => feesFiat, money, { spare: 3 }),
  figureColumn('closed PnL USD', ({ closedPnl }) => closedPnl, money, { spare: 4 }),
  textColumn('state', ({ confirmed }) => confirmed, { spare: 'csv' }),
  textColumn('hash', ({ hash }) => hash, { brief: ({ hash }) => shortened(hash), spare: 6 }),
]

/** Marks a protocol with `?` if only the contract's own name claims it. */
function protocolOf({ protocol: { key, name, basis } }: Transaction): string {
  if (key === 'unknown') return ''
  return basis === 'name' ? `${name}?` : name
}

/** The service answers 0 if no movement has a price: the worth is unknown. */
function worthOf({ valueFiat, unpriced }: Transaction): string {
  return unpriced && valueFiat === '0' ? UNKNOWN : valueFiat
}

type Syncs = readonly { address: string; state: string; reason: string | null; advice: string | null }[]
type Coverage = readonly { address: string; chain: string; complete: boolean; reason?: string | undefined }[]

async function sayUnsearched(output: Output, syncs: Syncs, coverage: Coverage): Promise<void> {
  for (const { address, state, reason, advice } of syncs) {
    if (state === 'done') continue
    const why = [reason, advice].filter((part) => part !== null).join(' ')
    await output.missing(`Incomplete: the sync of ${address} is ${state}. ${why} See "coffer sync ${address}".`)
  }
  const gaps = coverage.filter(({ complete }) => !complete)
  for (const text of new Set(gaps.map(gapText))) await output.missing(text)
}

const gapText = ({ address, chain, reason }: Coverage[number]) =>
  reason === undefined
    ? `Incomplete: data of ${address} on ${chain} is missing.`
    : `Incomplete: blocks of ${chain} could not be searched for ${address} (${reason}).`

export const transactionsCommand = defineCommand({
  name: 'transactions',
  about: `Lists the transactions that "sync" has found, newest first. ${priceOf(endpoints.listTransactions)} per page.`,
  operands: 'ADDRESS…',
  printsRows: true,
  options: {
    ...TRANSACTION_FILTER,
    'oldest-first': { type: 'boolean', about: 'Lists the oldest first.' },
    limit: { type: 'string', value: 'N', about: 'Maximum transactions, up to 250. Default: 50.' },
    offset: { type: 'string', value: 'N', about: 'Transactions to skip.' },
  },
  further: `"coffer export" exports all of them: ${priceOf(endpoints.exportTransactions)} for any number.`,
  examples: ['0x…', '@savings --from 2026-01-01 --type swap,bridgeout', '0x… --limit 250 --csv > page.csv'],
  async run(call) {
    const { values, output, service, host } = call
    const { client, lastJson } = service()
    const { limit = '50', offset = '0' } = values
    const page = { limit, offset, sort: values['oldest-first'] ? 'ASC' : 'DESC' } as const
    const query = { addresses: await walletsOf(call), ...filterQuery(values), ...page }
    const { transactions, syncs, coverage } = await client.listTransactions(
      { query: query as never },
      { signal: host.signal },
    )
    await output.print({ json: lastJson(), columns, rows: transactions, empty: 'No transactions.' })
    const unpriced = transactions.filter((one) => one.unpriced).length
    if (unpriced > 0) await output.note(`Transactions with unpriced assets, which the sums exclude: ${unpriced}.`)
    await sayUnsearched(output, syncs, coverage)
    if (transactions.length >= Number(limit))
      await output.note(`More may follow: --offset ${Number(offset) + transactions.length}.`)
  },
})
