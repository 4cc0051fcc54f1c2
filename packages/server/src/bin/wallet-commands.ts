import { dayQuery } from '@coffer/contract'
import { COST_METHODS, type CostMethod } from '@coffer/contract/portal'
import { z } from 'zod'
import { createGenesisStore } from '../catalog/genesis-store.ts'
import { findChain } from '../chains/chain-catalog.ts'
import type { Db } from '../db/tables.ts'
import { type SoldLot, soldLots } from '../domain/accounting/lot-lines.ts'
import type { Address } from '../domain/address.ts'
import { daysBetween, startOfDay } from '../domain/day.ts'
import { computeCosts } from '../features/history/cost/cost-accounts.ts'
import { createCostContext } from '../features/history/module.ts'
import { findScopes, linesBetween } from '../features/history/pnl/pnl.ts'
import { sumsBetween } from '../features/history/pnl/pnl-sums.ts'
import { presentSoldLot, presentSums } from '../features/history/pnl/present-lots.ts'
import { unfollow } from '../features/history/store/followed-wallets.ts'
import { createHistoryStore } from '../features/history/store/history-store.ts'
import type { SnapshotsContext } from '../features/snapshots/day-states.ts'
import { findSubscribers, findToday, listDays } from '../features/snapshots/due-snapshots-store.ts'
import { backfill, openSnapshots } from '../features/snapshots/module.ts'
import { forgetWallet } from '../wallets/forget.ts'
import { type AdminContext, type Command, defineCommand } from './command.ts'
import { address, id, Refusal } from './command-input.ts'
import { openParts } from './parts.ts'

const block = z
  .string()
  .regex(/^(0|[1-9]\d{0,17})$/, 'is not the number of a block')
  .meta({ form: 'BLOCK' })

const span = { account: id, address, from: dayQuery, to: dayQuery }

export const walletCommands: Readonly<Record<string, Command>> = {
  'wallet forget': defineCommand({
    records: 'forgot the stored reads of a wallet',
    about:
      'Forget the stored reads of a wallet, so that the service reads it again; with --histories true its transactions too.',
    example: '0x… --chain ethereum --after 23000000',
    takesId: address.meta({ form: 'ADDRESS' }),
    flags: { chain: z.string().optional(), after: block.optional(), histories: z.enum(['true', 'false']).optional() },
    async run(context, { id: wallet, chain, after, histories }) {
      const last = after === undefined ? -1n : BigInt(after)
      const chains = await forgetWallet(context.db, {
        wallet,
        chain: chain === undefined ? null : keyOf(context, chain),
        after: last,
      })
      const history = createHistoryStore(context.db)
      for (const key of histories === 'true' ? chains : []) {
        // The follower's searches are free: the next sync pays for the history.
        await unfollow(context.db, key, wallet)
        await history.rewind({ wallet, chain: key }, last + 1n)
      }
      return { print: { address: wallet, chains, after: after ?? null, histories: histories === 'true' } }
    },
  }),
  'chain forget': defineCommand({
    records: 'forgot the stored reads of a chain',
    about: 'Forget all stored reads of a chain that was restarted with another first block.',
    example: 'my_chain',
    takesId: z.string().meta({ form: 'CHAIN' }),
    async run(context, { id }) {
      const chain = keyOf(context, id)
      await createGenesisStore(context.db).forget(chain)
      return { print: { chain } }
    },
  }),
  'snapshot list': defineCommand({
    about: 'List the days of an address that have a snapshot, and why others have none.',
    example: '--address 0x…',
    flags: { address, account: id.optional() },
    async run({ db }, { address, account }) {
      const accounts = await accountsOf(db, address, account)
      const daysOf = async (id: bigint) =>
        (await listDays(db, id, address)).map(({ date, state, chain, reason }) => {
          const day = { account: String(id), date, state }
          return state === 'gap' ? { ...day, chain, reason } : day
        })
      return { print: (await Promise.all(accounts.map(daysOf))).flat() }
    },
  }),
  'snapshot backfill': defineCommand({
    records: 'took snapshots of past days',
    about: 'Take snapshots of past days from nodes that keep past states.',
    example: '--address 0x… --from 2026-01-01 --to 2026-01-31',
    flags: { address, from: dayQuery, to: dayQuery, account: id.optional() },
    async run({ db, config }, { address, from, to, account }) {
      if (from > to) throw new Refusal('--from is after --to.')
      const context = openSnapshots(openParts(config(), db))
      if (!context.daysOf(address)?.kept) throw new Refusal(NO_PAST_STATES)
      if (to > (await findToday(db))) throw new Refusal('--to lies in the future.')
      const accounts = await accountsOf(db, address, account)
      return { print: fill(context, { address, from, to, accounts }) }
    },
  }),
  'pnl sums': defineCommand({
    about: 'List what a wallet realised, earned and paid from a day until before another one, by every method.',
    example: '--account 2 --address 0x… --from 2026-01-01 --to 2027-01-01',
    flags: span,
    async run(context, asked) {
      const { costContext, found } = await openPnl(context, asked, COST_METHODS)
      const byMethod = []
      for (const method of COST_METHODS) {
        for (const each of await sumsBetween(costContext, asked.account, found, method, [asked.from, asked.to]))
          byMethod.push({ method, ...presentSums(each) })
      }
      return { print: byMethod }
    },
  }),
  'pnl lots': defineCommand({
    about: 'List what a wallet sold from a day until before another one, lot by lot.',
    example: '--account 2 --address 0x… --method FIFO --from 2026-01-01 --to 2027-01-01',
    flags: { ...span, method: z.enum(COST_METHODS) },
    async run(context, { method, ...asked }) {
      const { costContext, found } = await openPnl(context, asked, [method])
      const between = { from: startOfDay(asked.from), to: startOfDay(asked.to) }
      return { print: eachLot(linesBetween(costContext, { accountId: asked.account }, found, between, soldLots)) }
    },
  }),
}

function keyOf({ config }: AdminContext, name: string): string {
  const chain = findChain(name, config().chains)
  if (!chain) throw new Refusal(`There is no chain ${name}.`)
  return chain.key
}

const NO_PAST_STATES =
  '--address is on a chain whose nodes keep no past states: a day that was missed stays without a snapshot.'

/** A failed day does not stop the next. */
async function* fill(
  context: SnapshotsContext,
  { address, from, to, accounts }: { address: Address; from: string; to: string; accounts: readonly bigint[] },
) {
  for (const date of daysBetween(from, to)) {
    const done = await backfill(context, { address, date }, accounts)
    if ('outcome' in done) yield { date, outcome: done.outcome }
    else yield { date, outcome: 'not taken', chain: done.problem.chain, reason: done.problem.reason }
  }
}

/** Returns the named account, or all that ever subscribed the address. */
async function accountsOf(db: Db, address: Address, account: string | undefined): Promise<readonly bigint[]> {
  if (account !== undefined) return [BigInt(account)]
  const accounts = await findSubscribers(db, address)
  if (accounts.length === 0) throw new Refusal(`No account has subscribed ${address}: name one with --account.`)
  return accounts
}

async function* eachLot(pages: AsyncIterable<readonly SoldLot[]>) {
  for await (const lots of pages) for (const lot of lots) yield presentSoldLot(lot)
}

/** Computes what is missing. */
async function openPnl(
  { db, config }: AdminContext,
  { account, address, from, to }: { account: string; address: Address; from: string; to: string },
  methods: readonly CostMethod[],
) {
  if (from >= to) throw new Refusal('--to is not after --from.')
  const costContext = createCostContext(openParts(config(), db), async () => undefined)
  const found = await findScopes(costContext, account, [address], methods[0])
  if (found.withoutHistory.length > 0 || found.leftOut.length > 0) {
    throw new Refusal('The transactions of --address are not all searched and priced: coffer-admin sync status.')
  }
  for (const method of methods) {
    await computeCosts(costContext, new AbortController().signal, { accountId: account, wallet: address, method })
  }
  return { costContext, found }
}
