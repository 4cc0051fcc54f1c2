import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** DefiLlama: USD by its coin names. */
export type PriceServer = {
  url: string
  prices: Map<string, string>
  setBroken(broken: boolean): void
  refused(): number
  stop(): Promise<void>
}

export async function startPriceServer(): Promise<PriceServer> {
  const prices = new Map<string, string>()
  let isBroken = false
  let refused = 0
  const server = createServer((request, response) => {
    const [, names = ''] = /^\/prices\/(?:current|historical\/\d+)\/([^?]*)/.exec(request.url ?? '') ?? []
    const coins = names.split(',').flatMap((name) => {
      const price = prices.get(decodeURIComponent(name))
      return price === undefined ? [] : [`${JSON.stringify(name)}:{"price":${price},"confidence":0.99}`]
    })
    if (isBroken) refused += 1
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' })
    response.end(isBroken ? '' : `{"coins":{${coins.join(',')}}}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    prices,
    setBroken(broken) {
      isBroken = broken
    },
    refused: () => refused,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
