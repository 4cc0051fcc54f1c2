import { addresses, type EulerStep, eulerAccount, eulerVaults } from '@coffer/devnet'
import { type Address, maxUint256, parseEther, parseUnits } from 'viem'
import type { Random } from './random-of.ts'
import type { Play, PlayedChain } from './random-plays.ts'

const { evc } = addresses.ethereum.euler
const vaults = eulerVaults()
/** Account numbers; 0 is the wallet itself. */
const NUMBERS = [0, 1, 2, 255]

/** Directly and by the connector. */
export function eulerPlays({ actions: { euler } }: PlayedChain, wallets: readonly Address[]): Play[] {
  const own = (wallet: Address, random: Random) => eulerAccount(wallet, random.pick(NUMBERS))
  const any = (random: Random) => own(random.pick(wallets), random)
  const lent = (random: Random) => random.pick([vaults.usdc, vaults.weth])
  const sizeIn = (vault: Address, random: Random) =>
    vault === vaults.weth ? random.amount(1n, parseEther('1')) : random.amount(1n, parseUnits('1500', 6))
  const as = (wallet: Address, ...steps: EulerStep[]) => euler.batch(wallet, steps)
  return [
    (wallet, random) => euler.call(wallet, vaults.earn, 'deposit', sizeIn(vaults.earn, random), any(random)),
    (wallet, random) => {
      const vault = lent(random)
      return euler.call(wallet, vault, 'deposit', sizeIn(vault, random), any(random))
    },
    (wallet, random) => {
      const [vault, account] = [random.pick(Object.values(vaults)), own(wallet, random)]
      return as(wallet, [account, vault, 'redeem', random.pick([maxUint256, 10n ** 6n]), wallet, account])
    },
    (wallet, random) => {
      const [vault, account] = [lent(random), own(wallet, random)]
      return as(wallet, [account, vault, 'withdraw', sizeIn(vault, random), random.pick(wallets), account])
    },
    (wallet, random) =>
      as(wallet, [own(wallet, random), lent(random), 'transfer', any(random), random.amount(1n, 10n ** 8n)]),
    (wallet, random) => {
      const account = own(wallet, random)
      const steps: EulerStep[] = [
        [wallet, vaults.weth, 'deposit', random.amount(parseEther('0.5'), parseEther('1')), account],
        [wallet, evc, 'enableCollateral', account, vaults.weth],
        [wallet, evc, 'enableController', account, vaults.usdc],
        [account, vaults.usdc, 'borrow', random.amount(1n, parseUnits('900', 6)), random.pick(wallets)],
      ]
      return as(wallet, ...steps)
    },
    (wallet, random) =>
      as(wallet, [wallet, vaults.usdc, 'repay', random.pick([maxUint256, parseUnits('50', 6)]), any(random)]),
    (wallet, random) => {
      const account = own(wallet, random)
      return as(wallet, [account, vaults.usdc, 'repayWithShares', random.amount(1n, parseUnits('100', 6)), account])
    },
    (wallet, random) => {
      const account = own(wallet, random)
      return as(wallet, [account, vaults.usdc, 'pullDebt', random.amount(1n, parseUnits('40', 6)), any(random)])
    },
    async (wallet, random) => {
      await euler.setPrice(addresses.ethereum.tokens.weth, random.pick([900n, 1200n, 2000n]) * 10n ** 18n)
      const seizing: EulerStep = [wallet, vaults.usdc, 'liquidate', any(random), vaults.weth, maxUint256, 0n]
      // A healthy account refuses: the play fails, as others may, with the price restored.
      await as(wallet, seizing).finally(() => euler.setPrice(addresses.ethereum.tokens.weth, 3000n * 10n ** 18n))
    },
  ]
}
