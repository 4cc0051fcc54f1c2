import { compareDecimals } from '@coffer/contract'
import { isObject, type PlainObject } from './plain-answer.ts'

/** Fields of a whole position; its rows omit them. */
const OF_WHOLE = new Set(['name', 'value', 'totalValue', 'totalCostBasis', 'totalOpenPnl', 'totalClosedPnl', 'siteUrl'])
/** Fields of an asset that its row has already. */
const SAID = new Set(['chain', 'chainKey', 'decimal'])

export const isHoldings = (answer: unknown): answer is PlainObject[] =>
  Array.isArray(answer) && answer.some((wallet) => isObject(wallet) && isObject(wallet['assetByProtocols']))

export function walletSummary({ assetByProtocols: _, chains, ...rest }: PlainObject): PlainObject {
  const worths = objectsIn(chains).map(([key, { value }]) => [key, value])
  return { ...rest, chains: Object.fromEntries(worths) }
}

/** Returns a row per asset, most valuable first. */
export function holdingRows(wallets: readonly PlainObject[]): PlainObject[] {
  const rows = wallets.flatMap((wallet) =>
    objectsIn(wallet['assetByProtocols']).flatMap(([protocol, { chains }]) =>
      objectsIn(chains).flatMap(([chain, { protocolPositions }]) =>
        objectsIn(protocolPositions).flatMap(([type, group]) =>
          rowsOfGroup({ ...(wallets.length > 1 && { wallet: wallet['address'] }), protocol, chain, type }, group),
        ),
      ),
    ),
  )
  return rows.sort((a, b) => compareDecimals(worthOf(b), worthOf(a)))
}

const worthOf = ({ value }: PlainObject) => (typeof value === 'string' ? value : '0')

function rowsOfGroup(where: PlainObject, group: PlainObject): PlainObject[] {
  const { assets, protocolPositions } = group
  const direct = listOf(assets).map((asset) => rowOf({ ...where, role: 'held' }, asset))
  return [...direct, ...listOf(protocolPositions).flatMap((position) => rowsOfPosition(where, position))]
}

function rowsOfPosition(where: PlainObject, position: PlainObject): PlainObject[] {
  const facts = Object.entries(position).filter(([name, value]) => !(Array.isArray(value) || OF_WHOLE.has(name)))
  const own = { ...where, position: position['name'], ...Object.fromEntries(facts) }
  const rows = Object.entries(position).flatMap(([name, list]) =>
    /assets$/i.test(name) ? listOf(list).map((asset) => rowOf({ ...own, role: roleOf(name) }, asset)) : [],
  )
  return rows.length > 0 ? rows : [{ ...own, role: 'position', value: position['value'] }]
}

function roleOf(list: string): string {
  if (list === 'borrowAssets') return 'borrowed'
  return list === 'rewardAssets' ? 'reward' : 'held'
}

function rowOf(where: PlainObject, asset: PlainObject): PlainObject {
  const reported = Object.entries(asset).filter(([name]) => !SAID.has(name))
  return { ...where, ...Object.fromEntries(reported) }
}

const objectsIn = (value: unknown): [string, PlainObject][] =>
  isObject(value) ? Object.entries(value).filter((entry): entry is [string, PlainObject] => isObject(entry[1])) : []

const listOf = (value: unknown): PlainObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
