import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { DeploymentRow, ProtocolAdapter } from '../adapter.ts'
import { discoverEach } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { type Deployment, deployment, shapes, siloOf } from './stakes.ts'

const row = (
  shape: Deployment['shape'],
  [key, name, siteUrl]: [key: string, name: string, siteUrl: string],
  chain: string,
  stakes: string[],
): DeploymentRow => ({ key, name, chain, siteUrl, deployment: { shape, stakes } })

/** stkWELL, and stkMFAM on Moonriver. */
const moonwell = (chain: string, stake: string): DeploymentRow =>
  row('plain', ['moonwell_safety_module', 'Moonwell Safety Module', 'https://moonwell.fi/stake'], chain, [stake])

/**
 * Sources: documents of Ethena and Falcon; @aave-dao/aave-address-book 4.68.1; Avant's token at Avalanche, deployed as
 * `StakedAvUSDV2`; moonwell-fi/moonwell-contracts-v2, `chains`.
 */
const cooldownRows: readonly DeploymentRow[] = [
  row('silo', ['ethena', 'Ethena', 'https://ethena.fi'], 'ethereum', [
    '0x9d39a5de30e57443bff2a8307a4256c8797a3497', // sUSDe
    '0x8be3460a480c80728a8c4d7a5d5303c85ba7b3b9', // sENA
  ]),
  row('window', ['aave_safety_module', 'Aave Safety Module', 'https://app.aave.com'], 'ethereum', [
    '0x4da27a545c0c5b758a6ba100e3a049001de870f5', // stkAAVE
    '0x9eda81c21c273a82be9bbc19b6a6182212068101', // stkAAVEwstETHBPTv2
    '0xa1116930326d21fb917d5a27f1e9943a9595fb47', // stkABPT
    '0x1a88df1cfe15af22b3c4c783d4e6f7f9e0c1885d', // stkGHO
  ]),
  {
    key: 'aave_umbrella',
    name: 'Aave Umbrella',
    chain: 'ethereum',
    siteUrl: 'https://app.aave.com/umbrella',
    deployment: {
      shape: 'umbrella',
      controller: '0x4655ce3d625a63d30ba704087e52b4c31e38188b',
      stakes: [
        '0x6bf183243fdd1e306ad2c4450bc7dcf6f0bf8aa6', // stkwaEthUSDC.v1
        '0xa484ab92fe32b143aee7019fc1502b1daa522d31', // stkwaEthUSDT.v1
        '0xaafd07d53a7365d3e9fb6f3a3b09ec19676b73ce', // stkwaEthWETH.v1
        '0x4f827a63755855cdf3e8f3bcd20265c833f15033', // stkGHO.v1
      ],
    },
  },
  moonwell('base', '0xe66e3a37c3274ac24fe8590f7d84a2427194dc17'),
  moonwell('optimism', '0xfb26a4947a38cb53e2d083c6490060ccce7438c5'),
  moonwell('moonbeam', '0x8568a675384d761f36ec269d695d6ce4423cfab1'),
  moonwell('moonriver', '0xcd76e63f3abfa864c53b4b98f57c1aa6539fda3a'),
  row('silo', ['falcon', 'Falcon Finance', 'https://falcon.finance'], 'ethereum', [
    '0xc8cf6d7991f15525488b2a83df53468d682ba4b0', // sUSDf
  ]),
  row('silo', ['avant', 'Avant', 'https://www.avantprotocol.com'], 'avalanche', [
    '0x06d47f3fb376649c3a9dafe069b3d6e35572219e', // savUSD
  ]),
]

/** Caller, receiver, owner; assets, shares. */
const WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')

/** From, to; amount. */
const REWARDS_CLAIMED = topicOf('RewardsClaimed(address,address,uint256)')

/** Umbrella's controller: stake, token, owner; recipient, amount. */
const STAKE_REWARD_CLAIMED = topicOf('RewardClaimed(address,address,address,address,uint256)')

/** The silo, which logs no withdrawals, is the escrow of its stake. */
const cooldownHistory = ({ controller }: Deployment): ProtocolHistory => ({
  purposes: { stake: 'stake' },
  ...(controller && { contracts: [controller] }),
  step,
  escrowOf: siloOf,
})

function step(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const [topic] = log.topics
  if (topic === WITHDRAW) return request(log, wallet, context)
  const { rewarded } = context.data
  if (topic === REWARDS_CLAIMED && addressTopic(log, 2) === wallet)
    return claim(rewarded === undefined ? undefined : evmAddress(rewarded), word(log, 0))
  if (topic === STAKE_REWARD_CLAIMED && addressWord(log, 0) === wallet) return claim(addressTopic(log, 2), word(log, 1))
  return undefined
}

function request(log: ReceiptLog, wallet: EvmAddress, { underlyings: [asset], data }: LogContext): Step | undefined {
  const silo = siloOf({ data })
  const [assets, shares] = [word(log, 0), word(log, 1)]
  if (!silo || !asset || assets === undefined || shares === undefined) return undefined
  if (addressTopic(log, 2) !== silo || addressTopic(log, 3) !== wallet) return undefined
  return {
    kind: 'request',
    purpose: 'unstake',
    position: { contract: silo, id: 0n },
    receipt: { token: log.address, amountRaw: shares },
    due: { token: asset, amountRaw: assets },
  }
}

const claim = (token: EvmAddress | undefined, amountRaw: bigint | undefined): Step | undefined =>
  token === undefined || amountRaw === undefined ? undefined : { kind: 'claim', token, amountRaw }

/** Assets that wait outside of shares are a separate position. */
export const cooldownStakes: ProtocolAdapter<Deployment> = {
  name: 'cooldown_stakes',
  deployment,
  rows: cooldownRows,
  eachAlone: true,

  discover: ({ reader, deployment: { shape, stakes } }) =>
    discoverEach(reader, stakes, (stake) => shapes[shape].discover(reader, stake)),

  probe: ({ reader, deployment: { shape }, wallet, protocolContract }) =>
    shapes[shape].probe(reader, protocolContract, wallet),

  positions: eachAlone(({ reader, deployment: { shape }, wallet }, stake) =>
    shapes[shape].positions(reader, stake, wallet),
  ),

  decompose: ({ reader, deployment: { shape }, protocolContract, amountRaw }) =>
    shapes[shape].worth(reader, protocolContract, amountRaw),

  history: cooldownHistory,
}
