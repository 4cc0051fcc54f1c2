import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startDevnet } from '@coffer/devnet'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startService, type TestService } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { sized } from '../sized.ts'
import { historyOf, spent, syncTransactions } from '../sync.ts'
import { CHILD_ENV } from './service-process.ts'

const program = fileURLToPath(new URL('./killed-worker.ts', import.meta.url))
/** Pages of 250, the last of them not full. */
const TRANSACTIONS = sized({ small: 270, deep: 520 })
const random = seededRandom('sync kills')
const kills = sized({ small: 2, deep: 100 })
/** After this many kills the next worker survives. */
const MOST_KILLS = sized({ small: kills, deep: Number.POSITIVE_INFINITY })

/** A chain and a wallet with a history on it. */
type Played = { chain: string; url: string; wallet: string; stop(): Promise<unknown> }

const histories: [name: string, play: () => Promise<Played>][] = [
  [
    'Ethereum',
    async () => {
      const devnet = await startDevnet({ state: inject('devnetState') })
      const { actions, addresses, send, url } = devnet.chains.ethereum
      const { usdc } = addresses.tokens
      const [wallet, other] = [random.address(), random.address()]
      await actions.native.give(other, parseEther('10'))
      await send({ from: other, to: wallet, value: parseEther('10') })
      await actions.erc20.mint(usdc, wallet, parseUnits('1000', 6))
      for (let i = 2; i < TRANSACTIONS; i += 1) await actions.erc20.transfer(usdc, wallet, other, BigInt(1 + (i % 7)))
      return { chain: 'ethereum', url, wallet, stop: devnet.stop }
    },
  ],
  [
    'Solana',
    async () => {
      const devnet = await startSolanaDevnet()
      const { payer, url, actions } = devnet
      const owner = await devnet.keypair('a wallet whose syncs are killed')
      await actions.sol.give(owner.address, 2_000_000_000n)
      for (let i = 1; i < TRANSACTIONS; i += 1) await actions.sol.transfer(owner, payer.address, BigInt(1 + (i % 7)))
      return { chain: 'solana', url, wallet: owner.address, stop: devnet.stop }
    },
  ],
]

describe.each(histories)('on %s', (_, play) => {
  let played: Played
  beforeAll(async () => {
    played = await play()
  })
  afterAll(() => played?.stop())

  /** Ends with the worker. False if it was killed before its end. */
  async function work(service: TestService, commits: number): Promise<boolean> {
    const url = service.context.database.pool.options.connectionString
    const child = spawn(process.execPath, [program, played.wallet, String(commits)], {
      env: {
        ...CHILD_ENV,
        DATABASE_URL: url,
        COFFER_CHAINS: played.chain,
        COFFER_LOCAL_CHAINS: played.chain,
        [`COFFER_RPC_${played.chain.toUpperCase()}`]: played.url,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code, signal] = await once(child, 'close')
    expect([code, signal]).toEqual(said === 'done\n' ? [0, null] : [null, 'SIGKILL'])
    return said === 'done\n'
  }

  const start = (role: string) =>
    startService({ endpoints: { [played.chain]: [played.url] }, config: {}, env: { COFFER_ROLE: role } })

  /**
   * Syncs with workers that are killed after one to four commits, starting with another number each round. Returns the
   * number of kills.
   */
  async function killed(service: TestService, round: number): Promise<number> {
    await service.client.syncTransactions({ body: { addresses: [played.wallet] } })
    for (let count = 0; ; count += 1) {
      if (await work(service, count < MOST_KILLS ? 1 + ((round + count) % 4) : 0)) return count
    }
  }

  const outcome = async (service: TestService) => ({
    history: await historyOf(service, played.wallet),
    spent: await spent(service),
    problems: await service.ledgerProblems(),
  })

  test('a worker killed after any commit leaves what another one makes whole, and is paid for once', {
    timeout: sized({ small: 300_000, deep: 3_600_000 }),
  }, async () => {
    const undisturbed = await start('api,worker')
    expect(await syncTransactions(undisturbed, played.wallet)).toBe('done')
    const expected = await outcome(undisturbed)
    await undisturbed.stop()
    expect(expected).toMatchObject({ spent: 1 + Math.ceil(TRANSACTIONS / 250), problems: [] })
    for (let done = 0, round = random.index(4); done < kills; round += 1) {
      const service = await start('api')
      const count = await killed(service, round)
      expect(count).toBeGreaterThan(0)
      expect(await outcome(service)).toEqual(expected)
      await service.stop()
      done += count
    }
  })
})
