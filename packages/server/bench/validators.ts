// Validators with an indexed year: speed of pages of ten monthly buckets, requests per details.
// `validators.ts [--validators 5]`. Exits 1 if a target is missed.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { timeOfEpoch } from '../src/domain/beacon-time.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { createValidatorStore } from '../src/features/validators/validator-store.ts'
import { byPath, recorded, startBeaconServer } from '../test/beacon/beacon-server.ts'
import { benchOverDatabase } from './bench-database.ts'
import { startServiceProcess } from './portfolio-service.ts'

const PROMISED_P95_MS = 20
const PROMISED_REQUESTS = 2
const PAGES = 500
const WARM_UP = 50
const DETAILS = 50

const MAINNET = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }
const GENESIS_ROOT = '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95'
/** The longest range: a year. */
const [FROM, TO] = [400_000, 482_125]
/** Epochs per commit. */
const SAVED_TOGETHER = 5_000
/** Epochs between a validator's proposals. */
const PROPOSAL_EPOCHS = 30_000

const { values: options } = parseArgs({ options: { validators: { type: 'string', default: '5' } } })
const validators = Array.from({ length: Number(options.validators) }, (_, index) => index)

const STATES = '/eth/v1/beacon/states/head'
const answers = {
  '/eth/v1/beacon/genesis': {
    data: { genesis_time: '1606824023', genesis_validators_root: GENESIS_ROOT, genesis_fork_version: '0x00000000' },
  },
  '/eth/v1/config/spec': { data: { ...(recorded('spec').data as object), SLOTS_PER_EPOCH: '32' } },
  '/eth/v1/node/syncing': recorded('syncing'),
  [`${STATES}/validators/3`]: recorded('validator'),
  [`${STATES}/finality_checkpoints`]: {
    data: { finalized: { epoch: String(TO + 2), root: GENESIS_ROOT } },
  },
}

function rowOf(validatorIndex: number, epoch: number) {
  const proposes = (epoch + validatorIndex * 1_000) % PROPOSAL_EPOCHS === 0
  return {
    ...{ validatorIndex, epoch, attestationGwei: 9_800n, attestationIdealGwei: 9_900n, slashingGwei: 0n },
    ...{ syncGwei: 0n, syncPotentialGwei: 0n, attestationsIncluded: 1, attestationsMissed: 0 },
    ...{ proposalGwei: proposes ? 40_000_000n : 0n, proposalPotentialGwei: proposes ? 40_000_000n : 0n },
    ...{ syncParticipations: 0, syncMissed: 0, proposedBlocks: proposes ? 1 : 0, missedBlocks: 0, mevBlocks: 0 },
    ...{ tipsWei: proposes ? 10n ** 16n : 0n, mevWei: 0n, effectiveBalanceGwei: 32_000_000_000n },
  }
}

async function seed({ db }: Database): Promise<void> {
  const store = createValidatorStore(db)
  for (const index of validators) await store.track({ index, pubkey: `0x${index.toString(16).padStart(96, '0')}` })
  for (let fromEpoch = FROM; fromEpoch <= TO; fromEpoch += SAVED_TOGETHER) {
    const toEpoch = Math.min(fromEpoch + SAVED_TOGETHER - 1, TO)
    const epochs = Array.from({ length: toEpoch - fromEpoch + 1 }, (_, i) => fromEpoch + i)
    for (const index of validators) {
      await store.save(MAINNET, {
        ...{ fromEpoch, toEpoch, validators: [index] },
        rows: epochs.map((epoch) => rowOf(index, epoch)),
      })
    }
  }
}

type Page = { data: { consensusReward: string; attestationsIncluded: number }[]; totalRows: number }

/** Milliseconds per page. Compares the first page to the stored data. */
async function pages(url: string, key: string): Promise<number[]> {
  const range = `rangeType=timestamp&rangeFrom=${timeOfEpoch(MAINNET, FROM)}&rangeTo=${timeOfEpoch(MAINNET, FROM) + 31_536_000}`
  const times: number[] = []
  for (let i = -WARM_UP; i < PAGES; i += 1) {
    const startedAt = performance.now()
    const path = `/v1/beacon/validators/rewards/index/${(i + WARM_UP) % validators.length}?${range}&granularity=month`
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
    const page = (await response.json()) as Page
    if (i >= 0) times.push(performance.now() - startedAt)
    const isWhole = response.status === 200 && response.headers.get('x-data-complete') === 'true'
    if (!isWhole || page.data.length !== 10 || page.totalRows < 12) throw new Error(JSON.stringify(page).slice(0, 500))
  }
  return times
}

async function requestsOfDetails(url: string, key: string, asked: readonly unknown[]): Promise<number> {
  const before = asked.length
  for (let i = 0; i < DETAILS; i += 1) {
    const { status } = await fetch(`${url}/v1/beacon/validators/details/index/3`, {
      headers: { authorization: `Bearer ${key}` },
    })
    if (status !== 200) throw new Error(`details: ${status}`)
  }
  return (asked.length - before) / DETAILS
}

/** Size of a validator's year, including its keys. */
async function yearMegabytes({ pool }: Database, table: string): Promise<string> {
  const { rows } = await pool.query('select pg_total_relation_size($1::regclass)::float8 as bytes', [table])
  return (rows[0]?.bytes / validators.length / 1e6).toFixed(2)
}

async function bench(database: Database, databaseUrl: string): Promise<string[]> {
  await seed(database)
  await database.pool.query('vacuum analyze')
  const beacon = await startBeaconServer(byPath(answers))
  const env = { COFFER_BEACON_URL: beacon.url, COFFER_ROLE: 'api' }
  const service = await startServiceProcess(databaseUrl, '', undefined, undefined, env)
  try {
    const { id } = await createAccount(database.db, {
      ...{ name: 'bench', plan: 'PRO', entitlements: ['portfolio', 'beacon'], credits: 1_000 },
    })
    await database.pool.query('update account set rate_limit_beacon = 1000000, rate_limit_portfolio = 1000000')
    const { key } = await createKey(database.db, await openPeppers(database.db, []), { accountId: id, name: 'bench' })
    const times = (await pages(service.url, key)).sort((a, b) => a - b)
    const requests = await requestsOfDetails(service.url, key, beacon.asked)
    const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
    console.log(
      `${validators.length} validators with ${TO - FROM + 1} epochs each; ${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}`,
    )
    console.log(
      `  a page of ten monthly buckets: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms (promised: under ${PROMISED_P95_MS})`,
    )
    console.log(`  details: ${requests.toFixed(2)} requests a call (promised: under ${PROMISED_REQUESTS})`)
    const [epochs, days] = [
      await yearMegabytes(database, 'validator_epoch'),
      await yearMegabytes(database, 'validator_day'),
    ]
    console.log(`  a year of one validator: ${epochs} MB of epochs, ${days} MB of days`)
    return [
      ...(at(0.95) < PROMISED_P95_MS ? [] : ['a page of rewards takes longer than promised']),
      ...(requests < PROMISED_REQUESTS ? [] : ['details take more requests than promised']),
    ]
  } finally {
    await service.stop()
    await beacon.stop()
  }
}

await benchOverDatabase(bench)
