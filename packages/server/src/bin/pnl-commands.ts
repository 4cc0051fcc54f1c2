import { isDay } from '@coffer/contract'
import { z } from 'zod'
import type { Address } from '../domain/address.ts'
import { startOfDay } from '../domain/day.ts'
import { costMethods } from '../features/accounts/accounts.ts'
import type { Pnl, PnlScopes } from '../features/history/pnl/pnl.ts'
import { presentSoldLot, presentSums } from '../features/history/pnl/present-lots.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { address, getAccount } from './command-input.ts'

const day = z.string().refine(isDay, 'is not a day as YYYY-MM-DD')
const span = { account: id, address, from: day, to: day }

const sums = defineCommand({
  records: null,
  about: 'Tells what a wallet realised, earned and paid from a day on until before another one, by every method.',
  example: '--account 2 --address 0x… --from 2026-01-01 --to 2027-01-01',
  usage: '--account ID --address A --from DATE --to DATE',
  flags: span,
  async run(context, asked) {
    const { pnl, found, from, to } = await open(context, asked)
    const byMethod = []
    for (const method of costMethods) {
      for (const each of await pnl.sums(found, method, [from, to])) byMethod.push({ method, ...presentSums(each) })
    }
    return { print: byMethod }
  },
})

const lots = defineCommand({
  records: null,
  about: 'Lists what a wallet sold from a day on until before another one, lot by lot.',
  example: '--account 2 --address 0x… --method FIFO --from 2026-01-01 --to 2027-01-01',
  usage: '--account ID --address A --method AVG|FIFO|LIFO|HIFO --from DATE --to DATE',
  flags: { ...span, method: z.enum(costMethods, `must be one of ${costMethods.join(', ')}`) },
  async run(context, { method, ...asked }) {
    const { pnl, found, from, to } = await open(context, asked)
    return { print: soldLots(pnl.lots(found, method, { from, to })) }
  },
})

export const pnlCommands: Readonly<Record<string, Command>> = { 'pnl sums': sums, 'pnl lots': lots }

async function* soldLots(parts: ReturnType<Pnl['lots']>) {
  for await (const { sold } of parts) for (const lot of sold) yield presentSoldLot(lot)
}

type Asked = { account: string; address: Address; from: string; to: string }
type Opened = { pnl: Pnl; found: PnlScopes; from: number; to: number }

async function open({ db, config }: AdminContext, { account, address, from, to }: Asked): Promise<Opened> {
  if (from >= to) throw new Refusal('--to is not after --from.')
  await getAccount({ db }, account)
  const [{ openParts }, { openBooks }, { createPnl }] = await Promise.all([
    import('./parts.ts'),
    import('../features/history/module.ts'),
    import('../features/history/pnl/pnl.ts'),
  ])
  const pnl = createPnl(openBooks(openParts(config(), { db })))
  const found = await pnl.findScopes(account, [address])
  if (found.withoutHistory.length > 0 || found.leftOut.length > 0) {
    throw new Refusal('The transactions of --address are not all searched and priced: coffer-admin sync status.')
  }
  return { pnl, found, from: startOfDay(from), to: startOfDay(to) }
}
