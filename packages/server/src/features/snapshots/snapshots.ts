import { Failure } from '@coffer/contract'
import type { Db } from '../../db/tables.ts'
import { valueRead } from '../../domain/valuation.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'
import { findReads, type WalletDate } from './snapshot-store.ts'

export type WalletDay = WalletDate & { accountId: string }

export async function hasSnapshot(db: Db, { accountId, ...day }: WalletDay): Promise<boolean> {
  return (await findReads(db, accountId, day)) !== undefined
}

/** At the prices of the day. Throws NOT_FOUND. */
export async function getSnapshot(db: Db, { accountId, ...day }: WalletDay): Promise<PortfolioState> {
  const reads = await findReads(db, accountId, day)
  if (!reads) throw new Failure('NOT_FOUND', `There is no snapshot of ${day.address} on ${day.date}`)
  return { address: day.address, reads: reads.map(valueRead), incomplete: [] }
}
