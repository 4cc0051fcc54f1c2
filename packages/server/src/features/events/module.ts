import { httpRequest } from '../../lib/http-client.ts'
import { createReach } from '../../lib/public-network.ts'
import type { Module, Ports } from '../module.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { createDeliveries } from './deliveries.ts'
import { createEventFeed } from './event-feed.ts'
import { pruneEvents } from './lane-store.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { createWebhooks } from './webhooks.ts'

const JOB = 'event-retention'
const EVERY_SECONDS = 24 * 3_600
const KEPT_DAYS = 30

/** Only workers deliver. */
export function eventModule({
  config: { roles, webhookNetworks },
  database: { db },
  vault,
  clock,
  logger: log,
}: Pick<Ports, 'database' | 'clock' | 'logger'> & {
  config: { roles: ReadonlySet<'api' | 'worker'>; webhookNetworks: readonly string[] }
  vault: SecretVault
}) {
  const reach = createReach(webhookNetworks)
  const deliveries = createDeliveries({ db, vault, reach, request: httpRequest, clock, log })
  const handler = () => pruneEvents(db, KEPT_DAYS)
  return {
    handlers: webhookRoutes({ webhooks: createWebhooks({ db, vault, reach }) }),
    jobs: [{ name: JOB, handler, options: { retryLimit: 0 }, everySeconds: EVERY_SECONDS }],
    start: () => {
      if (roles.has('worker')) deliveries.start()
    },
    close: deliveries.stop,
  } satisfies Module
}

export const openEvents = ({ database: { db }, logger: log }: Pick<Ports, 'database' | 'logger'>) =>
  createEventFeed({ db, log })
