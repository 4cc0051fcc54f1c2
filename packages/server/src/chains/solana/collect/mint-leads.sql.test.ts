import {
  derived,
  jupiterLend,
  jupiterLendFigures,
  kaminoVault,
  kaminoVaultFigures,
  lpFigures,
  mintAccount,
  raydiumPools,
} from '@coffer/solana-fixtures'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../../test/database.ts'
import { newFinds } from '../../../../test/solana/accounts-reader.ts'
import { CLOCK, positionsOf, WALLET } from '../../../../test/solana/protocol-bench.ts'
import { createProtocolContractStore } from '../../../catalog/protocol-contract-store.ts'
import type { Clock } from '../../../lib/clock.ts'
import { solanaAdapters } from '../protocols/protocols.ts'
import { createStoredLeads } from './mint-leads.ts'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const DAY_MS = 24 * 60 * 60 * 1_000

const database = await suiteDatabase('mint-leads')

/** One process's leads for a chain, and a protocol adapter that finds and uses them. */
function openProcess(name: string, { chain = 'solana', clock = { now: () => 0 } as Clock } = {}) {
  const leads = createStoredLeads(createProtocolContractStore(database.db), clock)
  const adapter = solanaAdapters.find((each) => each.key === name)
  if (!adapter) throw new Error(`no protocol ${name}`)
  const found = { ...newFinds(), leads: (family: string) => leads.of(chain, family) }
  return { leads, adapter, found }
}

const figures = kaminoVaultFigures(CLOCK.slot)
const wallets = [
  // Round trips of the first process, which searches, and of the next one, which knows the heads of vaults, or mints
  // and pools.
  { name: 'kamino_vaults', fixture: () => kaminoVault(WALLET, figures), searches: 1, trips: [4, 2] },
  // A token and an NFT, searched at the same time.
  { name: 'jupiter_lend', fixture: () => jupiterLend(WALLET, jupiterLendFigures(CLOCK)), searches: 2, trips: [6, 2] },
  { name: 'raydium_pools', fixture: () => raydiumPools(WALLET, lpFigures), searches: 2, trips: [3, 1] },
] as const

test.each(wallets)('what one process found of the mints of $name, another one reads without a search', async (row) => {
  const { accounts, held, expected } = await row.fixture()
  const [first, second] = [openProcess(row.name), openProcess(row.name)]
  const mints = held.map(({ mint }) => mint)
  for (const [i, { adapter, leads, found }] of [first, second].entries()) {
    await leads.load('solana', mints)
    const { figures: read, trips, searched } = await positionsOf(adapter, { accounts, held, found })
    expect(read).toEqual(expected)
    expect([trips, searched.length]).toEqual([row.trips[i], i === 0 ? row.searches : 0])
    await leads.save()
  }
  const elsewhere = openProcess(row.name, { chain: 'another' })
  await elsewhere.leads.load('another', mints)
  const again = await positionsOf(elsewhere.adapter, { accounts, held, found: elsewhere.found })
  expect(again.searched).toHaveLength(row.searches)
})

test('that a mint is none of a protocol is believed for a day, and by the process that looked alone', async () => {
  const clock = { time: 0, now: () => clock.time }
  const authority = await derived(USDC, ['authority of a program'])
  const { accounts: placed } = await kaminoVault(WALLET, figures)
  const accounts = [...placed, mintAccount(USDC, 6, 5n, authority)]
  const read = async ({ adapter, leads, found }: ReturnType<typeof openProcess>) => {
    await leads.load('solana', [USDC])
    const held = [{ mint: USDC, amountRaw: 5n, decimals: 6 }]
    const { positions, searched } = await positionsOf(adapter, { accounts, held, found })
    await leads.save()
    return [positions.length, searched.length]
  }
  const first = openProcess('kamino_vaults', { clock })
  expect([await read(first), await read(first)]).toEqual([
    [0, 1],
    [0, 0],
  ])
  clock.time = DAY_MS - 1
  expect(await read(first)).toEqual([0, 0])
  clock.time = DAY_MS
  expect(await read(first)).toEqual([0, 1])
  expect(await read(openProcess('kamino_vaults', { clock }))).toEqual([0, 1])
})
