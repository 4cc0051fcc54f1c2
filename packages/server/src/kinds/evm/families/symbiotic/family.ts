import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { readAlone } from '../each-alone.ts'
import type { Family, FamilyRow, Instrument } from '../family.ts'
import { epochLens } from './epoch-lens.bytecode.ts'
import { symbioticHistory, WITHDRAWN } from './history.ts'

/** Source: sparkdotfi/spark-address-registry (19 August 2026), `Ethereum.sol`. */
const symbioticRow: FamilyRow = {
  key: 'symbiotic',
  name: 'Symbiotic',
  chain: 'ethereum',
  siteUrl: 'https://symbiotic.fi',
  deployment: {
    vaults: ['0xc6132faf04627c8d05d6e759fabb331ef2d8f8fd'], // stSPK
  },
}

/** Vaults of Symbiotic on one chain whose shares are a token. */
const deployment = z.strictObject({ vaults: z.array(addressSchema).min(1) })

type Deployment = z.infer<typeof deployment>

/** A vault of Symbiotic: its collateral, and what all shares together stand for. */
const epochVaultAbi = parseAbi([
  'function collateral() view returns (address)',
  'function activeStake() view returns (uint256)',
  'function activeShares() view returns (uint256)',
])

/** Epochs that are asked for withdrawals, some 3,500 gas each: a vault's epoch is a week or more. */
const MOST_EPOCHS = 512n
/** Where no log has named a withdrawal: the one that runs and the next. What the search has yet to find is mostly there. */
const OPEN_EPOCHS = 2n

/**
 * Vaults of Symbiotic whose shares are a token. What is asked for in one epoch can be claimed when the next one has ended, and
 * is slashed with the stake until then. The vault knows it by epoch and wallet and lists none; a log names who may claim, and then
 * all epochs are asked.
 */
export const symbiotic: Family<Deployment> = {
  name: 'symbiotic',
  deployment,
  rows: [symbioticRow],
  lenses: [epochLens],
  eachAlone: true,

  async discover({ reader, deployment: { vaults } }) {
    const deployed = await Promise.all(vaults.map((vault) => isDeployed(reader, vault)))
    return Promise.all(vaults.filter((_, i) => deployed[i]).map((vault) => discoverVault(reader, vault)))
  },

  /** The key is the wallet itself, so that no number of withdrawals in its name makes more of them. */
  keyLogs: ({ vaults }) => vaults.map((contract) => ({ contract, topic: WITHDRAWN, walletAt: 2, keyAt: 2 })),

  positions({ reader, wallet, instruments, held, keys, leftOut }) {
    const named = new Set(keys.map(({ contract }) => contract))
    const others = instruments
      .filter(({ address }) => named.has(address) && held.every((vault) => vault.address !== address))
      .map((vault) => ({ ...vault, balanceRaw: 0n }))
    return readAlone([...held, ...others], leftOut, async (vault) => {
      const isNamed = named.has(vault.address)
      const args = [vault.address, wallet, isNamed ? MOST_EPOCHS : OPEN_EPOCHS] as const
      const [staked, waiting, unread] = await reader.lens(epochLens, { functionName: 'account', args })
      if (isNamed && unread > 0n) leftOut(new Error(`epochs before the last ${MOST_EPOCHS} are not read`))
      return draftsOf(vault, staked, waiting)
    })
  },

  async decompose({ reader, instrument, amountRaw }) {
    const vault = { address: instrument.address, abi: epochVaultAbi } as const
    const [stake, shares] = await Promise.all([
      reader.read({ ...vault, functionName: 'activeStake' }),
      reader.read({ ...vault, functionName: 'activeShares' }),
    ])
    return amountsOf(instrument, (amountRaw * (stake + 1n)) / (shares + 1n))
  },

  history: symbioticHistory,
}

async function discoverVault(reader: EvmReader, address: EvmAddress): Promise<Instrument> {
  const collateral = await reader.read({ address, abi: epochVaultAbi, functionName: 'collateral' })
  return { address, role: 'vault', fungible: true, underlyings: [evmAddress(collateral)] }
}

type Waiting = { amount: bigint; unlockAt: bigint }

function draftsOf(vault: Instrument, staked: bigint, waiting: readonly Waiting[]): PositionDraft[] {
  const pool = vault.address
  return [
    { kind: 'staked', label: 'Stake', pool, supplied: amountsOf(vault, staked), receipts: [pool] },
    ...waiting.map(({ amount, unlockAt }): PositionDraft => {
      const facts =
        unlockAt > 0n ? { label: 'Withdrawal, pending', unlockAt: Number(unlockAt) } : { label: 'Withdrawal, ready' }
      return { kind: 'locked', ...facts, pool, supplied: amountsOf(vault, amount) }
    }),
  ]
}

const amountsOf = ({ underlyings }: Instrument, amountRaw: bigint): TokenAmount[] =>
  underlyings.map((token) => ({ token, amountRaw }))
