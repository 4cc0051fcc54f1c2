import { keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import {
  draftAddress,
  draftLog,
  draftNative,
  draftTransaction,
  draftWallet,
} from '../../../../test/draft-transaction.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import type { Chain } from '../../chain.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmSearchContext } from './discovery.ts'
import { createReadHistory } from './read-history.ts'

const PAID = 'PaidOut(uint256)'
const [payer, outsider] = [draftAddress(0x51), draftAddress(0x52)]
const chain = { key: 'ethereum', wrappedNative: null, nativeErc20s: [] } as unknown as Chain
const recognisable = new Set([payer])

/** A protocol that pays from each wallet's own contract, whose log names no wallet. */
const deployment = {
  ...{ id: 'owned', key: 'owned', chain: 'ethereum', contracts: [] },
  history: {
    purposes: {},
    leadsTo: ({ address, topics }: ReceiptLog) => (topics[0] === keccak256(toHex(PAID)) ? address : undefined),
    step: () => ({ kind: 'claim', token: NATIVE, amountRaw: 7n }),
  },
} as unknown as ProtocolDeployment

function open() {
  const known: ProtocolContract[] = []
  const rows = async () => [{ deployment, protocolContracts: [...known] }]
  const tokens = { of: async () => ({ find: () => undefined, load: async () => undefined }) }
  const ask = async (_: Chain, found: readonly EvmAddress[]) => {
    const own = found.filter((address) => recognisable.has(address))
    known.push(...own.map((address) => ({ address, role: 'owned', fungible: false, underlyings: [] })))
    return new Set(own)
  }
  return createReadHistory({
    ...{ chains: new Map([[chain.key, chain]]), protocolContracts: { rowsOf: rows, allRowsOf: rows }, tokens },
    ...{ recognise: { ask }, origins: { learn: async () => undefined, find: () => undefined } },
    settings: { bridges: [], labels: [] },
  } as unknown as EvmSearchContext)
}

test('a contract that names no wallet is recognised where its log leads to it, before the transaction is read', async () => {
  const { read } = open()
  const paidBy = (address: typeof payer) =>
    draftTransaction([draftLog(address, PAID, [], [7n])], { nativeTransfers: [draftNative(address, draftWallet, 7n)] })
  const found = await read({ chain: 'ethereum', wallet: draftWallet }, [paidBy(payer), paidBy(outsider)])
  expect(found.map(({ type, protocol }) => [type, protocol])).toEqual([
    ['CLAIM', 'owned'],
    ['TRANSFERIN', null],
  ])
})
