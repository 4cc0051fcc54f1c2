import type { NestedPosition, Portfolio, PortfolioAsset, WalletView } from '@coffer/contract'
import type { Amount, PositionFacts, Truth } from './chain-truth.ts'

/** Digits after the point: a balance of 18 times a price of 18, with room. */
const SCALE = 60

/** In 10^-60. Throws on anything but a plain decimal. */
export function scaled(text: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (sign === undefined || fraction.length > SCALE) throw new Error(`not a decimal: ${text}`)
  return BigInt(`${sign}${whole}${fraction.padEnd(SCALE, '0')}`)
}

export const ONE = 10n ** BigInt(SCALE)

function raw(balance: string, decimals: string): bigint {
  const [whole = '', fraction = ''] = balance.split('.')
  return BigInt(whole + fraction.padEnd(Number(decimals), '0'))
}

/** `token=amount`, nonzero sums in a fixed order. */
function amountsText(amounts: readonly Amount[]): string {
  const sums = new Map<string, bigint>()
  for (const [token, amountRaw] of amounts) {
    const key = token.toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + amountRaw)
  }
  const shown = [...sums]
    .filter(([, amountRaw]) => amountRaw !== 0n)
    .map(([token, amountRaw]) => `${token}=${amountRaw}`)
  return shown.sort().join(' ')
}

/** Without the background search for unlisted tokens, which may still run. */
export function gapsOf(portfolio: Pick<Portfolio, 'incomplete'> | undefined): Portfolio['incomplete'] | undefined {
  return portfolio?.incomplete.filter(({ reason }) => reason !== 'searching')
}

type Line = Omit<PositionFacts, 'health'> & { health?: string | undefined }

function positionLine({ protocol, pool, supplied, borrowed = [], rewards = [], health }: Line): string[] {
  const parts = [amountsText(supplied), amountsText(borrowed), amountsText(rewards)]
  if (parts.every((part) => part === '')) return []
  return [
    `${protocol} ${pool.toLowerCase()} supplied[${parts[0]}] borrowed[${parts[1]}] rewards[${parts[2]}] ${health ?? ''}`,
  ]
}

/** Compound reports only liquidity: the ratio is this service's figure, with its own test. */
const namesHealth = (protocol: string) => protocol.startsWith('aave') || protocol === 'morpho'

const amountOf = (asset: PortfolioAsset): Amount => [asset.contract, raw(asset.balance, asset.decimal)]

/** One line per token and position. */
export function shownLines(portfolio: Portfolio, chain: string): string[] {
  return Object.values(portfolio.assetByProtocols)
    .flatMap((protocol) =>
      Object.values(protocol.chains[chain]?.protocolPositions ?? {}).flatMap((group) => [
        ...(group?.assets ?? []).map((asset) => `wallet ${amountsText([amountOf(asset)])}`),
        ...(group?.protocolPositions ?? []).flatMap((position) => positionLine(nestedLine(protocol.key, position))),
      ]),
    )
    .sort()
}

function nestedLine(protocol: string, position: NestedPosition): Line {
  return {
    protocol,
    pool: position.poolAddress ?? position.vaultAddress ?? '',
    supplied: [...position.assets, ...position.supplyAssets, ...position.dexAssets].map(amountOf),
    borrowed: position.borrowAssets.map(amountOf),
    rewards: position.rewardAssets.map(amountOf),
    health: namesHealth(protocol) && position.healthRate ? String(scaled(position.healthRate)) : undefined,
  }
}

export function trueLines(truth: Truth): string[] {
  const held = truth.held.filter(([, amountRaw]) => amountRaw > 0n).map((amount) => `wallet ${amountsText([amount])}`)
  const positions = truth.positions.flatMap((position) => {
    const { health } = position
    return positionLine({ ...position, health: health === undefined ? undefined : String((health * ONE) / 10n ** 18n) })
  })
  return [...held, ...positions].sort()
}

export function walletLines(view: WalletView, chain: string): string[] {
  const assets = view.assetByProtocols.wallet.chains[chain]?.protocolPositions.WALLET.assets ?? []
  return assets.map((asset) => amountsText([[asset.contract, raw(asset.balance, asset.decimal)]])).sort()
}

export function trueWalletLines({ held, receipts }: Truth): string[] {
  return [...held, ...receipts]
    .map((amount) => amountsText([amount]))
    .filter((line) => line !== '')
    .sort()
}

const plus = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const signed = (asset: PortfolioAsset) => (asset.side === 'borrow' ? -scaled(asset.value) : scaled(asset.value))

/** Sums and products must be exact. */
export function wrongSums(portfolio: Portfolio): string[] {
  const wrong: string[] = []
  const check = (what: string, shown: string, expected: bigint) => {
    if (scaled(shown) !== expected) wrong.push(`${what}: ${shown} is not ${expected}e-${SCALE}`)
  }
  const byChain = new Map<string, bigint>()
  for (const protocol of Object.values(portfolio.assetByProtocols)) {
    for (const asset of protocol.assets) {
      const total = signed(asset)
      check(`value of ${asset.chainContract}`, asset.value, (scaled(asset.balance) * scaled(asset.price)) / ONE)
      byChain.set(asset.chain, (byChain.get(asset.chain) ?? 0n) + total)
    }
    check(protocol.key, protocol.value, plus(protocol.assets.map(signed)))
    for (const onChain of Object.values(protocol.chains)) checkGroups(protocol.key, onChain, check)
  }
  for (const chain of Object.values(portfolio.chains)) check(chain.key, chain.value, byChain.get(chain.key) ?? 0n)
  check('networth', portfolio.networth, plus([...byChain.values()]))
  return wrong
}

type OnChain = Portfolio['assetByProtocols'][string]['chains'][string]

function checkGroups(key: string, onChain: OnChain, check: (what: string, shown: string, expected: bigint) => void) {
  const totals: bigint[] = []
  for (const [type, group] of Object.entries(onChain.protocolPositions)) {
    if (!group) continue
    const nested = group.protocolPositions.map((position) => {
      const { assets, supplyAssets, borrowAssets, rewardAssets, dexAssets } = position
      const total = plus([...assets, ...supplyAssets, ...borrowAssets, ...rewardAssets, ...dexAssets].map(signed))
      check(`${key} ${type} ${position.name}`, position.value, total)
      return total
    })
    const total = plus([...group.assets.map(signed), ...nested])
    check(`${key} ${type}`, group.totalValue, total)
    totals.push(total)
  }
  check(`${key} on ${onChain.key}`, onChain.value, plus(totals))
}
