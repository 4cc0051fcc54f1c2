import { expect, it } from 'vitest'
import {
  type DraftLog,
  draftAddress,
  draftLog,
  draftTransaction,
  draftTransfer,
  draftWallet,
} from '../../../../../test/draft-transaction.ts'
import { NATIVE } from '../../../../domain/evm-address.ts'
import { findChain } from '../../../chain-catalog.ts'
import { chains } from '../../../chain-types.ts'
import { createHistoryBook } from '../../decode/book.ts'
import { readTransaction } from '../../decode/read-transaction.ts'
import { bindProtocol, protocolRows } from '../protocols.ts'

const WAD = 10n ** 18n
const [first, mkr, sky] = [
  '0x2b16c07d5fd5cc701a0a871eae2aad6da5fc8f12',
  '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2',
  '0x56072c95faa701256059aa122697b133aded9279',
] as const
const wallet = draftWallet
const [other, urn, farm, usds] = [draftAddress(0x0e), draftAddress(0x20), draftAddress(0x21), draftAddress(0x22)]

const facts = findChain('ethereum', chains)
const row = protocolRows.find(({ key }) => key === 'sky_staking')
if (!facts || !row) throw new Error('the catalog has no staking engine')
const book = createHistoryBook({
  ...{ chain: facts, rows: [{ deployment: bindProtocol(row), protocolContracts: [] }], bridges: [] },
  ...{ isListed: () => true, isSpam: () => false },
})

function readLogs(...logs: readonly DraftLog[]) {
  const { type, protocol, movements } = readTransaction(draftTransaction(logs, { to: first }), wallet, book)
  const moved = movements.filter(({ treatment }) => treatment !== 'fee')
  return { type, protocol, moved: moved.map(({ token, amountRaw, treatment }) => [token, amountRaw, treatment]) }
}

const movedBy = (token: string, amountRaw: bigint) => [
  [token, amountRaw, 'move'],
  [first, 0n, 'move'],
]

it('the first engine takes and gives SKY for the MKR that it locks', () => {
  const locked = readLogs(
    draftTransfer(sky, wallet, first, 24_000n * WAD),
    draftTransfer(mkr, NATIVE, first, WAD),
    draftLog(first, 'LockSky(address,uint256,uint256,uint16)', [wallet, 4n], [24_000n * WAD, 0n]),
  )
  expect(locked).toEqual({
    ...{ type: 'STAKE', protocol: 'sky_staking' },
    moved: movedBy(sky, -24_000n * WAD),
  })
  const freed = readLogs(
    draftTransfer(sky, NATIVE, wallet, 22_800n * WAD),
    draftLog(
      first,
      'FreeSky(address,uint256,address,uint256,uint256)',
      [wallet, 4n],
      [wallet, 24_000n * WAD, 22_800n * WAD],
    ),
  )
  expect(freed).toMatchObject({ type: 'UNSTAKE', moved: movedBy(sky, 22_800n * WAD) })
})

it('the migration to another engine takes out all, without the fee', () => {
  const freed = readLogs(
    draftTransfer(mkr, first, wallet, 7n * WAD),
    draftLog(first, 'FreeNoFee(address,uint256,address,uint256)', [wallet, 0n], [wallet, 7n * WAD]),
  )
  expect(freed).toMatchObject({ type: 'UNSTAKE', moved: movedBy(mkr, 7n * WAD) })
})

it('a reward that is claimed to another, and positions of another, are none of the wallet', () => {
  const reward = 'GetReward(address,uint256,address,address,uint256)'
  const claimed = readLogs(
    draftTransfer(usds, urn, other, 5n),
    draftLog(first, reward, [wallet, 0n, farm], [other, 5n]),
    draftTransfer(usds, urn, wallet, 9n),
    draftLog(first, reward, [other, 0n, farm], [wallet, 9n]),
  )
  expect(claimed.moved).toEqual([[usds, 9n, 'acquire']])
})
