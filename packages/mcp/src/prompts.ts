import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'

type PromptArgument = { name: string; description: string; required: boolean }

export type Question = { title: string; description: string; arguments: PromptArgument[]; ask(args: Args): string }
type Args = Readonly<Record<string, string>>

const ADDRESSES = { name: 'addresses', description: 'Wallet addresses, separated by commas.', required: true }
const CHAIN = {
  name: 'chain',
  description: 'Key of a chain, e.g. `ethereum`. Default: all listed chains.',
  required: false,
}
const SINCE = { name: 'since', description: 'A day, YYYY-MM-DD.', required: true }

const HONESTY =
  'Repeat figures exactly as written. State block and time of `asOf`, the entries of `incomplete`, and whether `complete` is false: missing figures are unknown, not zero. While `next` is not null, more items follow.'

const since = ({ since: day = '' }: Args) => day

export const questions: Readonly<Record<string, Question>> = {
  holdings: {
    title: 'What do I hold?',
    description: 'Net worth and its distribution.',
    arguments: [ADDRESSES],
    ask: ({ addresses }) =>
      `What do these wallets hold: ${addresses}? Call getPortfolio. Give the net worth of each, the largest holdings, the holdings by protocol and chain, and every debt.`,
  },
  changes: {
    title: 'What changed?',
    description: 'Movements in and out since a day.',
    arguments: [ADDRESSES, SINCE],
    ask: (args) =>
      `What changed in these wallets since ${since(args)}: ${args['addresses']}? Call getStatus first. If no sync has finished, say that transactions may be missing. Call listTransactions with startDate ${since(args)}, hideSpam true, and getHistorical for ${since(args)} and getPortfolio for now where snapshots exist. Report what came in, what went out, and what explains the change of net worth.`,
  },
  claimable: {
    title: 'What can be claimed?',
    description: 'Rewards, unlocked positions and airdrops.',
    arguments: [ADDRESSES],
    ask: ({ addresses }) =>
      `What can these wallets claim: ${addresses}? Call getPortfolio and take the rows whose role is \`reward\` or whose unlockAt has passed. For Solana wallets call getAirdrops, and report isClaimable and unlockAt.`,
  },
  costs: {
    title: 'What did I pay?',
    description: 'Fees, cost basis and gains.',
    arguments: [ADDRESSES],
    ask: ({ addresses }) =>
      `What did these wallets pay: ${addresses}? Call getPortfolio for feesFiat, totalCostBasis, openPnl and closedPnl, and listTransactions to explain the largest fees. List what pnlIncomplete excludes. N/A means unknown.`,
  },
  approvals: {
    title: 'Which approvals are risky?',
    description: 'Allowances that are still open.',
    arguments: [ADDRESSES, CHAIN],
    ask: ({ addresses, chain }) =>
      `Which approvals of these wallets are risky: ${addresses}? Call listApprovals ${chain ? `on ${chain}` : 'on each chain that it takes'}, one wallet per call. The newest allowance of a token (contract) to a spender (to) counts; amount 0 revokes it; 2^256-1 is unlimited. List unlimited allowances on tokens that the wallet holds first, with the value at risk. Advise; change nothing.`,
  },
}

export const promptList: Prompt[] = Object.entries(questions).map(([name, { ask: _, ...rest }]) => ({ name, ...rest }))

/** Returns undefined if a required argument is missing. */
export function promptOf({ ask, arguments: known, description }: Question, args: Args): GetPromptResult | undefined {
  if (known.some(({ name, required }) => required && !args[name])) return undefined
  return { description, messages: [{ role: 'user', content: { type: 'text', text: `${ask(args)} ${HONESTY}` } }] }
}
