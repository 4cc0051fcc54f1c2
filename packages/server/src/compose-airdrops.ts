import { readFileSync } from 'node:fs'
import type { Reading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import { createAirdropViews } from './features/airdrops/airdrop-views.ts'
import { readAllocationList } from './features/airdrops/allocation-list.ts'
import { createFindAirdrops, type ListedAirdrop, type ReadMintTokens } from './features/airdrops/find-airdrops.ts'
import { createAskProofs } from './features/airdrops/http-proofs.ts'
import { createReadAirdrops, type PriceMints } from './features/airdrops/valued-airdrops.ts'
import { byKey } from './kinds/chain-catalog.ts'
import type { AllocationSource } from './kinds/solana/distributors/airdrop-source.ts'
import { distributorPrograms } from './kinds/solana/distributors/distributor-programs.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { StartupError } from './lib/startup-error.ts'

const SOLANA = 'solana'

/**
 * Composes the search for airdrops. Throws `StartupError` for a list that cannot be read or parsed, or has another root
 * than configured.
 */
export function composeAirdrops({
  config,
  reading: { solana, usdPerEach },
  clock,
  logger: log,
}: {
  config: Config
  reading: Reading
  clock: Clock
  logger: Logger
}) {
  const chain = byKey(config.chains).get(SOLANA)
  if (!chain) throw new Error(`${SOLANA} is not in the catalog of chains`)
  const { http, allocations, urls } = config.airdrops
  const readTokens: ReadMintTokens = async (reader, mints) => {
    const tokens = await solana.tokens.of(chain)
    await tokens.learn(reader, mints)
    return new Map(
      mints
        .map((mint) => [mint, tokens.find(mint)] as const)
        .flatMap(([mint, token]) => (token ? [[mint, token]] : [])),
    )
  }
  const price: PriceMints = async (reader, amounts) => {
    const { isSpam } = await solana.tokens.of(chain)
    return solana.prices.open({ chain, reader }).price(amounts.filter(({ token }) => !isSpam(token)))
  }
  const find = createFindAirdrops({
    ...{ programs: distributorPrograms, http, readTokens, log },
    lists: allocations.map(openList),
    ask: createAskProofs({ urls }),
  })
  const read = createReadAirdrops({ openReader: () => solana.openReader(SOLANA), find, price, usdPerEach, clock })
  return createAirdropViews({ chain, read: config.endpoints.has(SOLANA) ? read : undefined })
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
