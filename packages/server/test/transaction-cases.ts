import { readFileSync } from 'node:fs'
import { toFunctionSelector } from 'viem'
import type { Chain } from '../src/chains/chain.ts'
import { evmChains } from '../src/chains/evm/chains.ts'
import {
  type Bridge,
  bridgeRows,
  type ContractDirectory,
  createContractDirectory,
} from '../src/chains/evm/decode/contract-directory.ts'
import type { ContractLabel } from '../src/chains/evm/decode/contract-labels.ts'
import { readTransaction } from '../src/chains/evm/decode/read-transaction.ts'
import { bindProtocol, protocolRows } from '../src/chains/evm/protocols/protocols.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../src/domain/evm-address.ts'
import type { ChainTransaction, Movement, NativeTransfer } from '../src/domain/transaction.ts'
import {
  type DraftLog,
  draftAddress,
  draftLog,
  draftNative,
  draftNftTransfer,
  draftTransaction,
  draftTransfer,
} from './draft-transaction.ts'

/** `it`: the called contract, where a case names no other. */
const DRAFTED = `wallet other it gateway spender unknown usdc dai weth nft reward bait maker coinFace usdcFace
  pool share pair vault farm market ether comet bpt aUsdc aWeth debtUsdc stableUsdc oldAUsdc oldStableUsdc rowlessVault
  bridge rowBridge stakePool distributor settler restaked lender mvUsdc`.split(/\s+/)

const deploymentOf = (key: string) => {
  const row = protocolRows.find((one) => one.key === key && (one.chain === 'ethereum' || one.chain === 'hyperevm'))
  if (!row) throw new Error(`the catalog has no ${key}`)
  return { row, deployment: bindProtocol(row) }
}
const published = (key: string, name: string) => deploymentOf(key).row.deployment[name] as EvmAddress

const ADDRESSES: Readonly<Record<string, EvmAddress>> = {
  ...Object.fromEntries(DRAFTED.map((name, i) => [name, draftAddress(i + 1)])),
  zero: NATIVE,
  native: NATIVE,
  manager: published('uniswap_v3', 'manager'),
  comptroller: published('compound_v2', 'comptroller'),
  stEth: published('lido', 'stEth'),
  wstEth: published('lido', 'wstEth'),
  blue: published('morpho', 'blue'),
  balancer: evmAddress(`${deploymentOf('balancer').deployment.contracts[0]}`),
  across: bridgeRows.find(({ key }) => key === 'across')?.contracts['ethereum']?.[0] as EvmAddress,
  entryPoint: '0x0000000071727de22e5e9d8baf0edac6f37da032',
  layerZero: '0x1a44076050125825900e736c501f859c50fe728c',
  hypeGate: '0x2222222222222222222222222222222222222222',
  tokenGate: '0x20000000000000000000000000000000000000c5',
  besideGates: '0x20000000000000000000000100000000000000c5',
  mkr: '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2',
  sky: '0x56072c95faa701256059aa122697b133aded9279',
  skyEngine: '0x2b16c07d5fd5cc701a0a871eae2aad6da5fc8f12',
}

export const castNames = Object.keys(ADDRESSES)

export function addressOf(name: string): EvmAddress {
  const address = ADDRESSES[name]
  if (!address) throw new Error(`no contract is named ${name}`)
  return address
}

/** Contracts by protocol: name, role, underlyings. */
const CONTRACTS: Readonly<Record<string, readonly string[]>> = {
  aave_v3: ['aUsdc supply usdc', 'aWeth supply weth', 'debtUsdc debt usdc', 'stableUsdc debt usdc'],
  aave_v2: ['oldAUsdc supply usdc', 'oldStableUsdc debt usdc'],
  compound_v2: ['market market usdc', 'ether market native'],
  compound_v3: ['comet base usdc'],
  morpho: ['mvUsdc vault usdc'],
  erc4626: ['vault vault dai'],
  uniswap_v2: ['pair pair usdc weth'],
  uniswap_v3: ['manager manager'],
  lido: ['stEth staked', 'wstEth wrapped stEth'],
  balancer: ['bpt share usdc dai'],
  uniswap_liquidity_mining: ['farm pool dai dai'],
  hyperliquid: [],
  sky_staking: [],
}

const rows = Object.entries(CONTRACTS).map(([key, contracts]) => ({
  deployment: deploymentOf(key).deployment,
  protocolContracts: contracts.map((text) => {
    const [name = '', role = '', ...underlyings] = text.split(' ')
    const fungible = role !== 'debt' && role !== 'manager'
    return { address: addressOf(name), role, fungible, underlyings: underlyings.map(addressOf) }
  }),
}))

const LABELS: Readonly<Record<string, ContractLabel>> = {
  bridge: { protocol: 'span', role: 'bridge' },
  stakePool: { protocol: 'restake', role: 'staking' },
  distributor: { protocol: 'restake', role: 'distributor' },
  restaked: { protocol: 'restake', role: 'other' },
  settler: { protocol: 'batch', role: 'exchange' },
  lender: { protocol: 'lender', role: 'lending' },
}
const labels = new Map(Object.entries(LABELS).map(([name, label]) => [addressOf(name), label]))

const span: Bridge = { key: 'span', name: 'Span', contracts: { ethereum: [addressOf('rowBridge')], base: [] } }

export const ethereum = evmChains.find(({ key }) => key === 'ethereum') as Chain

export const castDirectory = createContractDirectory({
  chain: {
    ...ethereum,
    wrappedNative: addressOf('weth'),
    nativeErc20s: [addressOf('coinFace')],
    secondFaces: { [addressOf('usdcFace')]: addressOf('usdc') },
  },
  rows,
  bridges: [...bridgeRows, span],
  labelOf: (address) => labels.get(address),
  isListed: (token) => !['bait', 'other', 'unknown'].map(addressOf).includes(token),
  isSpam: (token) => token === addressOf('bait'),
})

type Draft = { logs: DraftLog[]; nativeTransfers: NativeTransfer[]; facts: Partial<ChainTransaction>; it: EvmAddress }

/** `id`: of an NFT. */
function transfer(draft: Draft, token: string, id: string | undefined, [from, to]: EvmAddress[], amount: string) {
  if (!from || !to) throw new Error(`a transfer of ${token} has two sides`)
  if (token === 'native') draft.nativeTransfers.push(draftNative(from, to, BigInt(amount)))
  else if (id !== undefined) draft.logs.push(draftNftTransfer(at(draft, token), from, to, BigInt(id)))
  else draft.logs.push(draftTransfer(at(draft, token), from, to, BigInt(amount)))
}

const at = ({ it }: Draft, name: string) => (name === 'it' ? it : addressOf(name))

/** Space before each word. */
function wordsIn(draft: Draft, text = ''): (EvmAddress | bigint)[] {
  const words = text.split(' ').filter((word) => word !== '')
  return words.map((word) => {
    // The ID of a pool of Balancer begins with its address.
    if (word.endsWith('<<96')) return BigInt(at(draft, word.slice(0, -4))) << 96n
    return /^\d/.test(word) ? BigInt(word) : at(draft, word)
  })
}

/** Forms of an item of a case, as `evm-transactions.txt` describes them. */
const FORMS: readonly (readonly [RegExp, (draft: Draft, ...found: string[]) => void])[] = [
  [/^from (\w+)$/, ({ facts }, name = '') => Object.assign(facts, { from: addressOf(name) })],
  [
    /^to (\w+)$/,
    (draft, name = '') => {
      draft.it = addressOf(name)
    },
  ],
  [/^call (.+)$/, ({ facts }, called) => Object.assign(facts, { selector: toFunctionSelector(`function ${called}`) })],
  [/^fails$/, ({ facts }) => Object.assign(facts, { succeeded: false })],
  [/^gas (\d+)$/, ({ facts }, amount = '') => Object.assign(facts, { feeRaw: BigInt(amount) })],
  [/^gas in a token$/, ({ facts }) => Object.assign(facts, { feeInToken: true })],
  [
    /^([-+])(\d+) (\w+)(?:#(\d+))?(?: (\w+))?$/,
    (draft, sign, amount = '', token = '', id, other = 'it') => {
      const sides = [addressOf('wallet'), at(draft, other)]
      transfer(draft, token, id, sign === '-' ? sides : sides.toReversed(), amount)
    },
  ],
  [
    /^(\w+)(?:#(\d+))? (\w+) > (\w+)(?: (\d+))?$/,
    (draft, token = '', id, from = '', to = '', amount = '1') =>
      transfer(draft, token, id, [at(draft, from), at(draft, to)], amount),
  ],
  [
    /^(\w+) (\w+) > (\d+) others (\d+)$/,
    (draft, token = '', from = '', count, amount = '') => {
      for (const to of Array.from({ length: Number(count) }, (_, i) => draftAddress(1_000 + i)))
        transfer(draft, token, undefined, [at(draft, from), to], amount)
    },
  ],
  [
    /^(\w+) (\w+\(.*\))((?: [\w<]+)*)(?: \|((?: [\w<]+)*))?$/,
    (draft, by = '', event = '', indexed, data) =>
      draft.logs.push(draftLog(at(draft, by), event, wordsIn(draft, indexed), wordsIn(draft, data))),
  ],
]

/** `it`: the called contract. */
export function transactionOf(items: string, it = addressOf('it')): ChainTransaction {
  const draft: Draft = { logs: [], nativeTransfers: [], facts: { feeRaw: 0n }, it }
  for (const item of items.split('; ').filter((text) => text !== '')) {
    const form = FORMS.find(([pattern]) => pattern.test(item))
    if (!form) throw new Error(`no form of an item: ${item}`)
    const [pattern, apply] = form
    apply(draft, ...(pattern.exec(item)?.slice(1) ?? []))
  }
  const { logs, nativeTransfers, facts } = draft
  return draftTransaction(logs, { ...facts, to: draft.it, nativeTransfers })
}

export type TransactionCase = { title: string; items: string; expected: string }

/** By section. */
export function readCases(): ReadonlyMap<string, readonly TransactionCase[]> {
  const text = readFileSync(new URL('evm-transactions.txt', import.meta.url), 'utf8')
  const parts = text.split(/^# /m).slice(1)
  const sections = new Map(
    parts.map((part) => {
      const [name = '', ...blocks] = part.trim().split(/\n(?=\S)/)
      return [name, blocks.map(caseIn)]
    }),
  )
  if (sections.size < parts.length) throw new Error('two sections of the cases have one name')
  return sections
}

function caseIn(block: string): TransactionCase {
  const [title = '', ...lines] = block.trim().split(/\s*\n\s*/)
  const [items = '', expected = ''] = ` ${lines.join(' ')}`.split(/ = /)
  return { title, items: items.trim(), expected }
}

const names = new Map(Object.entries(ADDRESSES).map(([name, address]) => [address, name]))

const nameOf = (address: string) => names.get(address as EvmAddress) ?? address

/** Type and protocol, then each movement: leg but the first, treatment, amount and token, other side if asked for. */
export function readingOf(
  tx: ChainTransaction,
  directory: ContractDirectory = castDirectory,
  withOthers = false,
): string {
  const { type, protocol, movements } = readTransaction(tx, addressOf('wallet'), directory)
  const moved = movements.map((movement) => lineOf(movement, withOthers)).join(', ')
  return `${type}${protocol ? ` ${protocol}` : ''}${moved ? `: ${moved}` : ''}`
}

function lineOf({ leg, treatment, amountRaw, token, tokenId, debt, counterparty }: Movement, withOthers: boolean) {
  const thing = `${nameOf(token)}${tokenId === null || amountRaw === 0n ? '' : `#${tokenId}`}${debt ? ' owed' : ''}`
  const other = withOthers && counterparty ? ` @${counterparty === NATIVE ? 'zero' : nameOf(counterparty)}` : ''
  return `${leg ? `${leg} ` : ''}${treatment} ${amountRaw} ${thing}${other}`
}
