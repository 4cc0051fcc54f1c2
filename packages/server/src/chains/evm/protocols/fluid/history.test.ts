import { encodeAbiParameters, getContractAddress, type Hex, pad, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { topicOf } from '../../decode/log-words.ts'
import { fluidHistory } from './history.ts'

const named = (digit: string): EvmAddress => `0x${digit.repeat(40)}`
const [liquidity, vaultFactory, wallet] = [named('1'), named('2'), named('3')]
const [dex, usdc, outsider] = [named('4'), named('5'), named('6')]
const COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const vault = evmAddress(getContractAddress({ from: vaultFactory, nonce: 300n }))
const history = fluidHistory({ liquidity, vaultFactory })

let logIndex = 0
function logOf(address: EvmAddress, topics: readonly Hex[], words: readonly (bigint | Hex)[]): ReceiptLog {
  const data = encodeAbiParameters(
    words.map(() => ({ type: 'int256' })),
    words.map(BigInt),
  )
  logIndex += 1
  return { address, topics: [...topics], data, logIndex }
}

const MOVED = topicOf('LogOperate(address,address,int256,int256,address,address,uint256,uint256)')
const moved = (user: EvmAddress, token: EvmAddress, [supplied, borrowed]: readonly [bigint, bigint], by = liquidity) =>
  logOf(by, [MOVED, pad(user), pad(token)], [supplied, borrowed, zeroAddress, zeroAddress, 0n, 0n])
const operated = (by: EvmAddress, [id, col, debt]: readonly [bigint, bigint, bigint], user = wallet) =>
  logOf(by, [topicOf('LogOperate(address,uint256,int256,int256,address)')], [user, id, col, debt, user])

const nftSteps = (logs: readonly ReceiptLog[]) => history.nftSteps?.(logs, wallet, () => true)
const debtSteps = (logs: readonly ReceiptLog[]) =>
  logs.flatMap((log, i) => {
    const context = {
      ...{ before: logs[i - 1], after: logs[i + 1], underlyings: [], data: {}, underlyingsOf: () => [] },
      ...{ earlier: () => logs.slice(0, i), later: () => logs.slice(i + 1) },
    }
    return history.step?.(log, wallet, context) ?? []
  })

it('accepts a position of a vault of the factory, and none that an untrusted contract logs', () => {
  const of = (contract: EvmAddress) => [moved(contract, usdc, [70n, 0n]), operated(contract, [9n, 70n, 0n])]
  expect(nftSteps(of(vault))).toEqual([
    {
      ...{ manager: vaultFactory, tokenId: 9n, payers: [liquidity, vault], purpose: 'deposit', reduced: false },
      ...{ put: [{ token: usdc, amountRaw: 70n }], principal: [], fees: [] },
    },
  ])
  expect(nftSteps(of(outsider))).toEqual([])
  expect(nftSteps([moved(vault, usdc, [70n, 0n], outsider), operated(vault, [9n, 70n, 0n])])).toEqual([])
})

it('leaves out what a pool trades with itself, trades of others, and the debts of others', () => {
  const arbitrage = logOf(dex, [topicOf('LogArbitrage(int256,uint256)')], [5n, 5n])
  const deposit = topicOf('LogDepositColLiquidity(uint256,uint256,uint256)')
  const swap = logOf(dex, [topicOf('Swap(bool,uint256,uint256,address)')], [1n, 33n, 44n, outsider])
  const logs = [
    ...[moved(dex, usdc, [33n, 0n]), moved(dex, COIN, [-44n, 0n]), swap],
    ...[moved(dex, usdc, [70n, 0n]), moved(dex, usdc, [5n, 5n]), moved(dex, COIN, [-5n, -5n]), arbitrage],
    ...[logOf(dex, [deposit], [70n, 0n, 123n]), moved(vault, COIN, [0n, 8n]), operated(vault, [9n, 123n, 8n])],
  ]
  expect(nftSteps(logs)?.map(({ put, principal }) => [put, principal])).toEqual([
    [[{ token: usdc, amountRaw: 70n }], []],
  ])
  expect(debtSteps(logs)).toEqual([
    { kind: 'borrow', token: NATIVE, amountRaw: 8n, position: { contract: vaultFactory, id: 9n } },
  ])
  const ofOther = [moved(vault, COIN, [0n, 8n]), operated(vault, [9n, 0n, 8n], outsider)]
  expect(debtSteps(ofOther)).toEqual([])
  const transfer = topicOf('Transfer(address,address,uint256)')
  const handed = logOf(vaultFactory, [transfer, pad(outsider), pad(wallet), pad('0x9')], [])
  expect(debtSteps([...ofOther, handed]).map(({ kind }) => kind)).toEqual(['borrow'])
})
