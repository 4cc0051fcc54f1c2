import { join } from 'node:path'
import { createClient } from '@coffer/client'
import { expect, test } from 'vitest'
import { startProgram } from './service-process.ts'

const program = join(import.meta.dirname, '../../demo/demo.ts')

test('the demonstration stays up with its wallets saved and synced, until it is stopped', async () => {
  const demo = startProgram(process.execPath, [program], {})
  try {
    const [, link = '', url = '', key = ''] = await demo.printed(
      /^Portal, with the one-time link of its first user: (\S+\/link#\S+)\nAPI: (\S+) {3}key: (coffer_\w+)$/m,
    )
    const client = createClient({ baseUrl: url, apiKey: key })
    const { data } = await client.listAddressBook()
    expect(data.map(({ label }) => label).sort()).toEqual(['Demo', 'Farmer', 'Showcase', 'Solana'])
    const addresses = data.map(({ address }) => address)
    const states = async () => (await client.getStatus({ query: { addresses } })).map(({ sync }) => sync.state)
    await expect.poll(states).toEqual(addresses.map(() => 'done'))
    expect((await fetch(link)).headers.get('content-type')).toMatch(/^text\/html/)
    expect(demo.child.exitCode).toBeNull()
  } finally {
    expect(await demo.end('SIGTERM')).toBe(0)
  }
})
