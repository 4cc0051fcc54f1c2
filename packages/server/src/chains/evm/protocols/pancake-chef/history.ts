import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, addressWord, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { v3NftSteps } from '../shared/v3-history.ts'

const DEPOSIT = topicOf('Deposit(address,uint256,uint256,uint256,int24,int24)')
const WITHDRAW = topicOf('Withdraw(address,address,uint256,uint256)')
const HARVEST = topicOf('Harvest(address,address,uint256,uint256,uint256)')
/** All events: account, pool, NFT. */
const TOKEN_ID_TOPIC = 3

/** Liquidity of staked NFTs changes through the chef. */
export function pancakeChefHistory(chef: EvmAddress, manager: EvmAddress): ProtocolHistory {
  return {
    purposes: {},
    step: (log, wallet, { underlyings: [reward] }) => step(log, wallet, { manager, reward }),
    nftSteps: (logs) => v3NftSteps(logs, manager, { agents: [chef] }),
  }
}

function step(
  log: ReceiptLog,
  wallet: EvmAddress,
  { manager, reward }: { manager: EvmAddress; reward: EvmAddress | undefined },
): Step | undefined {
  const isOwn = addressTopic(log, 1) === wallet
  const isToWallet = addressWord(log, 0) === wallet
  switch (log.topics[0]) {
    case DEPOSIT:
      return isOwn ? nftStep('put-nft', log, manager) : undefined
    case WITHDRAW:
      return isOwn && isToWallet ? nftStep('take-nft', log, manager) : undefined
    case HARVEST: {
      const amountRaw = word(log, 1)
      return isToWallet && reward && amountRaw !== undefined ? { kind: 'claim', token: reward, amountRaw } : undefined
    }
    default:
      return undefined
  }
}

function nftStep(kind: 'put-nft' | 'take-nft', log: ReceiptLog, manager: EvmAddress): Step | undefined {
  const tokenId = numberTopic(log, TOKEN_ID_TOPIC)
  return tokenId === undefined ? undefined : { kind, purpose: 'stake', manager, tokenId }
}
