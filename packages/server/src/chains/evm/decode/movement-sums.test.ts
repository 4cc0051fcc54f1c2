import fc from 'fast-check'
import { toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  type DraftLog,
  draftLog,
  draftNative,
  draftNftTransfer,
  draftTransaction,
  draftTransfer,
  draftWallet,
} from '../../../../test/draft-transaction.ts'
import { addressOf, castDirectory } from '../../../../test/transaction-cases.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import { readTransaction } from './read-transaction.ts'

const weth = addressOf('weth')
const plain = addressOf('usdc')
const other = addressOf('bait')
const aToken = addressOf('aUsdc')
const debt = addressOf('debtUsdc')
const market = addressOf('market')
const vault = addressOf('vault')
const pair = addressOf('pair')
const nft = addressOf('nft')
const manager = addressOf('manager')
const blue = addressOf('blue')
const comet = addressOf('comet')
const shares = addressOf('mvUsdc')
const third = addressOf('other')

/** `changes`: by token and ID. */
type Step = { logs: DraftLog[]; native?: NativeTransfer; changes: readonly (readonly [string, bigint])[] }

const party = fc.constantFrom(
  draftWallet,
  NATIVE,
  third,
  addressOf('rowBridge'),
  pair,
  aToken,
  market,
  comet,
  blue,
  shares,
  manager,
)
const amount = fc.bigInt({ min: 0n, max: 1_000n })
const sides = (key: string, from: EvmAddress, to: EvmAddress, value: bigint): [string, bigint][] => [
  [key, (to === draftWallet ? value : 0n) - (from === draftWallet ? value : 0n)],
]

const tokenStep = fc
  .tuple(fc.constantFrom(plain, other, weth, market, comet, vault, shares, pair, aToken, debt), party, party, amount)
  .map(
    ([token, from, to, value]): Step => ({
      logs: [draftTransfer(token, from, to, value)],
      changes: sides(`${token} null`, from, to, value),
    }),
  )
const nftStep = fc.tuple(fc.constantFrom(nft, manager), party, party, fc.bigInt({ min: 0n, max: 3n })).map(
  ([token, from, to, id]): Step => ({
    logs: [draftNftTransfer(token, from, to, id)],
    changes: sides(`${token} ${id}`, from, to, 1n),
  }),
)
const nativeStep = fc
  .tuple(party, party, amount)
  .filter(([from, to]) => from === draftWallet || to === draftWallet)
  .map(
    ([from, to, value]): Step => ({
      logs: [],
      native: draftNative(from, to, value),
      changes: sides(`${NATIVE} null`, from, to, value),
    }),
  )
/** Aave v3's log: the transfer includes principal and interest. */
const accruedStep = fc.tuple(fc.constantFrom(aToken, debt), amount, amount).map(
  ([token, principal, interest]): Step => ({
    logs: [
      draftTransfer(token, NATIVE, draftWallet, principal + interest),
      draftLog(
        token,
        'Mint(address,address,uint256,uint256,uint256)',
        [manager, draftWallet],
        [principal + interest, interest, 1n],
      ),
    ],
    changes: [[`${token} null`, principal]],
  }),
)
/** Events about other logs, true or false: they must not change the movements. */
const talk = fc
  .tuple(
    fc.constantFrom(
      'IncreaseLiquidity(uint256,uint128,uint256,uint256)',
      'DecreaseLiquidity(uint256,uint128,uint256,uint256)',
      'Collect(uint256,address,uint256,uint256)',
      'Borrow(address,uint256,uint256,uint256)',
      'RepayBorrow(address,address,uint256,uint256,uint256)',
      'LiquidateBorrow(address,address,uint256,address,uint256)',
      'Mint(address,address,int24,int24,uint128,uint256,uint256)',
    ),
    fc.constantFrom(manager, market, pair),
    fc.array(fc.oneof(amount, party), { maxLength: 6 }),
  )
  .map(([event, address, data]): Step => ({ logs: [draftLog(address, event, [1n], data)], changes: [] }))

/** Compound v3's account logs, for any wallet and amount. */
const accountTalk = fc
  .tuple(
    fc.constantFrom(
      'Supply(address,address,uint256)',
      'Withdraw(address,address,uint256)',
      'SupplyCollateral(address,address,address,uint256)',
      'WithdrawCollateral(address,address,address,uint256)',
      'AbsorbDebt(address,address,uint256,uint256)',
      'RewardClaimed(address,address,address,uint256)',
    ),
    fc.tuple(party, party, fc.constantFrom(plain, weth, comet, NATIVE)),
    fc.array(amount, { maxLength: 2 }),
  )
  .map(([event, indexed, data]): Step => ({ logs: [draftLog(comet, event, indexed, data)], changes: [] }))

/** Morpho Blue's position logs for any wallet, with the following transfers or others. */
const marketTalk = fc
  .tuple(
    fc.constantFrom(
      'Supply(bytes32,address,address,uint256,uint256)',
      'Withdraw(bytes32,address,address,address,uint256,uint256)',
      'SupplyCollateral(bytes32,address,address,uint256)',
      'WithdrawCollateral(bytes32,address,address,address,uint256)',
      'Borrow(bytes32,address,address,address,uint256,uint256)',
      'Repay(bytes32,address,address,uint256,uint256)',
      'Liquidate(bytes32,address,address,uint256,uint256,uint256,uint256,uint256)',
    ),
    fc.tuple(fc.constantFrom(1n, 2n), party, party),
    fc.tuple(party, amount, fc.integer({ min: 0, max: 5 })),
    fc.tuple(party, party),
  )
  .map(([event, indexed, [caller, value, words], [from, to]]): Step => {
    const data = [caller, value, value, value, 0n].slice(event.startsWith('Withdraw') || event.startsWith('B') ? 0 : 1)
    const transfers = [
      [plain, from, blue],
      [weth, blue, to],
    ] as const
    return {
      logs: [
        draftLog(blue, event, indexed, data.slice(0, words)),
        ...transfers.map(([token, giver, taker]) => draftTransfer(token, giver, taker, value)),
      ],
      changes: transfers.flatMap(([token, giver, taker]) => sides(`${token} null`, giver, taker, value)),
    }
  })

const facts = fc.record({
  from: fc.constantFrom(draftWallet, third),
  to: party,
  selector: fc.constantFrom(
    '0x12345678',
    '0xb6b55f25',
    '0x2e1a7d4d',
    '0x3d18b912',
    '0xe2bbb158',
  ) as fc.Arbitrary<`0x${string}`>,
})

function sumsOf(pairs: readonly (readonly [string, bigint])[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {}
  for (const [key, value] of pairs) sums[key] = (sums[key] ?? 0n) + value
  return Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== 0n))
}

describe('whatever a receipt says', () => {
  it('the movements of a token add up to what it changed by', () => {
    const step = fc.oneof(tokenStep, nftStep, nativeStep, accruedStep, talk, accountTalk, marketTalk)
    fc.assert(
      fc.property(fc.array(step, { maxLength: 9 }), facts, (steps, about) => {
        const logs = steps.flatMap((one) => one.logs)
        const nativeTransfers = steps.flatMap(({ native }) => native ?? [])
        const tx = draftTransaction(logs, { ...about, nativeTransfers, feeRaw: 3n })
        const { movements } = readTransaction(tx, draftWallet, castDirectory)
        const paid: [string, bigint][] = about.from === draftWallet ? [[`${NATIVE} null`, -3n]] : []
        expect(sumsOf(movements.map(({ token, tokenId, amountRaw }) => [`${token} ${tokenId}`, amountRaw]))).toEqual(
          sumsOf([...steps.flatMap(({ changes }) => changes), ...paid]),
        )
        const kept: readonly string[] = [manager, comet, blue]
        expect(movements.filter(({ amountRaw, token }) => amountRaw === 0n && !kept.includes(token))).toEqual([])
        if (about.from === draftWallet) expect(movements.at(-1)?.treatment).toBe('fee')
      }),
      { numRuns: 3_000 },
    )
  })

  it('it is read', () => {
    const topic = fc.constantFrom(
      ...[
        'Transfer(address,address,uint256)',
        'TransferSingle(address,address,address,uint256,uint256)',
        'TransferBatch(address,address,address,uint256[],uint256[])',
        'Deposit(address,uint256)',
        'Withdrawal(address,uint256)',
        'Approval(address,address,uint256)',
        'Mint(address,address,uint256,uint256,uint256)',
        'Burn(address,address,uint256,uint256,uint256)',
        'Collect(uint256,address,uint256,uint256)',
        'IncreaseLiquidity(uint256,uint128,uint256,uint256)',
        'LiquidateBorrow(address,address,uint256,address,uint256)',
        'Supply(address,address,uint256)',
        'SupplyCollateral(address,address,address,uint256)',
        'AbsorbDebt(address,address,uint256,uint256)',
      ].map((event) => toEventSelector(`event ${event}`)),
    )
    const word = fc.constantFrom(
      `0x${draftWallet.slice(2).padStart(64, '0')}`,
      `0x${'f'.repeat(64)}`,
      `0x${'0'.repeat(64)}`,
    )
    const data = fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
    const log = fc.record({
      address: fc.constantFrom(plain, weth, aToken, market, comet, manager, nft),
      topics: fc.oneof(
        fc.constant([]),
        fc.tuple(topic, fc.array(word, { maxLength: 3 })).map(([first, more]) => [first, ...more]),
      ),
      data: fc.oneof(data, word),
    }) as fc.Arbitrary<DraftLog>
    fc.assert(
      fc.property(fc.array(log, { maxLength: 8 }), (logs) => {
        expect(readTransaction(draftTransaction(logs), draftWallet, castDirectory).type).not.toBe('UNDEFINED')
      }),
      { numRuns: 2_000 },
    )
  })
})
