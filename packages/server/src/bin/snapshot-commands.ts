import { dayQuery } from '@coffer/contract'
import type { Address } from '../domain/address.ts'
import { daysBetween } from '../domain/day.ts'
import { openBackfill } from '../features/snapshots/module.ts'
import { type AdminContext, type Command, defineCommand } from './admin-command.ts'
import { address, id, Refusal } from './command-input.ts'
import { openParts } from './parts.ts'

export const snapshotCommands: Readonly<Record<string, Command>> = {
  'snapshot list': defineCommand({
    about: 'List the days of an address that have a snapshot, and why others have none.',
    example: '--address 0x…',
    flags: { address, account: id.optional() },
    async run(context, { address, account }) {
      const tools = openTools(context)
      const accounts = await accountsOf(tools, { address, account })
      const daysOf = async (id: bigint) =>
        (await tools.listDays(id, address)).map(({ date, state, chain, reason }) => {
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
    async run(context, { address, from, to, account }) {
      if (from > to) throw new Refusal('--from is after --to.')
      const tools = openTools(context)
      if (!tools.hasPastStates(address)) throw new Refusal(NO_PAST_STATES)
      if (to > (await tools.findToday())) throw new Refusal('--to lies in the future.')
      const accounts = await accountsOf(tools, { address, account })
      return { print: fill(tools, { address, from, to, accounts }) }
    },
  }),
}

const NO_PAST_STATES =
  '--address is on a chain whose nodes keep no past states: a day that was missed stays without a snapshot.'

/** A failed day does not stop the next. */
async function* fill(
  { backfill }: SnapshotTools,
  { address, from, to, accounts }: { address: Address; from: string; to: string; accounts: readonly bigint[] },
) {
  for (const date of daysBetween(from, to)) {
    const done = await backfill({ address, date }, accounts)
    if ('outcome' in done) yield { date, outcome: done.outcome }
    else yield { date, outcome: 'not taken', chain: done.problem.chain, reason: done.problem.reason }
  }
}

type SnapshotTools = ReturnType<typeof openBackfill>

const openTools = ({ db, config }: AdminContext): SnapshotTools => openBackfill(openParts(config(), db))

async function accountsOf(
  { findSubscribers }: SnapshotTools,
  { address, account }: { address: Address; account: string | undefined },
): Promise<readonly bigint[]> {
  if (account !== undefined) return [BigInt(account)]
  const accounts = await findSubscribers(address)
  if (accounts.length === 0) throw new Refusal(`No account has subscribed ${address}: name one with --account.`)
  return accounts
}
