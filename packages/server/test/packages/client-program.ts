/**
 * Compiled under strict rules, run by every runtime. Takes the service's URL, a key and a wallet; prints
 * `ProgramOutput`.
 */
export const CLIENT_PROGRAM = `
import { type Client, CofferError, ConnectionError, createClient, items, pages } from '@coffer/client'
import { endpoints } from '@coffer/client/contract'

declare const process: { argv: string[] }
const [, , baseUrl = '', apiKey = '', wallet = ''] = process.argv
const client: Client = createClient({ baseUrl, apiKey, schemas: endpoints, retries: 5 })

const [portfolio] = await client.getPortfolio({ query: { addresses: [wallet], waitForSync: true } })
const networth: string | undefined = portfolio?.networth

const protocols: string[] = []
const list = { params: { chainKey: 'ethereum' }, query: { limit: 5 } }
for await (const { key } of items(client.listProtocols, list)) protocols.push(key)
let count = 0
for await (const { data } of pages(client.listProtocols, list)) count += data.length

const refused = await client
  .getPortfolio({ query: { addresses: ['nobody'] } })
  .catch((error: unknown) => (error instanceof CofferError ? error.status : error))
const unreached = await createClient({ baseUrl: 'http://127.0.0.1:9', apiKey, retries: 0 })
  .getCredits()
  .catch((error: unknown) => error instanceof ConnectionError && error.message)
const cancelled = await client.getCredits({}, { signal: AbortSignal.abort('enough') }).catch((error: unknown) => error)

// @ts-expect-error the addresses are required
const unused = () => client.getPortfolio()
// @ts-expect-error there is no such field
const neither = () => portfolio?.netWorth
void [unused, neither]

console.log(JSON.stringify({ address: portfolio?.address, hasWorth: Number(networth) > 0, protocols, count, refused, unreached, cancelled }))
`

export type ProgramOutput = {
  address: string
  hasWorth: boolean
  protocols: string[]
  count: number
  refused: number
  unreached: string
  cancelled: string
}

/** Strict, over both type libraries that have `fetch`. */
export const COMPILER_OPTIONS = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitOverride: true },
  ...{ skipLibCheck: false, verbatimModuleSyntax: true },
  ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
}
