import { isDay } from '@coffer/contract'
import { z } from 'zod'
import type { Address } from '../domain/address.ts'
import { nextDay } from '../domain/day.ts'
import type { openBackfill } from '../features/snapshots/module.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { address, getAccount } from './command-input.ts'

const day = z.string().refine(isDay, 'is not a day as YYYY-MM-DD')

const list = defineCommand({
  records: null,
  about: 'Lists the days of an address that have a snapshot, and why others have none.',
  example: '--address 0x…',
  usage: '--address A [--account ID]',
  flags: { address, account: id.optional() },
  async run(context, { address, account }) {
    const tools = await openTools(context)
    const accounts = await accountsOf(context, tools, { address, account })
    const days = await Promise.all(
      accounts.map(async (id) =>
        (await tools.listDays(id, address)).map(({ date, state, chain, reason }) => ({
          account: String(id),
          date,
          state,
          ...(state === 'gap' && { chain, reason }),
        })),
      ),
    )
    return { print: days.flat() }
  },
})

const backfill = defineCommand({
  records: 'took snapshots of past days',
  about: 'Takes snapshots of past days from nodes that keep past states.',
  example: '--address 0x… --from 2026-01-01 --to 2026-01-31',
  usage: '--address A --from DATE --to DATE [--account ID]',
  flags: { address, from: day, to: day, account: id.optional() },
  async run(context, { address, from, to, account }) {
    if (from > to) throw new Refusal('--from is after --to.')
    const tools = await openTools(context)
    if (!tools.hasPastStates(address)) {
      throw new Refusal(
        '--address is on a chain whose nodes keep no past states: a day that was missed stays without a snapshot.',
      )
    }
    if (to > (await tools.findToday())) throw new Refusal('--to lies in the future.')
    const accounts = await accountsOf(context, tools, { address, account })
    const recorded = account === undefined ? {} : { accountId: account }
    return { print: fill(tools, { address, from, to, accounts }), recorded }
  },
})

/** Yields each day's outcome in order; a failed day does not stop the next. */
async function* fill(
  { backfill }: SnapshotTools,
  { address, from, to, accounts }: { address: Address; from: string; to: string; accounts: readonly bigint[] },
) {
  for (let date = from; date <= to; date = nextDay(date)) {
    const done = await backfill({ address, date }, accounts)
    if ('outcome' in done) yield { date, outcome: done.outcome }
    else yield { date, outcome: 'not taken', chain: done.problem.chain, reason: done.problem.reason }
  }
}

export const snapshotCommands: Readonly<Record<string, Command>> = {
  'snapshot list': list,
  'snapshot backfill': backfill,
}

type SnapshotTools = ReturnType<typeof openBackfill>

/** Loads the service on demand: most commands do not need it. */
async function openTools({ db, config }: AdminContext): Promise<SnapshotTools> {
  const [{ openParts }, { openBackfill }] = await Promise.all([
    import('./parts.ts'),
    import('../features/snapshots/module.ts'),
  ])
  return openBackfill(openParts(config(), { db }))
}

/** Returns the named account, or all that ever subscribed the address. */
async function accountsOf(
  { db }: AdminContext,
  { findSubscribers }: SnapshotTools,
  { address, account }: { address: Address; account: string | undefined },
): Promise<readonly bigint[]> {
  if (account !== undefined) return [BigInt((await getAccount({ db }, account)).id)]
  const accounts = await findSubscribers(address)
  if (accounts.length === 0) throw new Refusal(`No account has subscribed ${address}: name one with --account.`)
  return accounts
}
