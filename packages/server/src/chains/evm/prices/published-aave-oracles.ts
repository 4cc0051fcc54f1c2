import type { AaveOracleRow } from './aave-prices.ts'
import { findAggregator } from './published-feeds.ts'

/** Source: `@aave-dao/aave-address-book`. */
export const PUBLISHED_AAVE_ORACLES: readonly AaveOracleRow[] = [
  usdOracle('ethereum', '0x54586bE62E3c3580375aE3723C145253060Ca0C2'),
  usdOracle('ethereum', '0xE3C061981870C0C7b1f3C4F4bB36B95f1F260BE6'),
  usdOracle('ethereum', '0x43b64f28A678944E0655404B0B98E443851cC34F'),
  usdOracle('arbitrum', '0xb56c2F0B653B2e0b10C9b928C8580Ac5Df02C7C7'),
  usdOracle('base', '0x2Cc0Fc26eD4563A5ce5e8bdcfe1A2878676Ae156'),
  usdOracle('optimism', '0xD81eb3728a631871a7eBBaD631b5f424909f0c77'),
  usdOracle('polygon', '0xb023e699F5a33916Ea823A16485e259257cA8Bd1'),
  usdOracle('binance', '0x39bc1bfDa2130d6Bb6DBEfd366939b4c7aa7C697'),
  usdOracle('avalanche', '0xEBd36016B3eD09D4693Ed4251c67Bd858c3c7C9C'),
  usdOracle('gnosis', '0xeb0a051be10228213BAEb449db63719d6742F7c4'),
  usdOracle('linea', '0xCFDAdA7DCd2e785cF706BaDBC2B8Af5084d595e9'),
  etherOracle('ethereum', '0xA50ba011c48153De246E5192C8f9258A2ba79Ca9'),
  etherOracle('polygon', '0x0229F777B0fAb107F9591a41d5F02E4e98dB6f2d'),
  usdOracle('avalanche', '0xdC336Cd4769f4cC7E9d726DA53e6d3fC710cEB89'),
]

function usdOracle(chain: string, oracle: string): AaveOracleRow {
  return { chain, oracle, decimals: 8 }
}

/** Aave v2 on two chains prices in ETH. */
function etherOracle(chain: string, oracle: string): AaveOracleRow {
  const unit = findAggregator(chain, 'ETH/USD')
  if (!unit) throw new Error(`no ETH/USD aggregator is published for ${chain}`)
  return { chain, oracle, decimals: 18, unit }
}
