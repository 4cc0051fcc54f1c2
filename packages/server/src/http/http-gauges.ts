import type { GaugeSource } from '../lib/metrics.ts'
import type { Service } from './app.ts'

export function httpGauges({ load, connections }: Service): GaugeSource[] {
  return [
    { name: 'coffer_http_in_flight', help: 'Requests being served', read: load.inFlight },
    {
      name: 'coffer_http_connections',
      help: 'Open client connections',
      read: connections.count,
    },
    {
      name: 'coffer_http_connections_refused',
      help: 'Connections refused since the start: COFFER_MAX_CONNECTIONS or COFFER_MAX_CONNECTIONS_PER_ADDRESS was reached',
      read: connections.refused,
    },
  ]
}
