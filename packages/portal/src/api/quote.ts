import { useQuery } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { useAccount } from './queries.ts'
import type { OwnBody } from './types.ts'

export type QuoteAsked = OwnBody<'POST', '/accounts/:account/quote'>

/** Returns the credits that a call would cost; changes nothing. Never cached: prices depend on running work. */
export function useQuote(body: QuoteAsked) {
  const { id: account } = useAccount()
  return useQuery({
    queryKey: ['accounts', account, '/quote', body],
    queryFn: ({ signal }) => ask('POST', '/accounts/:account/quote', { params: { account }, body, signal }),
    enabled: body.addresses.length > 0,
    staleTime: 0,
  })
}
