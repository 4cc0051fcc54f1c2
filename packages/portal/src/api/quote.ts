import { useQuery } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { useAccount } from './queries.ts'
import type { OwnBody } from './types.ts'

export type QuoteAsked = OwnBody<'POST', '/accounts/:account/quote'>

/** What a call would take of the account's credits; changes nothing. It is asked each time: prices change with what runs. */
export function useQuote(body: QuoteAsked) {
  const { id: account } = useAccount()
  return useQuery({
    queryKey: ['accounts', account, '/quote', body],
    queryFn: ({ signal }) => ask('POST', '/accounts/:account/quote', { params: { account }, body, signal }),
    enabled: body.addresses.length > 0,
    staleTime: 0,
  })
}
