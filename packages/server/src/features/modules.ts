import { addressBookModule } from './address-book/module.ts'
import { airdropModule } from './airdrops/module.ts'
import { approvalModule } from './approvals/module.ts'
import { chainModule } from './chains/module.ts'
import { creditsModule } from './credits/module.ts'
import { eventModule } from './events/module.ts'
import { historyModule } from './history/module.ts'
import { keyModule } from './keys/module.ts'
import { joinModules, type Together } from './module.ts'
import { operatorModule } from './operator/module.ts'
import { portalUserModule } from './portal-users/module.ts'
import { portfolioModule } from './portfolio/module.ts'
import { priceModule } from './prices/module.ts'
import { quoteModule } from './quotes/module.ts'
import { retentionModule } from './retention/module.ts'
import { snapshotModule } from './snapshots/module.ts'
import { statementModule } from './statements/module.ts'
import { usageModule } from './usage/module.ts'
import { validatorModule } from './validators/module.ts'
import { virtualUserModule } from './virtual-users/module.ts'
import { watchModule } from './watches/module.ts'

const features = [
  creditsModule,
  addressBookModule,
  chainModule,
  portfolioModule,
  historyModule,
  airdropModule,
  approvalModule,
  snapshotModule,
  statementModule,
  validatorModule,
  virtualUserModule,
  eventModule,
  watchModule,
  retentionModule,
  keyModule,
  usageModule,
  priceModule,
  quoteModule,
  portalUserModule,
  operatorModule,
] as const

type AllPorts = Together<Parameters<(typeof features)[number]>[0]>

export const composeFeatures = (ports: AllPorts) => joinModules(features.map((compose) => compose(ports)))
