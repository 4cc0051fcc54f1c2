import { t } from '../../lib/i18n.ts'
import type { Transaction } from './transaction.ts'

type Type = Transaction['type']

/** Functions, because the language is known only on use. */
export const TYPE_NAMES: Readonly<Record<Type, () => string>> = {
  ADDLIQUIDITY: () => t('Add liquidity'),
  AIRDROP: () => t('Airdrop'),
  APPROVAL: () => t('Approval'),
  BORROW: () => t('Borrow'),
  BRIDGEIN: () => t('Bridge in'),
  BRIDGEOUT: () => t('Bridge out'),
  CLAIM: () => t('Claim'),
  COLLECT: () => t('Collect'),
  CLOSEVAULT: () => t('Close vault'),
  DEPOSIT: () => t('Deposit'),
  DONATION: () => t('Donation'),
  EXPENSE: () => t('Expense'),
  FAILED: () => t('Failed'),
  FOLLOW: () => t('Follow'),
  IGNORE: () => t('Ignore'),
  INTERACTION: () => t('Interaction'),
  LEND: () => t('Lend'),
  MINT: () => t('Mint'),
  MULTITYPE: () => t('Multiple types'),
  OPENVAULT: () => t('Open vault'),
  REPAYVAULT: () => t('Repay'),
  REMOVELIQUIDITY: () => t('Remove liquidity'),
  SIGN: () => t('Sign'),
  SELFTRANSFER: () => t('Self-transfer'),
  SPAM: () => t('Spam'),
  STAKE: () => t('Stake'),
  SWAP: () => t('Swap'),
  TRANSFERIN: () => t('Transfer in'),
  TRANSFEROUT: () => t('Transfer out'),
  UNDEFINED: () => t('Undefined'),
  UNSTAKE: () => t('Unstake'),
  UNWRAP: () => t('Unwrap'),
  VOTE: () => t('Vote'),
  WITHDRAW: () => t('Withdraw'),
  WRAP: () => t('Wrap'),
}

/** A type of a newer service keeps its spelling. */
export const typeName = (type: Type): string => TYPE_NAMES[type]?.() ?? type
