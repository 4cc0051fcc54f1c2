import { addressBytes, addressOf, derived, JUP, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'
import { handData } from './layout.ts'
import { tokenAccount } from './tokens.ts'

// No program here has a codec in a usable licence: fields are encoded by hand, in the order of the published
// interfaces.

const LIMIT_PROGRAM = 'j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X'
const DCA_PROGRAM = 'DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M'
const VALUE_PROGRAM = 'VALaaymxQh2mNy2trH9jUqHT1mTow76wpTcGmSWSwJe'
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

export type JupiterOrderFigures = {
  limit: { making: bigint; inReserve: bigint | null }
  recurring: { inDeposited: bigint; inWithdrawn: bigint; inUsed: bigint; outReceived: bigint; outWithdrawn: bigint }
  averaging: { inLeft: bigint; outReceived: bigint; outWithdrawn: bigint }
}

export const jupiterOrderFigures: JupiterOrderFigures = {
  limit: { making: 1_500_000_007n, inReserve: 1_500_000_007n },
  recurring: {
    inDeposited: 900_000_000n,
    inWithdrawn: 100_000_000n,
    inUsed: 250_000_001n,
    outReceived: 1_234_567_890n,
    outWithdrawn: 1_000_000_000n,
  },
  averaging: { inLeft: 77_000_001n, outReceived: 5_000_002n, outWithdrawn: 5_000_000n },
}

const limitData = (wallet: string, reserve: string, making: bigint) =>
  handData('Order', [
    ['publicKey', wallet],
    ['publicKey', WRAPPED_SOL],
    ['publicKey', USDC],
    ['publicKey', TOKEN_PROGRAM],
    ['publicKey', TOKEN_PROGRAM],
    ['publicKey', reserve],
    ['u64', 1n],
    ['u64', making * 2n],
    ['u64', 400_000_000n],
    ['u64', making],
    ['u64', 200_000_000n],
    ['u64', 0n],
    [{ option: 'i64' }, null],
    ['u16', 10],
    ['publicKey', addressOf('Jupiter fees')],
    ['i64', 1_789_000_000n],
    ['i64', 1_789_000_000n],
    ['u8', 255],
  ])

const recurringData = (wallet: string, figures: JupiterOrderFigures['recurring']) =>
  handData('Dca', [
    ['publicKey', wallet],
    ['publicKey', USDC],
    ['publicKey', JUP],
    ['u64', 1n],
    ['i64', 1_790_000_600n],
    ['u64', figures.inDeposited],
    ['u64', figures.inWithdrawn],
    ['u64', figures.outWithdrawn],
    ['u64', figures.inUsed],
    ['u64', figures.outReceived],
    ['u64', 50_000_000n],
    ['i64', 600n],
    ['u64', 50_000_000n],
    ['publicKey', addressOf('input of a recurring order')],
    ['publicKey', addressOf('output of a recurring order')],
    [{ array: ['u64', 4] }, []],
    ['i64', 1_789_000_000n],
    ['u8', 255],
  ])

const averagingData = (wallet: string, { inLeft, outReceived, outWithdrawn }: JupiterOrderFigures['averaging']) =>
  handData('ValueAverage', [
    ['bool', false],
    ['u64', 1n],
    ['u8', 255],
    ['publicKey', wallet],
    ['publicKey', USDC],
    ['publicKey', WRAPPED_SOL],
    ['u64', 10_000_000n],
    ['i64', 86_400n],
    ['publicKey', addressOf('input of value averaging')],
    ['publicKey', addressOf('output of value averaging')],
    ['bool', false],
    ['publicKey', addressOf('fees of value averaging')],
    ['publicKey', addressOf('referral of value averaging')],
    ['i64', 1_789_000_000n],
    ['u64', inLeft * 3n],
    ['u64', inLeft],
    ['u64', inLeft * 2n],
    ['u64', 0n],
    ['u64', outReceived],
    ['u64', outWithdrawn],
    ['u64', 0n],
    ['i64', 1_790_000_000n],
    ['u64', 0n],
  ])

export const jupiterOrders = async (wallet: string, figures = jupiterOrderFigures): Promise<Fixture> => {
  const { limit, recurring, averaging } = figures
  const reserve = addressOf(`limit order reserve of ${wallet}`)
  const at = (what: string) => addressOf(`${what} of ${wallet}`)
  const accounts = [
    fixtureAccount(at('limit order'), LIMIT_PROGRAM, limitData(wallet, reserve, limit.making)),
    fixtureAccount(at('recurring order'), DCA_PROGRAM, recurringData(wallet, recurring)),
    fixtureAccount(at('value averaging'), VALUE_PROGRAM, averagingData(wallet, averaging)),
    ...(limit.inReserve === null ? [] : [tokenAccount(reserve, at('limit order'), WRAPPED_SOL, limit.inReserve)]),
  ]
  const inReserve = limit.inReserve ?? 0n
  const orders: [string, bigint][][] = [
    [[WRAPPED_SOL, inReserve >= limit.making ? limit.making : inReserve]],
    [
      [USDC, recurring.inDeposited - recurring.inWithdrawn - recurring.inUsed],
      [JUP, recurring.outReceived - recurring.outWithdrawn],
    ],
    [
      [USDC, averaging.inLeft],
      [WRAPPED_SOL, averaging.outReceived - averaging.outWithdrawn],
    ],
  ]
  const expected = orders
    .map((order) => order.filter(([, amount]) => amount > 0n).map(([token, amountRaw]) => ({ token, amountRaw })))
    .filter((supplied) => supplied.length > 0)
    .map((supplied) => position('deposit', { supplied }))
  return { accounts, held: [], expected }
}

const VOTE_PROGRAM = 'voTpe3tHQ7AjQHMapgSue2HJFAh2cGsdokqN3XqmVSj'
const LOCKER = 'CVMdMd79no569tjc5Sq7kzz8isbfCcFyBS5TLGsrZ5dN'

export type JupiterVoteFigures = {
  amount: bigint
  endsAt: bigint
  isMaxLock: boolean
  leaving: { amount: bigint; expiration: bigint }[]
}

export const jupiterVoteFigures: JupiterVoteFigures = {
  amount: 2_500_000_003n,
  endsAt: 1_792_592_000n,
  isMaxLock: false,
  leaving: [{ amount: 300_000_001n, expiration: 1_791_000_000n }],
}

export const jupiterVote = async (wallet: string, figures = jupiterVoteFigures): Promise<Fixture> => {
  const { amount, endsAt, isMaxLock, leaving } = figures
  const address = await derived(VOTE_PROGRAM, ['Escrow', addressBytes(LOCKER), addressBytes(wallet)])
  const escrow = handData('Escrow', [
    ['publicKey', LOCKER],
    ['publicKey', wallet],
    ['u8', 255],
    ['publicKey', addressOf('tokens of an escrow')],
    ['u64', amount],
    ['i64', 1_789_000_000n],
    ['i64', endsAt],
    ['publicKey', wallet],
    ['bool', isMaxLock],
    ['u64', leaving.reduce((sum, part) => sum + part.amount, 0n)],
    ['u64', 0n],
    [{ array: ['u128', 9] }, []],
  ])
  const parts = leaving.map((part, index) => {
    const data = handData('PartialUnstaking', [
      ['publicKey', address],
      ['u64', part.amount],
      ['i64', part.expiration],
      [{ array: ['u128', 6] }, []],
      ['u32', 0],
    ])
    return fixtureAccount(addressOf(`unstaking ${index} of ${wallet}`), VOTE_PROGRAM, data)
  })
  const jup = (amountRaw: bigint) => ({ supplied: [{ token: JUP, amountRaw }] })
  return {
    accounts: [fixtureAccount(address, VOTE_PROGRAM, escrow), ...parts],
    held: [],
    expected: [
      ...(amount > 0n ? [position('locked', { ...jup(amount), ...(!isMaxLock && { unlockAt: Number(endsAt) }) })] : []),
      ...leaving.map((part) => position('locked', { ...jup(part.amount), unlockAt: Number(part.expiration) })),
    ],
  }
}
