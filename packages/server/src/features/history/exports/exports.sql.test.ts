import type { SyncProgress, TransactionFormat } from '@coffer/contract'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { seededRandom } from '../../../../test/random.ts'
import { readCsv, recordsOf } from '../../../../test/read-csv.ts'
import { sized } from '../../../../test/sized.ts'
import { collect } from '../../../../test/stored-steps.ts'
import { findChain } from '../../../chains/chain-catalog.ts'
import { chains } from '../../../chains/chain-types.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, decimal, formatDecimal, fromRaw, ZERO } from '../../../domain/decimal.ts'
import { openTransactions } from './transaction-files.ts'

// Random histories of two wallets. An independent reader reads the file, and its sums equal those of the stored rows.

const random = seededRandom('exports')
const ONE: Address = '0x1111111111111111111111111111111111111111'
const TWO: Address = '0x2222222222222222222222222222222222222222'
const NATIVE: Address = '0x0000000000000000000000000000000000000000'
const token = (letter: string): Address => `0x${letter.repeat(40)}`
/** Symbol of two listed coins. */
const SHARED = 'ONE'
/** Two tokens have the symbol USDC; only the first is listed. */
const TOKENS = [
  { address: token('a'), symbol: 'USDC', decimals: 6, listed: true },
  { address: token('b'), symbol: 'USDC', decimals: 18, listed: false },
  { address: token('c'), symbol: '=HYPERLINK("http://x","y")', decimals: 18, listed: true },
  { address: token('f'), symbol: SHARED, decimals: 18, listed: true },
  { address: token('d'), symbol: '-1+1\n,@;=2\t＝3', decimals: 0, listed: true },
] as const
const ETHER = 18
const DEBT = { address: token('e'), symbol: 'variableDebt', decimals: 18, listed: true }
const COIN = { address: NATIVE, symbol: 'ETH', decimals: ETHER, listed: true }
const KNOWN = new Map(
  [...TOKENS, DEBT, COIN].map((one) => [one.address, { ...one, chain: 'ethereum', name: one.symbol }]),
)
const START = 1_767_225_600
const TRANSACTIONS = 300
/** Per statement. */
const ROWS = 5_000
/** MiB between the first and the last quarter of a file. One line kept of each would exceed it. */
const KEPT_MIB = 50

const database = await suiteDatabase('exports')
const { db } = database
beforeAll(async () => {
  for (const wallet of [ONE, TWO]) {
    for (let block = 1; block <= TRANSACTIONS; block += 1) await play(wallet, block)
  }
})

const hashOf = (block: number) => `0x${block.toString(16).padStart(8, '0')}`.padEnd(66, '0')

/** One for one, several for one, alone, for a debt, or gas alone. */
async function play(wallet: Address, block: number): Promise<void> {
  const amount = () => random.amount(1n, 10n ** 30n)
  const [one, other] = [random.pick(TOKENS).address, random.pick(TOKENS).address]
  const given = [one, -amount()] as const
  const shapes: (readonly [treatment: string, type: string, ...moves: (readonly [Address, bigint])[]])[] = [
    ['swap', 'SWAP', given, [other, amount()]],
    ['move', 'ADDLIQUIDITY', given, [other, -amount()], [TOKENS[0].address, amount()]],
    ['acquire', 'TRANSFERIN', [NATIVE, amount()]],
    ['send', 'TRANSFEROUT', given],
    ['income', 'CLAIM', [other, amount()]],
    ['borrow', 'BORROW', [one, amount()], [DEBT.address, amount()]],
    ['send', 'APPROVAL'],
  ]
  const [treatment, type, ...moves] = random.pick(shapes)
  const fee = random.index(3) === 0 ? 0n : random.amount(1n, 10n ** 18n)
  // Some blocks have the same time, and movements of both wallets.
  const time = new Date((START + Math.floor(block / 3) * 60) * 1_000)
  await sql`
    insert into history_transaction (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, recipient, selector,
      succeeded, fee, type)
    values (${wallet}, 'ethereum', ${block}, 0, ${hashOf(block)}, '0xb', ${time}, ${wallet},
      ${token('9')}, '0x', true, ${fee.toString()}::numeric, ${type})`.execute(db)
  const all = [
    ...moves.map(([of, raw]) => [of, raw, treatment] as const),
    ...(fee > 0n ? [[NATIVE, -fee, 'fee'] as const] : []),
  ]
  for (const [place, [of, raw, how]] of all.entries()) {
    const price = random.index(4) === 0 ? null : formatDecimal(fromRaw(random.amount(1n, 10n ** 12n), 8))
    await sql`
      insert into history_movement (wallet, chain, block, tx_index, place, token, amount, counterparty, debt, leg, treatment,
        price, price_source, priced_at)
      values (${wallet}, 'ethereum', ${block}, 0, ${place}, ${of}, ${raw.toString()}::numeric, ${token('9')},
        ${of === DEBT.address}, ${how === 'fee' ? 9 : 0}, ${how}, ${price}::numeric, ${price && 'test'}, now())`.execute(
      db,
    )
  }
}

const ethereum = findChain('ethereum', chains)
if (!ethereum) throw new Error('the catalog has no chain ethereum')

const searched = (state: SyncProgress['state']): SyncProgress => ({
  ...{ state, reason: null, action: 'sync', advice: null, requestedAt: null, newTransactions: 0 },
  chains: [{ chain: 'ethereum', state, reason: null, searchedBlocks: '9', totalBlocks: '9' }],
})
const NEVER: SyncProgress = { ...searched('never'), chains: [] }
const DONE = searched('done')

function open(
  format: TransactionFormat,
  query: object = {},
  progressOf: (wallet: Address) => SyncProgress = () => DONE,
) {
  const context = {
    db,
    chains: [ethereum as NonNullable<typeof ethereum>],
    findTokens: async () => (address: Address) => KNOWN.get(address),
    isOneCoin: (symbol: string) => symbol.toUpperCase() !== SHARED,
    protocols: new Map(),
    functionName: () => null,
    selectorsNamed: () => [],
    findBasis: async () => () => undefined,
    findSyncs: async () => (wallet: Address) => ({ completedAt: null, progress: progressOf(wallet) }),
    noteUse: () => undefined,
    iconUrls: () => ({}) as never,
    clock: { now: () => Date.UTC(2030, 0, 1) },
  }
  return openTransactions(context, '1', queryOf(format, query))
}

const textOf = async (made: ReturnType<typeof open>) => (await collect((await made).parts)).join('')
const fileOf = (format: TransactionFormat, query: object = {}) => textOf(open(format, query))

const queryOf = (format: TransactionFormat, query: object = {}) =>
  ({ addresses: [ONE, TWO], hideSpam: false, hideDust: false, format, ...query }) as never

type Sums = Record<string, { in: string; out: string }>

/** Sums of the stored rows by asset, without debts. Gas counts as outgoing. */
async function ledger(nameOf: (address: Address) => string, debts: boolean): Promise<Sums> {
  const { rows } = await sql<{ token: Address; in: string; out: string }>`
    select token, coalesce(sum(amount) filter (where amount > 0), 0)::text as in,
      coalesce(-sum(amount) filter (where amount < 0), 0)::text as out
    from history_movement where debt = false or ${debts} group by token`.execute(db)
  const decimalsOf = (address: Address) => KNOWN.get(address)?.decimals ?? ETHER
  return Object.fromEntries(
    rows.map((row) => {
      const reported = (raw: string) => formatDecimal(fromRaw(BigInt(raw), decimalsOf(row.token)))
      return [nameOf(row.token), { in: reported(row.in), out: reported(row.out) }]
    }),
  )
}

/** Without the apostrophes that keep formulas from running. No symbol here has its own apostrophe. */
const plain = (name: string) => name.replaceAll("'", '')

function sumsOf(parts: readonly { asset: string; amount: string; side: 'in' | 'out' }[]): Sums {
  const sums = new Map<string, { in: Decimal; out: Decimal }>()
  for (const { asset, amount, side } of parts) {
    if (amount === '') continue
    const sum = sums.get(plain(asset)) ?? { in: ZERO, out: ZERO }
    sums.set(plain(asset), { ...sum, [side]: sum[side].plus(decimal(amount)) })
  }
  return Object.fromEntries(
    [...sums].map(([name, { in: into, out }]) => [name, { in: formatDecimal(into), out: formatDecimal(out) }]),
  )
}

/** Names that distinguish the listed USDC from the unlisted one. */
const importName = (address: Address) => {
  if (address === NATIVE) return 'ETH'
  const known = KNOWN.get(address)
  return `${known?.symbol.toUpperCase()}${known?.listed && known.symbol !== SHARED ? '' : `-${address}`}`
}

test('Coffer’s own columns add up to the stored rows to the last digit, in order, each with its block and hash', async () => {
  const lines = readCsv(await fileOf('COFFER'))
  const parts = lines.map((line) => ({
    asset: line['contract'] ?? '',
    amount: line['amount'] ?? '',
    side: line['direction'] === 'in' ? ('in' as const) : ('out' as const),
  }))
  expect(sumsOf(parts)).toEqual(await ledger((address) => address, true))
  const blocks = lines.map(({ block = '' }) => Number(block))
  expect(blocks).toEqual(blocks.toSorted((a, b) => a - b))
  expect(lines.every(({ hash, block }) => hash === hashOf(Number(block)))).toBe(true)
  const unpriced = lines.filter(({ price_usd: price, amount }) => price === 'N/A' && amount !== '')
  expect(unpriced.length).toBeGreaterThan(0)
  expect(unpriced.every(({ missing = '', value_usd: value }) => missing.includes('price') && value === 'N/A')).toBe(
    true,
  )
})

/** Positions of the columns of amounts and assets received, sent and paid as gas, by the templates. */
const SIDES: Readonly<Record<string, readonly number[]>> = {
  KOINLY: [3, 4, 1, 2, 5, 6],
  COINTRACKING: [1, 2, 3, 4, 5, 6],
  COINTRACKER: [1, 2, 3, 4, 5, 6],
  COINLEDGER: [5, 4, 3, 2, 7, 6],
  ZENLEDGER: [2, 3, 4, 5, 6, 7],
  TOKENTAX: [1, 2, 3, 4, 5, 6],
  TAXBIT: [5, 6, 2, 3, 8, 9],
  CRYPTIO: [4, 3, 8, 7, 12, 11],
  BLOCKPIT: [6, 5, 4, 3, 8, 7],
}

/** First lines of the templates. docs/exports.md has their sources. */
const HEADERS: Readonly<Record<string, string>> = {
  KOINLY:
    'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash',
  COINTRACKING:
    'Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date,Tx-ID',
  COINTRACKER: 'Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag',
  COINLEDGER:
    'Date (UTC),Platform (Optional),Asset Sent,Amount Sent,Asset Received,Amount Received,Fee Currency (Optional),Fee Amount (Optional),Type,Description (Optional),TxHash (Optional)',
  ZENLEDGER:
    'Timestamp,Type,IN Amount,IN Currency,Out Amount,Out Currency,Fee Amount,Fee Currency,Exchange(optional),US Based',
  TOKENTAX: 'Type,BuyAmount,BuyCurrency,SellAmount,SellCurrency,FeeAmount,FeeCurrency,Exchange,Group,Comment,Date',
  SUMM: 'Timestamp (UTC),Type,Base Currency,Base Amount,Quote Currency (Optional),Quote Amount (Optional),Fee Currency (Optional),Fee Amount (Optional),From (Optional),To (Optional),Blockchain (Optional),ID (Optional),Description (Optional),Reference Price Per Unit (Optional),Reference Price Currency (Optional)',
  TAXBIT:
    'Date and Time,Transaction Type,Sent Quantity,Sent Currency,Sending Source,Received Quantity,Received Currency,Receiving Destination,Fee,Fee Currency,Exchange Transaction ID,Blockchain Transaction Hash',
  CRYPTIO:
    'transactionDate,orderType,txhash,incomingAsset,incomingVolume,incomingUnitRate,incomingTransactionValue,outgoingAsset,outgoingVolume,outgoingUnitRate,outgoingTransactionValue,feeAsset,feeVolume,feeUnitRate,feeTransactionValue,otherParties,note',
  BLOCKPIT:
    'Date (UTC),Integration Name,Label,Outgoing Asset,Outgoing Amount,Incoming Asset,Incoming Amount,Fee Asset (optional),Fee Amount (optional),Comment (optional),Trx. ID (optional)',
  BITWAVE:
    'id,remoteContactId,amount,amountTicker,cost,costTicker,fee,feeTicker,time,blockchainId,memo,transactionType,accountId,contactId,categoryId,taxExempt,tradeId,description,fromAddress,toAddress,groupId',
  QUICKBOOKS: 'Journal No.,Journal Date,Account Name,Debits,Credits,Description',
}

test.each(Object.entries(HEADERS))('%s has the columns of its template', async (format, header) => {
  expect((await fileOf(format as TransactionFormat)).split('\r\n', 1)).toEqual([header])
})

test.each(Object.entries(SIDES))(
  '%s adds up to the stored rows to the last digit, debts apart',
  async (format, sides) => {
    const columns = HEADERS[format]?.split(',') ?? []
    const parts = readCsv(await fileOf(format as TransactionFormat)).flatMap((line) => {
      const [received, inAsset, sent, outAsset, fee, feeAsset] = sides.map((at) => line[columns[at] ?? ''] ?? '')
      return [
        { amount: received ?? '', asset: inAsset ?? '', side: 'in' as const },
        { amount: sent ?? '', asset: outAsset ?? '', side: 'out' as const },
        { amount: fee ?? '', asset: feeAsset ?? '', side: 'out' as const },
      ]
    })
    expect(sumsOf(parts)).toEqual(await ledger(importName, false))
  },
)

test('SUMM and BITWAVE, which have a side by the type of the line, add up as well', async () => {
  const summ = readCsv(await fileOf('SUMM')).flatMap((line) => {
    const isIn = ['receive', 'income', 'airdrop'].includes(line['Type'] ?? '')
    return [
      { asset: line['Base Currency'], amount: line['Base Amount'], side: isIn ? 'in' : 'out' },
      { asset: line['Quote Currency (Optional)'], amount: line['Quote Amount (Optional)'], side: 'in' },
      { asset: line['Fee Currency (Optional)'], amount: line['Fee Amount (Optional)'], side: 'out' },
    ]
  })
  const bitwave = readCsv(await fileOf('BITWAVE')).map((line) => {
    const isIn = ['deposit', 'tradeAcquire'].includes(line['transactionType'] ?? '')
    return { asset: line['amountTicker'], amount: line['amount'], side: isIn ? 'in' : 'out' }
  })
  for (const parts of [summ, bitwave]) expect(sumsOf(parts as never)).toEqual(await ledger(importName, false))
})

test('a journal balances in every number', async () => {
  const lines = readCsv(await fileOf('QUICKBOOKS'))
  const byNumber = Map.groupBy(lines, (line) => line['Journal No.'])
  expect(byNumber.size).toBeGreaterThan(TRANSACTIONS / 2)
  for (const [number, entry] of byNumber) {
    const total = (column: string) =>
      formatDecimal(entry.reduce((sum, line) => sum.plus(decimal(line[column] || '0')), ZERO))
    expect(total('Debits'), number).toBe(total('Credits'))
    expect(String(number).length).toBeLessThanOrEqual(21)
  }
})

test('a journal has an account for each coin, also where coins have the same symbol', async () => {
  const lines = readCsv(await fileOf('QUICKBOOKS'))
  const accounts = [...new Set(lines.map((line) => line['Account Name'] ?? ''))].sort()
  expect(accounts.filter((name) => /:(ONE|USDC)/.test(name))).toEqual([
    ...[`Crypto assets:ONE-${token('f')}`, 'Crypto assets:USDC', `Crypto assets:USDC-${token('b')}`],
  ])
})

test('no cell begins a formula but figures, which are figures', async () => {
  for (const format of ['COFFER', ...Object.keys(HEADERS)]) {
    const file = await fileOf(format as TransactionFormat)
    const fields = recordsOf(file).flat()
    // LibreOffice and a German Excel split the same file differently.
    const cells = file.split(/[;\t\r\n]/).map((cell) => cell.replace(/^["\s]+/, ''))
    const risky = [...fields, ...cells].filter((field) => /^[=+\-@＝＋－＠\t\r\n]/.test(field))
    const formulas = risky.filter((field) => !/^-?\d+(\.\d+)?$/.test(field))
    const isEscaped = format === 'QUICKBOOKS' || fields.some((field) => field.startsWith("'="))
    expect([format, formulas, isEscaped]).toEqual([format, [], true])
  }
})

test('JSON Lines end with a line that says that the file is whole', async () => {
  const lines = (await fileOf('JSONL'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const last = lines.pop()
  expect(lines).toHaveLength(2 * TRANSACTIONS)
  expect(last).toMatchObject({ complete: true, rows: 2 * TRANSACTIONS, changed: false, coverage: [] })
  expect(last.syncs.map(({ address, state }: { address: string; state: string }) => [address, state])).toEqual([
    [ONE, 'done'],
    [TWO, 'done'],
  ])
})

test('a file is narrowed by the filters of the list', async () => {
  const asked = { addresses: [ONE], txTypes: ['SWAP'], endDate: (START + 3_600) * 1_000 }
  const lines = readCsv(await fileOf('COFFER', asked))
  expect(lines.length).toBeGreaterThan(0)
  for (const { wallet, type, time = '' } of lines) {
    expect([wallet, type, time <= '2026-01-01T01:00:00.000Z']).toEqual([ONE, 'SWAP', true])
  }
})

test('a long history is walked in bounded memory, each transaction once', async () => {
  const many = sized({ small: 6_000, deep: 1_000_000 })
  const LONG: Address = '0x3333333333333333333333333333333333333333'
  const inParts = async (insert: (from: number, to: number) => Promise<unknown>) => {
    for (let from = 1; from <= many; from += ROWS) await insert(from, Math.min(from + ROWS - 1, many))
    await sql`analyze history_transaction, history_movement`.execute(db)
  }
  await inParts((from, to) =>
    sql`
      insert into history_transaction (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, recipient, selector,
        succeeded, fee, type)
      select ${LONG}, 'ethereum', n / 3, n % 3, '0x' || n, '0xb', to_timestamp(${START}::bigint + n / 7), ${LONG}, null, '0x',
        true, 0, 'TRANSFERIN'
      from generate_series(${from}::bigint, ${to}::bigint) as n`.execute(db),
  )
  await inParts((from, to) =>
    sql`
      insert into history_movement (wallet, chain, block, tx_index, place, token, amount, debt, leg, treatment)
      select ${LONG}, 'ethereum', n / 3, n % 3, 0, ${TOKENS[0].address}, n, false, 0, 'acquire'
      from generate_series(${from}::bigint, ${to}::bigint) as n`.execute(db),
  )
  let [lines, sum, longest] = [0, 0n, 0]
  /** In MiB, for each quarter of the file: maximum of the process, and minimum of live memory without garbage. */
  const quarters = Array.from({ length: 4 }, () => ({ rss: 0, heap: Number.POSITIVE_INFINITY }))
  const [startedAt, before] = [performance.now(), mib(process.memoryUsage().rss)]
  for await (const part of (await open('COFFER', { addresses: [LONG] })).parts) {
    longest = Math.max(longest, part.length)
    for (const line of part.split('\r\n')) {
      const amount = line.split(',')[13]
      if (amount === undefined || amount === 'amount') continue
      lines += 1
      sum += BigInt(amount.replace('.', '').padEnd(1, '0')) * 10n ** BigInt(6 - (amount.split('.')[1]?.length ?? 0))
    }
    const { rss, heapUsed } = process.memoryUsage()
    const quarter = quarters[Math.min(3, Math.floor((4 * lines) / many))]
    if (quarter)
      Object.assign(quarter, { rss: Math.max(quarter.rss, mib(rss)), heap: Math.min(quarter.heap, mib(heapUsed)) })
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  console.log(JSON.stringify({ file: { lines, seconds, rssBefore: before, quarters } }))
  expect([lines, sum]).toEqual([many, (BigInt(many) * BigInt(many + 1)) / 2n])
  expect(longest).toBeLessThan(500 * 1_000)
  // A short file ends before a garbage collection, so its memory would look kept.
  if (sized({ small: false, deep: true })) expect(growthOf(quarters)).toBeLessThan(KEPT_MIB)
})

const growthOf = (quarters: readonly { heap: number }[]) => (quarters.at(-1)?.heap ?? 0) - (quarters[0]?.heap ?? 0)

const mib = (bytes: number) => Math.round(bytes / 2 ** 20)

test('a file says which wallets and chains are not searched to the end', async () => {
  const progressOf = (wallet: Address) => (wallet === ONE ? NEVER : searched('done-with-gaps'))
  const made = open('COFFER', {}, progressOf)
  const [first, second] = readCsv(await textOf(made)).map((line) => Object.values(line).filter((value) => value !== ''))
  expect([(await made).isComplete, first, second]).toEqual([
    ...[false, [ONE, 'never'], [TWO, 'ethereum', 'done-with-gaps']],
  ])
  for (const format of [...Object.keys(HEADERS), 'JSONL'] as TransactionFormat[])
    expect((await open(format, {}, progressOf)).isComplete, format).toBe(false)
  expect((await open('KOINLY')).isComplete).toBe(true)
})
