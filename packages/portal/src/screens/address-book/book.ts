import { useQuery } from '@tanstack/react-query'
import { accountQuery, renew, useAccount, useV1 } from '../../api/queries.ts'
import type { OwnAnswer, V1Answer } from '../../api/types.ts'
import { inWords } from './problem-words.ts'

export type Entry = OwnAnswer<'GET', '/accounts/:account/address-book'>[number]
export type Bundle = V1Answer<'GET', '/v1/bundles'>['data'][number]

const BOOK = '/address-book'

export const useEntries = () => useQuery(accountQuery<Entry[]>(useAccount().id, BOOK))
export const useBundles = () => useV1('/v1/bundles')

/** Refetches the whole book and puts refusals into words. */
export function useBookChange() {
  const { id: account } = useAccount()
  return async <T>(change: (account: string) => Promise<T>): Promise<T> => {
    try {
      return await inWords(() => change(account))
    } finally {
      await Promise.all([BOOK, '/v1/addressbook', '/v1/bundles'].map((path) => renew(account, path)))
    }
  }
}

/** Protected from API keys: removable only here. */
export const isKept = ({ isPaid, ownerAuthorized }: Entry): boolean => isPaid || ownerAuthorized

export const titleOf = ({ label, address }: Pick<Entry, 'label' | 'address'>): string => label || address
