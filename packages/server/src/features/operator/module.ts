import { readFileSync } from 'node:fs'
import type { Secret } from '../../lib/secret.ts'
import type { SourceFacts } from '../../prices/source-module.ts'
import type { Module, Ports } from '../module.ts'
import { createAccountChanges } from './account-changes.ts'
import { viewNodes } from './node-views.ts'
import { portalOperatorRoutes } from './portal-operator-routes.ts'

export function operatorModule({
  config,
  database: { db },
  chainTypes,
  reading: { enabled, pools, nodes },
  effective,
}: Pick<Ports, 'database' | 'chainTypes' | 'reading'> & {
  config: {
    endpoints: ReadonlyMap<string, readonly Secret[]>
    prices: { sources: readonly string[]; settings: { has(variable: string): boolean } }
  }
  /** Settings by name; secrets are hidden. */
  effective: Readonly<Record<string, unknown>>
}) {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const views = {
    nodes: () => viewNodes({ enabled, pools, endpoints: config.endpoints, nodes }),
    priceSources: () => chainTypes.priceSources.map((source) => shownSource(source, config.prices)),
    configuration: () => ({ version: String(version), node: process.version, settings: effective }),
  }
  return { portal: portalOperatorRoutes({ db, accounts: createAccountChanges(db), views }) } satisfies Module
}

function shownSource(
  { name, leavesNode, settings }: SourceFacts,
  { sources, settings: values }: { sources: readonly string[]; settings: { has(variable: string): boolean } },
) {
  const place = sources.indexOf(name)
  return {
    name,
    place: place === -1 ? null : place + 1,
    leavesNode,
    settings: settings.map(({ variable }) => ({ variable, isSet: values.has(variable) })),
  }
}
