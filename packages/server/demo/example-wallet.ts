import type { Devnet } from '@coffer/devnet'

const ETHER = 10n ** 18n
const USDC = 10n ** 6n

/** Known to everybody: it does a little of everything, so that answers about it are short. */
export const WALLET = '0xc0ffee0000000000000000000000000000000001'
export const SECOND = '0xc0ffee0000000000000000000000000000000002'

/** It gets money, puts some of it into a market, stakes, and sends a little on. */
export async function actOn(devnet: Devnet): Promise<void> {
  const { actions, addresses, client } = devnet.chains.ethereum
  const { usdc } = addresses.tokens
  await client.impersonateAccount({ address: WALLET })
  await actions.native.send(devnet.wallets.whale.address, WALLET, 2n * ETHER)
  await actions.erc20.mint(usdc, WALLET, 5_000n * USDC)
  await actions.aaveV3.supply(WALLET, usdc, 2_000n * USDC)
  await actions.lido.stake(WALLET, ETHER / 2n)
  await actions.native.send(WALLET, SECOND, ETHER / 10n)
}
