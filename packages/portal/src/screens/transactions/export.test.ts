import { expect, test } from 'vitest'
import { transactionsToCsv, transactionsToJson } from './export.ts'
import { asset, OTHER, transaction, WALLET } from './test-transaction.ts'

const linesOf = (csv: string) => csv.trimEnd().split('\r\n')
const before = `${WALLET},base,7,2023-11-14T22:13:20.000Z,0xabc,CONFIRMED`

test('a line a movement, the fee among them, each with all digits of the API', () => {
  const exact = '0.1234567890123456789012345678901234567890'
  const [header, out, into, fee, ...rest] = linesOf(
    transactionsToCsv([
      transaction({
        type: 'SWAP',
        closedPnl: '-2.5',
        assetsOut: [asset({ balance: exact, isAssetIn: false, from: WALLET, to: OTHER, closedPnl: '-2.5' })],
        assetsIn: [asset({ symbol: '=hyperlink("x")', price: '0', value: '0', priceSource: null, costBasis: 'N/A' })],
        feesFiat: '3',
        nativeAssetFees: asset({ balance: '0.001', symbol: 'eth', name: 'ether', price: '3000', priceSource: 'aave' }),
      }),
    ]),
  )
  const facts = `${before},SWAP,unknown,,${WALLET},${OTHER},-2.5`
  const contract = '0x2222222222222222222222222222222222222222'
  expect(header?.split(',')).toHaveLength(24)
  expect(out).toBe(`${facts},out,${exact},usdc,usd coin,${contract},,${OTHER},1,fixed,1,1,-2.5`)
  expect(into).toBe(`${facts},in,1,"'=hyperlink(""x"")",usd coin,${contract},,${OTHER},N/A,,N/A,N/A,0`)
  expect(fee).toBe(`${facts},fee,0.001,eth,ether,${contract},,,3000,aave,3,,`)
  expect(rest).toEqual([])
})

test('a transaction that moved nothing has one line of as many fields', () => {
  const [header, line, ...rest] = linesOf(transactionsToCsv([transaction()]))
  expect(line?.split(',')).toHaveLength(header?.split(',').length ?? 0)
  expect([line?.startsWith(before), rest]).toEqual([true, []])
})

test('JSON is what the API gave', () => {
  const given = [transaction({ value: '0.10000000000000000001' })]
  expect(JSON.parse(transactionsToJson(given))).toEqual(given)
})
