import { ONE, scaled } from './journeys/portfolio-lines.ts'

/** Missing fields throw, as in software that knows only the shape. */
type Json = Readonly<Record<string, unknown>>

/** USD in 10^-60. */
type Sums = { networth: bigint; principal: bigint }

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const at = (from: unknown, name: string): unknown => {
  const value = isObject(from) ? from[name] : undefined
  if (value === undefined || value === null) throw new Error(`${name} is ${String(value)} in ${JSON.stringify(from)}`)
  return value
}
const objectAt = (from: unknown, name: string): Json => {
  const value = at(from, name)
  if (!isObject(value)) throw new Error(`${name} is no object`)
  return value
}
const listAt = (from: unknown, name: string): unknown[] => {
  const value = at(from, name)
  if (!Array.isArray(value)) throw new Error(`${name} is no list`)
  return value
}
const entriesAt = (from: unknown, name: string) => Object.values(objectAt(from, name))

/** Summed, hence never `N/A`. */
const numberAt = (from: unknown, name: string): bigint => scaled(String(at(from, name)))

function numbersAt(from: unknown, names: readonly string[]): void {
  for (const name of names) numberAt(from, name)
}

function textsAt(from: unknown, names: readonly string[]): void {
  for (const name of names) if (typeof at(from, name) !== 'string') throw new Error(`${name} is no text`)
}

/** `N/A`: unknown. */
function figuresAt(from: unknown, names: readonly string[]): void {
  for (const name of names) if (at(from, name) !== 'N/A') numberAt(from, name)
}

function imagesAt(from: unknown): void {
  for (const name of ['imgSmall', 'imgLarge'])
    if (!URL.canParse(String(at(from, name)))) throw new Error(`${name}: no URL`)
}

const TOTALS = ['totalCostBasis', 'totalOpenPnl', 'totalClosedPnl']

function readHeader(entry: unknown): void {
  textsAt(entry, ['address', 'lastUpdated'])
  numbersAt(entry, ['cashBalance', 'dailyIncome', 'dailyExpense', 'fees', 'feesFiat'])
  figuresAt(entry, ['openPnl', 'closedPnl', 'totalCostBasis'])
  figuresAt(objectAt(entry, 'conversionRates'), ['ETH', 'SOL', 'BTC'])
}

function readAsset(asset: unknown): bigint {
  textsAt(asset, ['symbol', 'name', 'contract', 'chainKey', 'chainContract', 'explorerUrl'])
  numbersAt(asset, ['price', 'decimal'])
  figuresAt(asset, ['openPnl', 'totalCostBasis'])
  imagesAt(asset)
  const value = numberAt(asset, 'value')
  if (value !== (numberAt(asset, 'balance') * numberAt(asset, 'price')) / ONE)
    throw new Error('value is not the product')
  return value
}

const total = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)
const readAssets = (from: unknown, name: string) => total(listAt(from, name).map(readAsset))

/** Principal is in `assets` and `supplyAssets`, for perpetual exchanges in `dexAssets`. Rewards add, debts subtract. */
function readNested(position: unknown): bigint {
  textsAt(position, ['name', 'unlockAt'])
  figuresAt(position, TOTALS)
  const has = ['assets', 'supplyAssets', 'dexAssets', 'marginAssets', 'baseAssets', 'quoteAssets', 'rewardAssets']
  const sum = total(has.map((name) => readAssets(position, name))) - readAssets(position, 'borrowAssets')
  if (numberAt(position, 'value') !== sum) throw new Error(`the value of ${at(position, 'name')} is not its sum`)
  return sum
}

function readGroup(group: unknown): bigint {
  textsAt(group, ['name', 'unlockAt'])
  figuresAt(group, TOTALS)
  numberAt(group, 'totalValue')
  return readAssets(group, 'assets') + total(listAt(group, 'protocolPositions').map(readNested))
}

/** `parts`: field name. */
function readWhole(whole: unknown, parts: string, readPart: (part: unknown) => bigint): bigint {
  textsAt(whole, ['name', 'key'])
  figuresAt(whole, TOTALS)
  imagesAt(whole)
  numberAt(whole, 'value')
  return total(entriesAt(whole, parts).map(readPart))
}

const readOnChain = (chain: unknown) => readWhole(chain, 'protocolPositions', readGroup)
const readProtocol = (protocol: unknown) => readWhole(protocol, 'chains', readOnChain)

/** Throws where a client would. */
export function readPortfolio(entry: unknown): Sums {
  readHeader(entry)
  textsAt({ adapters: listAt(entry, 'priceAdapters').join() }, ['adapters'])
  numberAt(entry, 'manualBalanceNetworth')
  for (const chain of entriesAt(entry, 'chains')) {
    textsAt(chain, ['name', 'key', 'chainId'])
    numbersAt(chain, ['value', 'valuePercentile'])
    imagesAt(chain)
  }
  const principal = total(entriesAt(entry, 'assetByProtocols').map(readProtocol))
  return { networth: numberAt(entry, 'networth'), principal }
}

export function readAirdrops(entry: unknown): void {
  readHeader(entry)
  numberAt(entry, 'networth')
  for (const protocol of entriesAt(entry, 'assetByProtocols')) imagesAt(protocol)
}

function readMoved(asset: unknown): void {
  textsAt(asset, ['symbol', 'name', 'contract', 'chainKey', 'chainContract', 'explorerUrl', 'from', 'to'])
  numbersAt(asset, ['balance', 'price', 'value'])
  figuresAt(asset, ['decimal', 'costBasis', 'totalCostBasis', 'closedPnl'])
  imagesAt(asset)
  for (const name of ['isAssetIn', 'isNativeAssetFees'])
    if (typeof at(asset, name) !== 'boolean') throw new Error(`${name} is no flag`)
}

export function readTransaction(transaction: unknown): void {
  textsAt(transaction, ['hash', 'timestamp', 'from', 'to', 'type', 'functionName', 'confirmed', 'explorerUrl'])
  numbersAt(transaction, ['value', 'valueFiat', 'fees', 'feesFiat'])
  figuresAt(transaction, ['closedPnl'])
  for (const name of ['chain', 'protocol', 'subProtocol']) {
    const named = objectAt(transaction, name)
    textsAt(named, ['key', 'name'])
    imagesAt(named)
  }
  for (const name of ['assetsIn', 'assetsOut']) for (const asset of listAt(transaction, name)) readMoved(asset)
  readMoved(at(transaction, 'nativeAssetFees'))
}
