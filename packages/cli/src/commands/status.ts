import { endpoints, type SyncProgress } from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { percentOf } from '../output/figures.ts'
import { priceOf } from '../price.ts'
import { walletsOf } from '../wallets.ts'

type ChainProgress = SyncProgress['chains'][number]
type Row = {
  address: string
  chain: string
  state: string
  searched: string
  reason: string
  read: string
  synced: string
}

/** Percent of the chain's blocks; `?` until their number is known. */
export const searchedOf = ({ searchedBlocks, totalBlocks }: ChainProgress) =>
  totalBlocks === null ? '?' : `${percentOf(BigInt(searchedBlocks), BigInt(totalBlocks))}`

const columns: readonly Column<Row>[] = [
  textColumn('wallet', ({ address }) => address, { isWhole: true }),
  textColumn('chain', ({ chain }) => chain),
  textColumn('search', ({ state }) => state),
  figureColumn('searched %', ({ searched }) => searched),
  textColumn('holdings read', ({ read }) => read, { isWhole: true, spare: 1 }),
  textColumn('transactions searched', ({ synced }) => synced, { isWhole: true, spare: 2 }),
  textColumn('reason', ({ reason }) => reason),
]

export const statusCommand = defineCommand({
  name: 'status',
  about: `Shows when wallets were last read, and the state of their transaction syncs. ${priceOf(endpoints.getStatus)}.`,
  operands: 'ADDRESS…',
  printsRows: true,
  options: {},
  examples: ['0x…', '@savings --json'],
  async run(call) {
    await showStatus(call, await walletsOf(call))
  },
})

export async function showStatus({ output, service, host }: Call, addresses: readonly string[]) {
  const { client, lastJson } = service()
  const wallets = await client.getStatus({ query: { addresses: [...addresses] } }, { signal: host.signal })
  const rows = wallets.flatMap(({ address, sync, portfolioLastSync, transactionsLastSync }): Row[] => [
    {
      address,
      chain: 'all',
      state: sync.state,
      searched: '',
      reason: sync.reason ?? '',
      read: portfolioLastSync ?? 'never',
      synced: transactionsLastSync ?? 'never',
    },
    ...sync.chains.map((chain) => ({
      address,
      chain: chain.chain,
      state: chain.state,
      searched: searchedOf(chain),
      reason: chain.reason ?? '',
      read: '',
      synced: '',
    })),
  ])
  await output.print({ json: lastJson(), columns, rows })
  for (const { address, sync } of wallets) if (sync.advice !== null) await output.note(`${address}: ${sync.advice}`)
  return wallets
}
