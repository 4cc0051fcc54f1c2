import type { Entry, EntryMovement } from '../src/domain/accounting/entry.ts'
import { decimal, fromRaw } from '../src/domain/decimal.ts'
import type { Treatment } from '../src/domain/transaction.ts'
import { entry, named } from './accounting-entries.ts'
import type { Random } from './random-of.ts'

const WALLETS = ['one', 'two'] as const
const CHAINS = ['ethereum', 'base'] as const
const ASSETS = ['ETH', 'USDC', 'XYZ'] as const
const UNIT = 10n ** 18n

type Place = { wallet: string; chain: string }
type Options = {
  /** Unknown prices, per thousand. */
  unpriced: number
  /** Outgoing amounts above the balance, per thousand. */
  excess: number
}

/**
 * Two wallets on two chains: every treatment, amounts over many orders of magnitude. An inner list is one transaction,
 * or both ends of a bridge.
 */
export function randomHistory(random: Random, length: number, options: Options): Entry[][] {
  const balances = new Map<string, bigint>()
  const locked = new Map<string, bigint>()
  const history: Entry[][] = []
  let time = 1_800_000_000

  const chance = (perMille: number) => random.index(1000) < perMille
  const price = () => (chance(options.unpriced) ? null : decimal(`${random.amount(1n, 10n ** 12n)}e-6`))
  const amount = () => random.amount(1n, 10n ** 24n)
  const keyOf = ({ wallet, chain }: Place, token: string) => `${wallet} ${chain} ${token}`
  const balance = (place: Place, token: string) => balances.get(keyOf(place, token)) ?? 0n

  /** Part of the balance, often all of it, at times more. Zero without a balance. */
  function some(place: Place, token: string): bigint {
    const there = balance(place, token)
    if (chance(options.excess)) return there + amount()
    if (there === 0n || chance(200)) return there
    return random.amount(1n, there)
  }

  function move(
    place: Place,
    treatment: Treatment,
    token: string,
    amountRaw: bigint,
    rest: Partial<EntryMovement> = {},
  ) {
    const key = keyOf(place, token)
    const after = (balances.get(key) ?? 0n) + amountRaw
    balances.set(key, after < 0n ? 0n : after)
    return {
      token: named(token),
      tokenId: null,
      amountRaw,
      counterparty: null,
      debt: token.startsWith('owed'),
      leg: 0,
      treatment,
      quantity: fromRaw(amountRaw, 18),
      price: price(),
      identity: token,
      ...rest,
    }
  }

  function add(place: Place, movements: readonly EntryMovement[], rest: Parameters<typeof entry>[1] = {}): Entry[] {
    const gas = balance(place, 'ETH') / 1000n
    const fee = gas > 0n && chance(500) ? [move(place, 'fee', 'ETH', -gas, { leg: 9 })] : []
    return [entry([...movements, ...fee], { ...place, time, transaction: `0x${history.length}`, ...rest })]
  }

  const actions: ((place: Place, asset: string, other: string) => Entry[])[] = [
    (place, asset) => add(place, [move(place, 'acquire', asset, amount())], { type: 'TRANSFERIN' }),
    (place, asset) => add(place, [move(place, 'income', asset, amount() / UNIT + 1n)], { type: 'CLAIM' }),
    (place, asset, other) =>
      add(place, [move(place, 'swap', asset, -some(place, asset)), move(place, 'swap', other, amount())], {
        type: 'SWAP',
      }),
    (place, asset, other) =>
      add(
        place,
        [
          move(place, 'swap', asset, -some(place, asset)),
          move(place, 'swap', other, -some(place, other)),
          move(place, 'swap', 'NEW', amount()),
          move(place, 'swap', 'OLD', amount()),
        ],
        { type: 'SWAP' },
      ),
    (place, asset) =>
      add(place, [move(place, 'move', asset, -some(place, asset)), move(place, 'move', `in${asset}`, amount())], {
        type: 'DEPOSIT',
        protocol: 'vault',
      }),
    (place, asset) =>
      add(
        place,
        [move(place, 'move', `in${asset}`, -some(place, `in${asset}`)), move(place, 'move', asset, amount())],
        {
          type: 'WITHDRAW',
          protocol: 'vault',
        },
      ),
    (place, asset) => add(place, [move(place, 'interest', `in${asset}`, amount() / UNIT + 1n)]),
    (place, asset) => add(place, [move(place, 'interest', `in${asset}`, -(balance(place, `in${asset}`) / 100n))]),
    (place, asset, other) =>
      add(
        place,
        [
          move(place, 'move', asset, -some(place, asset)),
          move(place, 'move', other, -some(place, other)),
          move(place, 'move', 'LP', amount()),
        ],
        { type: 'ADDLIQUIDITY', protocol: 'pool' },
      ),
    (place, asset, other) =>
      add(
        place,
        [
          move(place, 'move', 'LP', -some(place, 'LP')),
          move(place, 'move', asset, amount()),
          move(place, 'move', other, amount()),
        ],
        { type: 'REMOVELIQUIDITY', protocol: 'pool' },
      ),
    (place, asset) => {
      const sent = some(place, asset)
      const key = keyOf(place, asset)
      locked.set(key, (locked.get(key) ?? 0n) + sent)
      return add(place, [move(place, 'move', asset, -sent)], { type: 'STAKE', protocol: 'lock' })
    },
    (place, asset) => {
      const key = keyOf(place, asset)
      const there = locked.get(key) ?? 0n
      const back = chance(500) ? there : there / 3n
      locked.set(key, there - back)
      return add(place, [move(place, 'move', asset, back)], { type: 'UNSTAKE', protocol: 'lock' })
    },
    (place, asset) =>
      add(place, [move(place, 'send', asset, -some(place, asset))], { type: chance(300) ? 'EXPENSE' : 'TRANSFEROUT' }),
    (place, asset) => {
      const to = { ...place, wallet: place.wallet === 'one' ? 'two' : 'one' }
      const sent = some(place, asset)
      const given = add(place, [move(place, 'send', asset, -sent, { counterparty: named(to.wallet) })])
      const got = add(to, [move(to, 'acquire', asset, sent, { counterparty: named(place.wallet) })])
      return chance(500) ? [...given, ...got] : [...got, ...given]
    },
    (place, asset) => {
      const sent = some(place, asset)
      const left = add(place, [move(place, 'bridge', asset, -sent)], { type: 'BRIDGEOUT' })
      history.push(left)
      if (chance(200)) return []
      const to = { ...place, chain: place.chain === 'base' ? 'ethereum' : 'base' }
      return add(to, [move(to, 'bridge', asset, sent - sent / BigInt(9 + random.index(1000)))], { type: 'BRIDGEIN' })
    },
    (place, asset) => {
      const lent = amount()
      return add(place, [move(place, 'borrow', `owed${asset}`, lent), move(place, 'borrow', asset, lent)], {
        type: 'BORROW',
        protocol: 'market',
      })
    },
    (place, asset) => {
      const debt = balance(place, `owed${asset}`)
      const there = balance(place, asset)
      const paid = there < debt ? there / 2n : debt
      return add(place, [move(place, 'repay', `owed${asset}`, -paid), move(place, 'repay', asset, -paid)], {
        type: 'REPAYVAULT',
        protocol: 'market',
      })
    },
    (place, asset) => add(place, [move(place, 'interest', `owed${asset}`, balance(place, `owed${asset}`) / 100n)]),
    (place) => add(place, [move(place, 'spam', 'SCAM', amount())], { type: 'SPAM' }),
  ]

  for (let step = 0; step < length; step += 1) {
    time += chance(20) ? 8 * 86_400 : random.index(20_000)
    const asset = random.pick(ASSETS)
    const other = random.pick(ASSETS.filter((one) => one !== asset))
    const entries = random.pick(actions)({ wallet: random.pick(WALLETS), chain: random.pick(CHAINS) }, asset, other)
    if (entries.length > 0) history.push(entries)
  }
  return history
}
