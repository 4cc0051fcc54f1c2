import { type LocalServer, serveLocally } from './local-server.ts'

/** DefiLlama: USD by its coin names. */
export type PriceServer = LocalServer & {
  prices: Map<string, string>
  setBroken(broken: boolean): void
  refused(): number
}

export async function startPriceServer(): Promise<PriceServer> {
  const prices = new Map<string, string>()
  let isBroken = false
  let refused = 0
  const server = await serveLocally((request, response) => {
    const [, names = ''] = /^\/prices\/(?:current|historical\/\d+)\/([^?]*)/.exec(request.url ?? '') ?? []
    const coins = names.split(',').flatMap((name) => {
      const price = prices.get(decodeURIComponent(name))
      return price === undefined ? [] : [`${JSON.stringify(name)}:{"price":${price},"confidence":0.99}`]
    })
    if (isBroken) refused += 1
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' })
    response.end(isBroken ? '' : `{"coins":{${coins.join(',')}}}`)
  })
  return {
    ...server,
    prices,
    setBroken(broken) {
      isBroken = broken
    },
    refused: () => refused,
  }
}
