import { Agent } from 'node:http'
import type { Random } from '../random-of.ts'
import { getOnce } from './http-get.ts'
import type { TestAccount, TwoProcesses } from './two-processes.ts'

/** IDs of answers; `cut`: calls without one. */
export type Heard = { paid: Set<string>; free: Set<string>; refused: Set<string>; cut: number }

/**
 * Alternates between the processes without pause: known wallets (charged at once, or held and posted just after a
 * start), unknown ones (held, failed, given back), free calls. `stop` lets running calls end; results by account ID.
 */
export function startLoad({
  clients,
  service,
  accounts,
  wallets,
  random,
}: {
  clients: number
  service: TwoProcesses
  accounts: readonly TestAccount[]
  wallets: readonly string[]
  random: Random
}) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const heard = new Map(
    accounts.map(({ id }): [string, Heard] => [id, { paid: new Set(), free: new Set(), refused: new Set(), cut: 0 }]),
  )
  let stopped = false

  const paths = [
    () => `/v1/portfolio?addresses=${random.pick(wallets)}`,
    () => `/v1/portfolio?addresses=${random.address()}`,
    () => `/v1/wallet?addresses=${random.pick(wallets)}`,
    () => '/v1/credits',
  ]

  async function call(account: TestAccount, path: string): Promise<void> {
    const { url } = random.pick(service.processes)
    const of = heard.get(account.id)
    if (!of) return
    try {
      const { status, requestId } = await getOnce(url + path, account.key, { agent })
      listFor(of, path, status).add(requestId)
    } catch (error) {
      // Without a listener the call was not sent.
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') await new Promise(setImmediate)
      else of.cut += 1
    }
  }

  async function client(): Promise<void> {
    while (!stopped) await call(random.pick(accounts), random.pick(paths)())
  }

  const running = Array.from({ length: clients }, client)
  return {
    async stop(): Promise<ReadonlyMap<string, Heard>> {
      stopped = true
      await Promise.all(running)
      agent.destroy()
      return heard
    },
  }
}

function listFor({ paid, free, refused }: Heard, path: string, status: number): Set<string> {
  if (status !== 200) return refused
  return path === '/v1/credits' ? free : paid
}
