import { text } from 'node:stream/consumers'
import { serveLocally } from '../test/local-server.ts'

export const BENCH_EPOCH = 10
const SLOTS_PER_EPOCH = 32
const COMMITTEES_PER_SLOT = 64
const SYNC_SEATS = 512
const FAR = '18446744073709551615'
/** Mainnet's rewards in gwei. */
const [HEAD, TARGET, SOURCE] = [2_100, 3_900, 2_100]
const hex = (bytes: number, value: number) => `0x${value.toString(16).padStart(bytes * 2, '0')}`

/** Deterministic pseudo-random number. */
export const scattered = (index: number) => Math.imul(index + 1, 0x9e3779b1) >>> 8
/** One in a hundred is offline. Three more miss the head. */
export const isAway = (index: number) => scattered(index) % 100 === 7
const missesHead = (index: number) => scattered(index) % 33 === 5
/** In ETH. One in sixteen compounds, with any balance up to the maximum. */
export const balanceOf = (index: number) => (scattered(index) % 16 === 3 ? 33 + (scattered(index + 7) % 2_016) : 32)

/** Mainnet's size, invented answers about `BENCH_EPOCH`. Returns its URL. */
export async function startSyntheticBeacon(validators: number): Promise<string> {
  const routes = routesOf(validators)
  const { url } = await serveLocally(async (request, response) => {
    const sent = await text(request)
    const body: unknown = sent === '' ? undefined : JSON.parse(sent)
    const path = (request.url ?? '').split('?')[0] ?? ''
    const [, answer] = routes.find(([pattern]) => pattern.test(path)) ?? []
    const data = answer?.(path, body)
    response.writeHead(data === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(data === undefined ? '{"code":404}' : `{"version":"fulu","data":${data}}`)
  })
  return url
}

type Answer = (path: string, body: unknown) => string | undefined

function routesOf(count: number): [RegExp, Answer][] {
  const rewards = attestationRewards(count)
  const committees = committeesOf(count)
  const slotOf = (path: string) => Number(path.split('/').at(-1))
  const sync = Array.from({ length: SYNC_SEATS }, (_, seat) => String((seat * 1_009) % count))
  return [
    [
      /\/genesis$/,
      () =>
        JSON.stringify({
          genesis_time: '1606824023',
          genesis_validators_root: hex(32, 1),
          genesis_fork_version: hex(4, 0),
        }),
    ],
    [/\/config\/spec$/, () => JSON.stringify(SPEC)],
    [
      /\/finality_checkpoints$/,
      () => JSON.stringify({ finalized: { epoch: String(BENCH_EPOCH + 2), root: hex(32, 2) } }),
    ],
    [/\/node\/version$/, () => '{"version":"synthetic"}'],
    [/\/validators$/, (_, body) => validatorsOf((body as { ids: string[] }).ids, count)],
    [/\/rewards\/attestations\//, () => rewards],
    [/\/rewards\/sync_committee\//, () => syncRewards(sync)],
    [/\/rewards\/blocks\//, (path) => JSON.stringify({ proposer_index: proposerOf(slotOf(path)), total: '40000000' })],
    [
      /\/duties\/proposer\//,
      () =>
        JSON.stringify(slots(BENCH_EPOCH).map((slot) => ({ slot: String(slot), validator_index: proposerOf(slot) }))),
    ],
    [/\/sync_committees$/, () => JSON.stringify({ validators: sync })],
    [/\/committees$/, () => committees],
    [/\/blocks\/\d+$/, (path) => blockOf(slotOf(path), count)],
  ]
}

const slots = (epoch: number) => Array.from({ length: SLOTS_PER_EPOCH }, (_, i) => epoch * SLOTS_PER_EPOCH + i)
const proposerOf = (slot: number) => String(slot * 7)

const SPEC = {
  SLOT_DURATION_MS: '12000',
  SLOTS_PER_EPOCH: String(SLOTS_PER_EPOCH),
  EPOCHS_PER_SYNC_COMMITTEE_PERIOD: '256',
  EFFECTIVE_BALANCE_INCREMENT: '1000000000',
  EPOCHS_PER_SLASHINGS_VECTOR: '8192',
  TERMINAL_TOTAL_DIFFICULTY: '0',
  MIN_SLASHING_PENALTY_QUOTIENT: '128',
  PROPORTIONAL_SLASHING_MULTIPLIER: '1',
  ...Object.fromEntries(
    ['ALTAIR', 'BELLATRIX', 'CAPELLA', 'DENEB', 'ELECTRA', 'FULU'].map((fork) => [`${fork}_FORK_EPOCH`, '0']),
  ),
}

function validatorsOf(ids: readonly string[], count: number): string {
  const known = ids.filter((id) => Number(id) < count)
  const of = (id: string) =>
    `{"index":"${id}","balance":"32001234567","status":"active_ongoing","validator":{"pubkey":"${hex(48, Number(id))}","withdrawal_credentials":"${hex(32, 1)}","effective_balance":"${balanceOf(Number(id)) * 1e9}","slashed":false,"activation_eligibility_epoch":"0","activation_epoch":"0","exit_epoch":"${FAR}","withdrawable_epoch":"${FAR}"}}`
  return `[${known.map(of).join(',')}]`
}

function attestationRewards(count: number): string {
  const ideal = Array.from(
    { length: 2_049 },
    (_, eth) =>
      `{"effective_balance":"${eth * 1e9}","head":"${Math.floor((HEAD * eth) / 32)}","target":"${Math.floor((TARGET * eth) / 32)}","source":"${Math.floor((SOURCE * eth) / 32)}","inclusion_delay":"0","inactivity":"0"}`,
  )
  const total = Array.from({ length: count }, (_, index) => {
    const of = (reward: number) => Math.floor((reward * balanceOf(index)) / 32)
    const [head, target, source] = isAway(index)
      ? [0, -of(TARGET), -of(SOURCE)]
      : [missesHead(index) ? 0 : of(HEAD), of(TARGET), of(SOURCE)]
    return `{"validator_index":"${index}","head":"${head}","target":"${target}","source":"${source}","inclusion_delay":"0","inactivity":"0"}`
  })
  return `{"ideal_rewards":[${ideal.join(',')}],"total_rewards":[${total.join(',')}]}`
}

function syncRewards(seats: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const validator of seats) counts.set(validator, (counts.get(validator) ?? 0) + 1)
  return JSON.stringify([...counts].map(([index, held]) => ({ validator_index: index, reward: String(held * 20_000) })))
}

/** Committees take validators in index order, slot after slot. */
const firstOf = (count: number, place: number) => Math.floor((count * place) / (SLOTS_PER_EPOCH * COMMITTEES_PER_SLOT))

function membersOf(count: number, slotInEpoch: number, committee: number): number[] {
  const place = slotInEpoch * COMMITTEES_PER_SLOT + committee
  const first = firstOf(count, place)
  return Array.from({ length: firstOf(count, place + 1) - first }, (_, i) => first + i)
}

function committeesOf(count: number): string {
  const all = slots(BENCH_EPOCH).flatMap((slot, at) =>
    Array.from({ length: COMMITTEES_PER_SLOT }, (_, index) => {
      const members = membersOf(count, at, index).map((member) => `"${member}"`)
      return `{"index":"${index}","slot":"${slot}","validators":[${members.join(',')}]}`
    }),
  )
  return `[${all.join(',')}]`
}

/** One attestation of all committees of the previous slot. */
function blockOf(slot: number, count: number): string {
  const voted = slot - 1
  const members = Array.from({ length: COMMITTEES_PER_SLOT }, (_, index) =>
    membersOf(count, voted % SLOTS_PER_EPOCH, index),
  ).flat()
  const bits = Buffer.alloc((members.length >> 3) + 1)
  const set = (bit: number) => bits.writeUInt8((bits[bit >> 3] ?? 0) | (1 << (bit & 7)), bit >> 3)
  for (const [bit, member] of members.entries()) if (!isAway(member)) set(bit)
  set(members.length)
  return JSON.stringify({
    message: {
      slot: String(slot),
      proposer_index: proposerOf(slot),
      parent_root: hex(32, slot - 1),
      body: {
        deposits: [],
        attestations: [
          {
            aggregation_bits: `0x${bits.toString('hex')}`,
            committee_bits: `0x${'ff'.repeat(COMMITTEES_PER_SLOT / 8)}`,
            data: { slot: String(voted), index: '0' },
          },
        ],
        sync_aggregate: { sync_committee_bits: `0x${'ff'.repeat(SYNC_SEATS / 8)}` },
        execution_payload: { block_hash: hex(32, slot), block_number: String(slot), fee_recipient: hex(20, 1) },
      },
    },
  })
}
