import type { AirdropAsset, Airdrops } from '@coffer/contract'
import type { DemoAirdrop } from '@coffer/devnet/solana'
import { assetRow, day, heading, type Row, table } from './table.ts'

/** What airdrops still owe a wallet, as a table for people; below it those that were placed and owe nothing. */
export function airdropTable(airdrops: Airdrops, placed: readonly DemoAirdrop[]): string {
  const rows = Object.values(airdrops.assetByProtocols).flatMap((protocol): Row[] => [
    heading(protocol.name, protocol.value),
    ...Object.values(protocol.chains).flatMap(({ protocolPositions }) =>
      protocolPositions.AIRDROP.protocolPositions.flatMap(({ name, value, assets }) => [
        heading(`  ${name}`, value),
        ...assets.map((asset) => assetRow(asset, 4, whenOf(asset))),
      ]),
    ),
  ])
  const lines = table(['line', ...rows], { name: 'To claim now', value: airdrops.networth })
  const through = placed.filter(({ due }) => due.length === 0).map(({ title, state }) => `${title} (${state})`)
  return [
    `Airdrops of ${airdrops.address}`,
    ...lines,
    `With nothing left, and so not shown: ${through.join(', ')}`,
    ...airdrops.incomplete.map(({ protocol, source, reason }) => `Incomplete: ${source ?? protocol} is ${reason}`),
  ].join('\n')
}

function whenOf({ isClaimable, unlockAt }: AirdropAsset): string {
  if (isClaimable) return 'now'
  return unlockAt === '0' ? 'not now' : `from ${day(unlockAt)}`
}
