import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type DraftLog,
  draftLog,
  draftNative,
  draftNftTransfer,
  draftTransaction,
  draftTransfer,
} from '../../../../test/draft-transaction.ts'
import { createTokenCatalog } from '../../../catalog/token-catalog.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction, WalletTransaction } from '../../../domain/transaction.ts'
import { findChain } from '../../chain-catalog.ts'
import { chains } from '../../chain-types.ts'
import type { ProtocolContract } from '../protocols/adapter.ts'
import { bindProtocol, protocolRows } from '../protocols/protocols.ts'
import { bridgeRows, type ContractDirectory, createContractDirectory } from './contract-directory.ts'
import { labelsOf } from './contract-labels.ts'
import { readTransaction } from './read-transaction.ts'

type Hex = `0x${string}`
type Transfer = [
  kind: 'erc20' | 'erc721' | 'erc1155' | 'wrap',
  token: EvmAddress,
  from: EvmAddress,
  to: EvmAddress,
  id: string | null,
  amount: string,
]
type Moved = [token: EvmAddress, id: string | null, amount: string]

/** Real transactions. test/mainnet/README.md lists their sources and the facts that were judged by hand. */
type Fact = {
  name: string
  chain: string
  hash: Hex
  block: number
  blockHash: Hex
  time: number
  from: EvmAddress
  to: EvmAddress
  selector: Hex
  value: string
  fee: string
  transfers: Transfer[]
  /** Coin moved by inner calls. */
  inner: [from: EvmAddress, to: EvmAddress, amount: string][]
  wallets: { wallet: EvmAddress; type: string; protocol: string | null; moved: Moved[] }[]
}

const path = new URL('../../../../test/mainnet/transactions.json', import.meta.url)
const facts = JSON.parse(readFileSync(path, 'utf8')) as Fact[]
const tokens = createTokenCatalog({ chains, configTokens: [] })

/** Node data about contracts, limited to these transactions: FOX and WETH are the pair's tokens. */
const pair: ProtocolContract = {
  address: '0x470e8de2ebaef52014a47cb5e6af86884947f08c',
  role: 'pair',
  fungible: true,
  underlyings: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', '0xc770eefad204b5180df6a14ee197d99d808ee52d'],
}

const books = new Map(
  [...new Set(facts.map(({ chain }) => chain))].map(
    (key) => [key, directoryOf(key)] satisfies [string, ContractDirectory],
  ),
)

/** Composed like the service's `HistoryBook`, without a node. */
function directoryOf(key: string): ContractDirectory {
  const chain = findChain(key, chains)
  if (!chain) throw new Error(`${key} is no chain`)
  const rows = protocolRows.filter((row) => row.chain === key).map(bindProtocol)
  const isListed = (token: EvmAddress) => tokens.find(key, token) !== undefined
  return createContractDirectory({
    chain,
    rows: rows.map((deployment) => ({
      deployment,
      protocolContracts: deployment.key === 'uniswap_v2' ? [pair] : undefined,
    })),
    bridges: bridgeRows,
    labelOf: labelsOf(key),
    isListed,
    isSpam: () => false,
  })
}

function logOf([kind, token, from, to, id, amount]: Transfer): DraftLog {
  switch (kind) {
    case 'erc20':
      return draftTransfer(token, from, to, BigInt(amount))
    case 'erc721':
      return draftNftTransfer(token, from, to, BigInt(id ?? 0))
    case 'erc1155':
      return draftLog(
        token,
        'TransferSingle(address,address,address,uint256,uint256)',
        [NATIVE, from, to],
        [BigInt(id ?? 0), BigInt(amount)],
      )
    case 'wrap':
      return from === NATIVE
        ? draftLog(token, 'Deposit(address,uint256)', [to], [BigInt(amount)])
        : draftLog(token, 'Withdrawal(address,uint256)', [from], [BigInt(amount)])
  }
}

function transactionOf({ hash, block, blockHash, time, from, to, selector, ...fact }: Fact): ChainTransaction {
  const own = fact.value === '0' ? [] : [draftNative(from, to, BigInt(fact.value))]
  const inner = fact.inner.map(([giver, taker, amount]) => draftNative(giver, taker, BigInt(amount)))
  const place = { hash, block: BigInt(block), blockHash, time }
  const call = { from, to, selector, feeRaw: BigInt(fact.fee) }
  return draftTransaction(fact.transfers.map(logOf), { ...place, ...call, nativeTransfers: [...own, ...inner] })
}

/** Sums each token's movements in the format of the facts, without those that cancel each other. */
function movedIn({ movements }: WalletTransaction): Moved[] {
  const keyOf = ({ token, tokenId }: { token: string; tokenId: bigint | null }) => `${token} ${tokenId ?? ''}`
  const groups = [...Map.groupBy(movements, keyOf)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return groups.flatMap(([key, parts]) => {
    const [token = '', id] = key.split(' ')
    const sum = parts.reduce((total, { amountRaw }) => total + amountRaw, 0n)
    return sum === 0n ? [] : [[token as EvmAddress, id || null, String(sum)] satisfies Moved]
  })
}

const cases = facts.flatMap((fact) =>
  fact.wallets.map((expected) => {
    const directory = books.get(fact.chain)
    if (!directory) throw new Error(`no directory of ${fact.chain}`)
    const reported = readTransaction(transactionOf(fact), expected.wallet, directory)
    return { name: `${fact.chain} ${fact.name} ${fact.hash} ${expected.wallet}`, expected, reported }
  }),
)

/** Each of these may be wrong within the service's allowed share. A failure lists all deviations. */
function deviationsOf(of: 'type' | 'protocol', among: typeof cases): string[] {
  return among.flatMap(({ name, expected, reported }) =>
    reported[of] === expected[of] ? [] : [`${name}: ${reported[of]}, expected ${expected[of]}`],
  )
}

describe('real transactions of main networks', () => {
  it('are many, of several chains', () => {
    expect(facts.length).toBeGreaterThanOrEqual(120)
    expect(books.size).toBeGreaterThanOrEqual(3)
  })

  it.each(cases)('moved what their transfers say: $name', ({ expected, reported }) => {
    expect(movedIn(reported)).toEqual(expected.moved)
  })

  it('have their type in 97 of 100', () => {
    const wrong = deviationsOf('type', cases)
    expect(wrong.length / cases.length, wrong.join('\n')).toBeLessThanOrEqual(0.03)
  })

  it('have their protocol named in 90 of 100', () => {
    const called = cases.filter(({ expected }) => expected.protocol !== null)
    const wrong = deviationsOf('protocol', called)
    expect(called.length).toBeGreaterThanOrEqual(70)
    expect(wrong.length / called.length, wrong.join('\n')).toBeLessThanOrEqual(0.1)
  })

  it('have no protocol where they call none', () => {
    const others = cases.filter(({ expected }) => expected.protocol === null)
    expect(deviationsOf('protocol', others)).toEqual([])
  })
})
