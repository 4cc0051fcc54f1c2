import { randomUUID } from 'node:crypto'
import { Failure, type NewWatch, type Requirement, type Watch, type WatchType } from '@coffer/contract'
import { sql } from 'kysely'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ChainTypes } from '../../chains/chain-type.ts'
import type { Db } from '../../db/tables.ts'
import { isUuid } from '../../lib/uuid.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import { asShown, selectWatches, type WatchTerms } from './watch-store.ts'

/** Per account: each wallet is read four times an hour. */
const MOST = 50

export const NEEDS: Readonly<Record<WatchType, Requirement>> = {
  netWorth: 'portfolio',
  balance: 'portfolio',
  credits: 'key',
  validator: 'beacon',
  airdrops: 'portfolio',
}

export type WatchFacts = {
  chains: readonly Chain[]
  chainTypes: ChainTypes
  hasBeacon: boolean
}

export function createWatch(db: Db, facts: WatchFacts, accountId: string, wanted: NewWatch): Promise<Watch> {
  const terms = termsOf(wanted, facts)
  return withAccountLock(db, accountId, async (trx) => {
    const { length: current } = await selectWatches(trx, accountId)
    if (current >= MOST) {
      throw new Failure('WATCH_QUOTA_REACHED', `At most ${MOST} watches can be saved`, { quota: MOST, current })
    }
    const row = await trx
      .insertInto('watch')
      .values({ id: randomUUID(), account_id: BigInt(accountId), ...terms })
      .returningAll()
      .executeTakeFirstOrThrow()
    return asShown(row)
  })
}

export async function removeWatch(db: Db, { accountId, id }: { accountId: string; id: string }): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from watch where account_id = ${BigInt(accountId)} and id = ${isUuid(id) ? id : null}::uuid`.execute(db)
  if (numAffectedRows !== 1n) throw new Failure('NOT_FOUND', 'There is no such watch')
}

/** Throws VALIDATION_ERROR or NOT_CONFIGURED. */
function termsOf(wanted: NewWatch, facts: WatchFacts): WatchTerms {
  if (wanted.type === 'credits') return { type: wanted.type, is_above: false, threshold: wanted.threshold }
  if (wanted.type === 'validator') {
    if (!facts.hasBeacon) {
      throw new Failure('NOT_CONFIGURED', 'Validators are not read here: the operator has not set COFFER_BEACON_URL')
    }
    return { type: wanted.type, validator: wanted.validator }
  }
  const { type, address } = wanted
  const kind = facts.chainTypes.ofWallet(address)
  const chains = facts.chains.filter(({ family }) => family === kind?.name)
  if (chains.length === 0) throw invalid('address: this service does not read wallets of this type')
  if (type === 'airdrops') {
    const isRead = chains.some(({ key }) => key === kind?.airdrops?.chain)
    if (!isRead) throw invalid('address: this service reads no chain with airdrops')
    return { type, address }
  }
  const limit = { type, address, is_above: wanted.direction === 'above', threshold: wanted.threshold }
  return wanted.type === 'balance' ? { ...limit, ...tokenOf(wanted, chains, facts) } : limit
}

function tokenOf(wanted: Extract<NewWatch, { type: 'balance' }>, chains: readonly Chain[], { chainTypes }: WatchFacts) {
  const chain = findChain(wanted.chain, chains)
  if (!chain) throw invalid('chain: is not an enabled chain of the wallet')
  const kind = chainTypes.ofWallet(wanted.contract)
  if (kind?.name !== chain.family) throw invalid(`contract: is not an address of ${chain.name}`)
  const spelled = kind.spell(wanted.contract)
  const firstFaces: ReadonlyMap<string, string> = new Map(Object.entries(chain.secondFaces ?? {}))
  return { chain: chain.key, contract: firstFaces.get(spelled) ?? spelled }
}

const invalid = (problem: string) => new Failure('VALIDATION_ERROR', problem)
