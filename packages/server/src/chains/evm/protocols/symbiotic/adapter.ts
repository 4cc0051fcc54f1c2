import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, Step } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, type ProtocolContract, rowsByChain } from '../adapter.ts'
import { addressSchema, discoverEach, readAlone } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { epochLens } from './epoch-lens.bytecode.ts'

const deployment = z.strictObject({ vaults: z.array(addressSchema).min(1) })

type Deployment = z.infer<typeof deployment>

const epochVaultAbi = parseAbi([
  'function collateral() view returns (address)',
  'function activeStake() view returns (uint256)',
  'function activeShares() view returns (uint256)',
])

/** Some 3,500 gas each. An epoch is a week or more. */
const MOST_EPOCHS = 512n
/** Without a logged withdrawal: the current and the next. */
const OPEN_EPOCHS = 2n

/** Withdrawals can be slashed until the next epoch ends; logs name their claimants. */
export const symbiotic: ProtocolAdapter<Deployment> = {
  name: 'symbiotic',
  deployment,
  /** Source: sparkdotfi/spark-address-registry (19 August 2026), `Ethereum.sol`: stSPK. */
  rows: rowsByChain({ key: 'symbiotic', name: 'Symbiotic', siteUrl: 'https://symbiotic.fi' }, chains),
  lenses: [epochLens],
  eachAlone: true,

  discover: ({ reader, deployment: { vaults } }) =>
    discoverEach(reader, vaults, async (address) => {
      const collateral = await reader.read({ address, abi: epochVaultAbi, functionName: 'collateral' })
      return { address, role: 'vault', fungible: true, underlyings: [evmAddress(collateral)] }
    }),

  /** The position ID is the wallet itself, so that spam cannot add IDs. */
  keyLogs: ({ vaults }) => vaults.map((contract) => ({ contract, topic: WITHDRAWN, walletAt: 2, keyAt: 2 })),

  positions({ reader, wallet, protocolContracts, held, keys, leftOut }) {
    const named = new Set(keys.map(({ contract }) => contract))
    const others = protocolContracts
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

  async decompose({ reader, protocolContract, amountRaw }) {
    const vault = { address: protocolContract.address, abi: epochVaultAbi } as const
    const [stake, shares] = await Promise.all([
      reader.read({ ...vault, functionName: 'activeStake' }),
      reader.read({ ...vault, functionName: 'activeShares' }),
    ])
    return amountsOf(protocolContract, (amountRaw * (stake + 1n)) / (shares + 1n))
  },

  /** A claim of several epochs logs only their sum, so withdrawals share one position. */
  history: () => ({ purposes: { vault: 'stake' }, step }),
}

function draftsOf(
  vault: ProtocolContract,
  staked: bigint,
  waiting: readonly { amount: bigint; unlockAt: bigint }[],
): PositionDraft[] {
  const pool = vault.address
  return [
    { kind: 'staked', label: 'Stake', pool, supplied: amountsOf(vault, staked), receipts: [pool] },
    ...waiting.map(
      ({ amount, unlockAt }): PositionDraft => ({
        kind: 'locked',
        label: `Withdrawal, ${unlockAt > 0n ? 'pending' : 'ready'}`,
        pool,
        supplied: amountsOf(vault, amount),
        ...(unlockAt > 0n && { unlockAt: Number(unlockAt) }),
      }),
    ),
  ]
}

const amountsOf = ({ underlyings }: ProtocolContract, amountRaw: bigint): TokenAmount[] =>
  underlyings.map((token) => ({ token, amountRaw }))

/** Payer, share owner; amount, shares. */
const DEPOSITED = topicOf('Deposit(address,address,uint256,uint256)')
/** Share owner, claimer; amount, burnt shares, shares of the epoch. */
const WITHDRAWN = topicOf('Withdraw(address,address,uint256,uint256,uint256)')
/** Claimer, recipient; epoch or epochs, amount. */
const CLAIMED = topicOf('Claim(address,address,uint256,uint256)')
const CLAIMED_SEVERAL = topicOf('ClaimBatch(address,address,uint256[],uint256)')

function step(log: ReceiptLog, wallet: EvmAddress, { underlyings: [token] }: LogContext): Step | undefined {
  const [amountRaw, paid] = [word(log, 0), word(log, 1)]
  if (!token || amountRaw === undefined || paid === undefined) return undefined
  const parties = [addressTopic(log, 1), addressTopic(log, 2)] as const
  switch (log.topics[0]) {
    case DEPOSITED:
      return given({ token, amountRaw }, wallet, parties)
    case WITHDRAWN: {
      const receipt = { token: log.address, amountRaw: paid }
      if (parties[1] !== wallet) return given(receipt, wallet, parties)
      const position = { contract: log.address, id: 0n }
      return { kind: 'request', purpose: 'unstake', position, receipt, due: { token, amountRaw } }
    }
    case CLAIMED:
    case CLAIMED_SEVERAL:
      return claimed(log, { token, amountRaw: paid }, wallet, parties)
    default:
      return undefined
  }
}

type Amount = { token: EvmAddress; amountRaw: bigint }
type Parties = readonly [from: EvmAddress | undefined, to: EvmAddress | undefined]

const given = (amount: Amount, wallet: EvmAddress, [from, to]: Parties): Step | undefined =>
  from === wallet && to !== wallet ? { kind: 'send', ...amount, other: to } : undefined

function claimed({ address }: ReceiptLog, amount: Amount, wallet: EvmAddress, [from, to]: Parties): Step | undefined {
  if (to !== wallet) return undefined
  if (from !== wallet) return { kind: 'receive', ...amount, other: from }
  return { kind: 'take', purpose: 'unstake', position: { contract: address, id: 0n }, ...amount }
}
