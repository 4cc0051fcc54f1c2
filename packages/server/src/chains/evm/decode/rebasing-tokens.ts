import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'

type Row = { symbol: string; address: EvmAddress; chains: readonly string[] }

const on = (symbol: string, address: EvmAddress, ...chains: string[]): Row => ({ symbol, address, chains })

/**
 * Tokens without an adapter: a balance difference is interest or a rebase. Sources: Origin's OToken, Ampleforth's
 * UFragments, mountainprotocol/tokens (USDM), docs.overnight.fi (tokens with `+`), blast-io/blast
 * (`ERC20Rebasing.sol`). Addresses: the shipped lists.
 */
export const rebasingTokens: readonly Row[] = [
  on('OUSD', '0x2a8e1e676ec238d8a992307b495b45b3feaa5e86', 'ethereum'),
  on('OETH', '0x856c4efb76c1d1ae02e20ceb03a2a6a08b0b8dc3', 'ethereum'),
  on('SUPEROETHB', '0xdbfefd2e8460a6ee4955a68582f85708baea60a3', 'base'),
  on('OS', '0xb1e25689d55734fd3fffc939c4c3eb52dff8a794', 'sonic'),
  on('AMPL', '0xd46ba6d942050d489dbd938a2c909a5d5039a161', 'ethereum'),
  on('AMPL', '0x027dbca046ca156de9622cd1e2d907d375e53aa7', 'avalanche'),
  on('USDM', '0x59d9356e565ab3a36dd77763fc0d87feaf85508c', 'arbitrum', 'base', 'ethereum', 'optimism'),
  on('USD+', '0xe80772eaf6e2e18b651f160bc9158b2a5cafca65', 'arbitrum', 'avalanche', 'binance'),
  on('USD+', '0xb79dd08ea68a908a97220c76d19a6aa9cbde4376', 'base', 'linea'),
  on('USD+', '0x73cb180bf0521828d8849bc8cf2b920918e23032', 'optimism'),
  on('USD+', '0x8e86e46278518efc1c5ced245cba2c7e3ef11557', 'zksync'),
  on('USD+', '0x4fee793d435c6d2c10c135983bb9d6d4fc7b9bbd', 'blast'),
  on('USDC+', '0x870a8f46b62b8bdeda4c02530c1750cddf2ed32e', 'blast'),
  on('USDT+', '0xb1084db8d3c05cebd5fa9335df95ee4b8a0edc30', 'arbitrum'),
  on('USDT+', '0x5335e87930b410b8c5bb4d43c3360aca15ec0c8c', 'binance'),
  on('USDT+', '0x1e1f509963a6d33e169d9497b11c7dbfe73b7f13', 'linea'),
  on('DAI+', '0xeb8e93a0c7504bffd8a8ffa56cd754c63aaebfe8', 'arbitrum'),
  on('DAI+', '0x65a2508c429a6078a7bc2f7df81ab575bd9d9275', 'base'),
  on('DAI+', '0x970d50d09f3a656b43e11b0d45241a84e3a6e011', 'optimism'),
  on('USDB', '0x4300000000000000000000000000000000000003', 'blast'),
  on('WETH', '0x4300000000000000000000000000000000000004', 'blast'),
]

const keyOf = (chain: string, token: Address) => `${chain} ${token}`
const KEYS = new Set(rebasingTokens.flatMap(({ address, chains }) => chains.map((chain) => keyOf(chain, address))))

export const isRebasingToken = (chain: string, token: Address): boolean => KEYS.has(keyOf(chain, token))
