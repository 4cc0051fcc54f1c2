import type { Portfolio } from '@coffer/contract'
import { type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import type { Address } from 'viem'
import { expect, inject, it } from 'vitest'
import { startService, type TestService, testClock } from '../harness.ts'
import { openArena } from '../hostile/arena.ts'
import { type Attack, carriers, plantAttack } from '../hostile/attack.ts'
import { createHonestHoldings, honestTruth } from '../hostile/honest.ts'
import { readPortfolios } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { type Random, randomOf } from '../random-of.ts'
import { sized } from '../sized.ts'
import { scaled, shownLines, trueLines, wrongSums } from './portfolio-lines.ts'

const NOT_FRESH_MS = 61_000
/** Compositions, each on its own chain: each carrier once in its plain form, and some at random. */
const COMPOSITIONS = 64
const ROUNDS = sized({ small: 1, deep: 80 })
/** Prices have 18 decimals. The test compares figures to 10^-9 dollars. */
const TOLERANCE = 10n ** 51n
/** Beyond the last expiry of the attackers' yield tokens. */
const EXPIRED_SECONDS = 4 * 86_400

type Scene = {
  devnet: Devnet
  service: TestService
  clock: ReturnType<typeof testClock>
  control: Address
  played: { wallet: Address; attack: Attack }[]
}

/** Figures of a round. Largest gains in dollars. */
type Sums = { compositions: number; shown: number; priced: number; largestGain: number; largestFalseGain: number }

async function play(seed: number, devnet: Devnet) {
  const random: Random = randomOf(seed)
  const chain = devnet.chains.ethereum
  const arena = await openArena(chain, random)
  const give = await createHonestHoldings(chain, random.address())
  const control = random.address()
  await give(control)
  const names = Object.keys(carriers) as (keyof typeof carriers)[]
  const played: Scene['played'] = []
  for (let i = 0; i < COMPOSITIONS; i += 1) {
    const wallet = random.address()
    await give(wallet)
    const name = names[i % names.length] ?? 'direct'
    played.push({ wallet, attack: await plantAttack({ arena, wallet, random, isPlain: i < names.length }, name) })
  }
  await chain.travel(EXPIRED_SECONDS)
  return { control, played, protocols: arena.protocols }
}

async function readAll({ devnet, service, clock, control, played }: Scene): Promise<Map<Address, Portfolio>> {
  await devnet.chains.ethereum.actions.feeds.refresh()
  clock.advance(NOT_FRESH_MS)
  return readPortfolios(service, [control, ...played.map(({ wallet }) => wallet)])
}

const isSearched = (portfolios: ReadonlyMap<Address, Portfolio>) =>
  [...portfolios.values()].every(({ incomplete }) => !incomplete.some(({ reason }) => reason === 'searching'))

const dollars = (figure: bigint) => Number(figure / 10n ** 54n) / 1e6

/** Every wallet that shows more than was parked, less than its honest worth, or another gap than the control wallet. */
async function findWrong(scene: Scene, sums: Sums): Promise<unknown[]> {
  const portfolios = await readAll(scene)
  const block = await scene.devnet.chains.ethereum.client.getBlockNumber()
  const { truth, usd } = await honestTruth(scene.devnet, scene.control, block)
  const control = portfolios.get(scene.control)
  if (!control) throw new Error('the control wallet has no answer')
  expect(scaled(control.networth)).toBe(usd)
  const honest = new Set(trueLines(truth).map(placeOf))
  return scene.played.flatMap(({ wallet, attack }): unknown[] => {
    const portfolio = portfolios.get(wallet)
    if (!portfolio) throw new Error(`${wallet} has no answer`)
    const lines = shownLines(portfolio, 'ethereum')
    // A coin amount that rounds to zero leaves a line with only real tokens.
    const isStrange = (line: string) =>
      [...attack.contracts].some((contract) => line.includes(contract)) || !honest.has(placeOf(line))
    const gained = scaled(portfolio.networth) - usd
    sums.shown += lines.some(isStrange) ? 1 : 0
    sums.priced += gained > 0n ? 1 : 0
    sums.largestGain = Math.max(sums.largestGain, dollars(gained))
    sums.largestFalseGain = Math.max(sums.largestFalseGain, dollars(gained - attack.parked))
    const saw = {
      lines: lines.filter((line) => !isStrange(line)),
      gaps: portfolio.incomplete,
      sums: wrongSums(portfolio),
      gained: gained < 0n || gained > attack.parked + TOLERANCE ? dollars(gained) : 'at most what was parked',
    }
    const should = {
      lines: trueLines(truth),
      gaps: control.incomplete,
      sums: [],
      gained: 'at most what was parked',
    }
    const { name, reported, parked } = attack
    return JSON.stringify(saw) === JSON.stringify(should)
      ? []
      : [{ wallet, name, reported, parked: dollars(parked), ...differences(saw, should) }]
  })
}

/** Protocol and pool of a position. For a token in the wallet, only the wallet. */
const placeOf = (line: string) => (line.startsWith('wallet ') ? 'wallet' : line.split(' ', 2).join(' '))

function differences<T extends object>(saw: T, should: T) {
  const all = Object.entries(saw).filter(([key, value]) => {
    return JSON.stringify(value) !== JSON.stringify(should[key as keyof T])
  })
  return { saw: Object.fromEntries(all) }
}

async function playRound(seed: number, sums: Sums): Promise<unknown[]> {
  const clock = testClock()
  const devnet = await startDevnet({ state: inject('devnetState') })
  let service: TestService | undefined
  try {
    const { protocols, ...plays } = await play(seed, devnet)
    clock.advance(EXPIRED_SECONDS * 1_000)
    const shipped = devnetConfig()
    const config = { ...shipped, protocols: [...shipped.protocols, ...protocols] }
    service = await startService({ endpoints: { ethereum: [devnet.chains.ethereum.url] }, config, clock })
    const scene = { devnet, service, clock, ...plays }
    await expect.poll(async () => isSearched(await readAll(scene)), { interval: 500 }).toBe(true)
    const wrong = await findWrong(scene, sums)
    for (const { attack } of scene.played) await attack.turn()
    wrong.push(...(await findWrong(scene, sums)))
    sums.compositions += COMPOSITIONS
    return wrong
  } finally {
    await service?.stop()
    await devnet.stop()
  }
}

it('adds no more to any wallet than an attacker parked, and leaves honest holdings and gaps alone', {
  timeout: 10 * 3_600_000,
}, async () => {
  const { seed } = seededRandom('attacks')
  const sums: Sums = {
    compositions: 0,
    shown: 0,
    priced: 0,
    largestGain: 0,
    largestFalseGain: Number.NEGATIVE_INFINITY,
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const wrong = await playRound(seed + round, sums)
    console.info(JSON.stringify({ bar: 'attacks', seed: seed + round, ...sums }))
    expect({ seed: seed + round, wrong }).toEqual({ seed: seed + round, wrong: [] })
  }
  expect(sums.priced).toBeGreaterThan(0)
  expect(sums.shown).toBeGreaterThan(COMPOSITIONS / 2)
})
