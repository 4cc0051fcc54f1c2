import type { EventKind } from '@coffer/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { accountPages } from '../../api/pages.ts'
import { queryClient, renew, useAccount, v1Query, writeV1 } from '../../api/queries.ts'
import type { V1Answer } from '../../api/types.ts'

const PATH = '/v1/webhooks'
const DELIVERIES_PATH = '/v1/webhooks/:webhookId/deliveries'

type WebhookList = V1Answer<'GET', typeof PATH>
export type Webhook = WebhookList['data'][number]
type DeliveryPage = V1Answer<'GET', typeof DELIVERIES_PATH>
export type Delivery = DeliveryPage['data'][number]
export type DeliveryState = Delivery['state']
/** A new webhook, or one with a new secret, and that secret. */
export type WithSecret = V1Answer<'POST', typeof PATH>
/** Set by the owner. */
export type Settings = { url: string; kinds: EventKind[] }

/** Poll interval while a delivery waits. */
const POLL_MS = 5_000
const TEST_POLL_MS = 1_000
/** The service's maximum per page: includes a test among other deliveries. */
const TEST_PAGE = 200

export function useWebhooks() {
  return useQuery({
    ...v1Query(useAccount().id, PATH),
    refetchInterval: ({ state }) => (state.data?.data.some(({ waiting }) => waiting !== '0') ? POLL_MS : false),
  })
}

const deliveriesAt = (id: string): string => `${PATH}/${encodeURIComponent(id)}/deliveries`

/** Newest first; of one state if given. */
export function useDeliveries({ id }: Webhook, state: DeliveryState | undefined) {
  return useInfiniteQuery({
    ...accountPages<DeliveryPage>(useAccount().id, deliveriesAt(id), ({ next }) => next, { state }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.data.some((one) => one.state === 'waiting')) ? POLL_MS : false,
  })
}

export function useWebhookChange() {
  const { id: account } = useAccount()
  return async <T>(change: (account: string) => Promise<T>, webhook?: Webhook): Promise<T> => {
    const answer = await change(account)
    const paths = webhook ? [PATH, deliveriesAt(webhook.id)] : [PATH]
    await Promise.all(paths.map((path) => renew(account, path)))
    return answer
  }
}

/** Makes deliveries wait again; returns their number. */
export async function replay(
  account: string,
  { id: webhookId }: Webhook,
  body: { deliveryId: string } | { from: string; to: string; state?: 'delivered' | 'dead' },
): Promise<string> {
  const { data } = await writeV1('POST', account, '/v1/webhooks/:webhookId/replay', { params: { webhookId }, body })
  return data.replayed
}

const newestQuery = (account: string, { id: webhookId }: Webhook) => ({
  ...v1Query(account, DELIVERIES_PATH, { params: { webhookId }, query: { limit: TEST_PAGE } }),
  staleTime: 0,
})

/** Sends a test; returns the IDs of earlier deliveries. */
export async function sendTest(account: string, webhook: Webhook): Promise<ReadonlySet<string>> {
  const before = await queryClient.fetchQuery(newestQuery(account, webhook))
  await writeV1('POST', account, '/v1/webhooks/:webhookId/test', { params: { webhookId: webhook.id } })
  return new Set(before.data.map(({ id }) => id))
}

/** Polls for the delivery of `sendTest` until it was tried. */
export function useTest(webhook: Webhook, before: ReadonlySet<string>) {
  const find = (page: DeliveryPage | undefined) =>
    page?.data.find(({ id, kind }) => kind === 'webhook.test' && !before.has(id))
  const query = useQuery({
    ...newestQuery(useAccount().id, webhook),
    refetchInterval: ({ state }) => (hasBeenTried(find(state.data)) ? false : TEST_POLL_MS),
  })
  return { delivery: find(query.data), error: query.error }
}

export const hasBeenTried = (delivery: Delivery | undefined): delivery is Delivery =>
  delivery !== undefined && delivery.lastAttemptAt !== null
