import { readFileSync } from 'node:fs'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { Logger } from '../../../lib/logger.ts'
import { StartupError } from '../../../lib/startup-error.ts'
import type { PriceGraph } from '../../../prices/price-graph.ts'
import type { AirdropSettings, AllocationSource } from '../../airdrop-source.ts'
import type { Airdrop, AirdropReading } from '../../airdrops.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { Tokens } from '../../tokens.ts'
import { distributorPrograms } from '../distributors/distributor-programs.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { readAllocationList } from './allocation-list.ts'
import { createFindAirdrops, type ListedAirdrop } from './find-airdrops.ts'
import { createAskProofs } from './http-proofs.ts'

/** Throws `StartupError` for a list that is unreadable, malformed, or of another root than configured. */
export function openAirdrops({
  chains,
  settings: { http, allocations, urls },
  openReader,
  tokens,
  prices,
  log,
}: {
  chains: ReadonlyMap<string, Chain>
  settings: AirdropSettings
  openReader(chain: string): SolanaReader
  tokens: Tokens<SolanaReader>
  prices: PriceGraph<SolanaReader>
  log: Logger
}): AirdropReading {
  const lists = allocations.map(openList)
  const ask = createAskProofs({ urls })

  return async function readAirdrops(key, wallet) {
    const chain = ofEnabled(chains, key)
    const known = await tokens.of(chain)
    const find = createFindAirdrops({
      programs: distributorPrograms,
      http,
      lists,
      ask,
      log,
      async readTokens(reader, mints) {
        await known.learn(reader, mints)
        return new Map(mints.flatMap((mint) => entryOf(mint, known.find(mint))))
      },
    })
    const reader = openReader(key)
    const { airdrops, tokens: found, ...rest } = await find(reader, wallet)
    const named = new Map(airdrops.map(({ mint }) => [mint, tokenOf(mint, airdrops, found)]))
    const amounts = [...named].map(([mint, token]) => ({ token, amountRaw: claimableOf(airdrops, mint) }))
    const priced = amounts.filter(({ token }) => !known.isSpam(token))
    const worth = amounts.length > 0 ? await prices.open({ chain, reader }).price(priced) : new Map()
    return { ...rest, airdrops, tokens: named, prices: worth }
  }
}

const entryOf = (mint: SolanaAddress, token: Token | undefined): [SolanaAddress, Token][] =>
  token ? [[mint, token]] : []

function tokenOf(mint: SolanaAddress, airdrops: readonly Airdrop[], tokens: ReadonlyMap<SolanaAddress, Token>): Token {
  const token = tokens.get(mint) as Token
  const said = airdrops.find((airdrop) => airdrop.mint === mint && airdrop.token)?.token
  return token.listed || !said ? token : { ...token, ...said }
}

function claimableOf(airdrops: readonly Airdrop[], mint: SolanaAddress): bigint {
  const parts = airdrops.flatMap((airdrop) => (airdrop.mint === mint ? airdrop.parts : []))
  return parts.reduce((total, { isClaimable, amountRaw }) => (isClaimable ? total + amountRaw : total), 0n)
}

function openList(source: AllocationSource): ListedAirdrop {
  const refuse = (problem: string) => new StartupError(`The list of the airdrop ${source.key} ${problem}.`)
  let text: string
  try {
    text = readFileSync(source.file, 'utf8')
  } catch {
    throw refuse('cannot be read')
  }
  const list = readList(text, refuse)
  const root = Buffer.from(list.root).toString('hex')
  if (source.root !== undefined && source.root !== root) throw refuse(`has another root: ${root}`)
  return { source, list }
}

function readList(text: string, refuse: (problem: string) => StartupError): ListedAirdrop['list'] {
  try {
    return readAllocationList(text)
  } catch (error) {
    throw refuse(`is not as it should be: ${(error as Error).message}`)
  }
}
