import { type BeaconDevnet, type Scenario, startBeaconDevnet } from '@coffer/beacon-devnet'
import type { Devnet } from '@coffer/devnet'

const SLOTS_PER_EPOCH = 8
const EPOCHS = 16
/** The chain ends so many seconds from now at most: its slots are short. */
const SECONDS_PER_SLOT = 1
const SECONDS_TO_GENESIS = 10
const LAST_SLOT = EPOCHS * SLOTS_PER_EPOCH
/** Every so many blocks are a builder's. */
const BUILT_EVERY = 3
const GWEI = 10n ** 9n
const SENDER = '0x000000000000000000000000000000000000d301'
const RECIPIENT = '0x000000000000000000000000000000000000d302'
const BUILDER = '0x000000000000000000000000000000000000d303'

/** A beacon chain on the demonstration's Ethereum, and its validator with the most blocks. */
export type DemoValidators = BeaconDevnet & { index: number; pubkey: string; lastEpoch: number }

/** Somebody pays a priority fee in every block; a builder keeps that of its own and pays the proposer. */
const payments = (): Scenario =>
  Array.from({ length: LAST_SLOT }, (_, at) => {
    const tip = { from: SENDER, to: RECIPIENT, valueWei: 1n, tipWei: 2n * GWEI }
    const payment = { from: BUILDER, to: RECIPIENT, valueWei: 50_000_000n * GWEI, tipWei: 0n }
    return at % BUILT_EVERY === 0
      ? { from: at + 1, feeRecipient: BUILDER, transactions: [tip, payment] }
      : { from: at + 1, feeRecipient: RECIPIENT, transactions: [tip] }
  })

const SCENARIO: Scenario = [...payments(), { from: 50, missed: true }, { from: 40, to: 47, offline: 'all' }]

type Duty = { validator_index: string; pubkey: string }

async function duties({ beacon }: BeaconDevnet): Promise<Duty[]> {
  const epochs = Array.from({ length: EPOCHS - 4 }, (_, epoch) => epoch + 1)
  const answers = await Promise.all(
    epochs.map(async (epoch) => {
      const response = await fetch(`${beacon}/eth/v1/validator/duties/proposer/${epoch}`)
      return ((await response.json()) as { data: Duty[] }).data
    }),
  )
  return answers.flat()
}

/** Validators of an Ethereum whose blocks go on from where it is, as slots. */
export async function startDemoValidators({
  url,
  chainId,
  client,
}: Devnet['chains']['ethereum']): Promise<DemoValidators> {
  const { timestamp } = await client.getBlock()
  const devnet = await startBeaconDevnet({
    validators: 64,
    genesisTime: Number(timestamp) + SECONDS_TO_GENESIS,
    secondsPerSlot: SECONDS_PER_SLOT,
    execution: { url, chainId },
  })
  const { finalizedEpoch } = await devnet.play(SCENARIO, LAST_SLOT)
  const byValidator = Map.groupBy(await duties(devnet), ({ validator_index }) => validator_index)
  const [[proposer]] = [...byValidator.values()].sort((one, other) => other.length - one.length) as [[Duty]]
  return { ...devnet, index: Number(proposer.validator_index), pubkey: proposer.pubkey, lastEpoch: finalizedEpoch - 2 }
}
