import type { DeploymentRow } from '../adapter.ts'

export type Token = {
  token: string
  label: string
  view: string
  underlying?: string
  provider?: string
  decimals?: number
  kind?: 'yield'
}

type Protocol = Pick<DeploymentRow, 'key' | 'name'> & {
  siteUrl: string
  tokens: Readonly<Record<string, readonly Token[]>>
}

export const rows = ({ tokens, ...protocol }: Protocol): DeploymentRow[] =>
  Object.entries(tokens).map(([chain, list]) => ({ ...protocol, chain, deployment: { tokens: list } }))

export const rated = (label: string, token: string, provider: string, underlying?: string): Token => ({
  label,
  token,
  view: 'getRate',
  provider,
  ...(underlying && { underlying }),
})

export const WETH_AVALANCHE = '0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab'
