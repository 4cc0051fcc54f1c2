import { dayQuery } from '@coffer/contract'
import { COST_METHODS } from '@coffer/contract/portal'
import { z } from 'zod'
import type { Address } from '../domain/address.ts'
import { startOfDay } from '../domain/day.ts'
import { openBooks } from '../features/history/module.ts'
import { findScopes, lotsOf, type PnlPart, sumsBetween } from '../features/history/pnl/pnl.ts'
import { presentSoldLot, presentSums } from '../features/history/pnl/present-lots.ts'
import { type AdminContext, type Command, defineCommand } from './admin-command.ts'
import { address, id, Refusal } from './command-input.ts'
import { openParts } from './parts.ts'

const span = { account: id, address, from: dayQuery, to: dayQuery }

export const pnlCommands: Readonly<Record<string, Command>> = {
  'pnl sums': defineCommand({
    about: 'List what a wallet realised, earned and paid from a day until before another one, by every method.',
    example: '--account 2 --address 0x… --from 2026-01-01 --to 2027-01-01',
    flags: span,
    async run(context, asked) {
      const { books, found, from, to } = await open(context, asked)
      const byMethod = []
      for (const method of COST_METHODS) {
        for (const each of await sumsBetween(books, found, method, [from, to]))
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
      const { books, found, from, to } = await open(context, asked)
      return { print: soldLots(lotsOf(books, found, method, { from, to })) }
    },
  }),
}

async function* soldLots(parts: AsyncIterable<PnlPart>) {
  for await (const { sold } of parts) for (const lot of sold) yield presentSoldLot(lot)
}

async function open(
  { db, config }: AdminContext,
  { account, address, from, to }: { account: string; address: Address; from: string; to: string },
) {
  if (from >= to) throw new Refusal('--to is not after --from.')
  const books = openBooks(openParts(config(), db))
  const found = await findScopes(books, account, [address])
  if (found.withoutHistory.length > 0 || found.leftOut.length > 0) {
    throw new Refusal('The transactions of --address are not all searched and priced: coffer-admin sync status.')
  }
  return { books, found, from: startOfDay(from), to: startOfDay(to) }
}
