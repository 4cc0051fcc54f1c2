import { dayQuery } from '@coffer/contract'
import type { Db } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'
import { daysBetween } from '../domain/day.ts'
import type { SnapshotsContext } from '../features/snapshots/day-states.ts'
import { findSubscribers, findToday, listDays } from '../features/snapshots/due-snapshots-store.ts'
import { backfill, openSnapshots } from '../features/snapshots/module.ts'
import { type Command, defineCommand } from './admin-command.ts'
import { address, id, Refusal } from './command-input.ts'
import { openParts } from './parts.ts'

export const snapshotCommands: Readonly<Record<string, Command>> = {
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
