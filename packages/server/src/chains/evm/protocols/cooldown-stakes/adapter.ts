import type { ProtocolAdapter } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { type Deployment, deployment } from './deployment.ts'
import { cooldownHistory } from './history.ts'
import { cooldownRows } from './rows.ts'
import { shapes } from './shapes.ts'

/** Assets that wait outside of shares are a separate position, and may be all that a wallet has. */
export const cooldownStakes: ProtocolAdapter<Deployment> = {
  name: 'cooldown_stakes',
  deployment,
  rows: cooldownRows,
  eachAlone: true,

  async discover({ reader, deployment: { shape, stakes } }) {
    const deployed = await Promise.all(stakes.map((stake) => isDeployed(reader, stake)))
    return Promise.all(stakes.filter((_, i) => deployed[i]).map((stake) => shapes[shape].discover(reader, stake)))
  },

  probe: ({ reader, deployment: { shape }, wallet, protocolContract }) =>
    shapes[shape].probe(reader, protocolContract, wallet),

  positions: eachAlone(({ reader, deployment: { shape }, wallet }, stake) =>
    shapes[shape].positions(reader, stake, wallet),
  ),

  decompose: ({ reader, deployment: { shape }, protocolContract, amountRaw }) =>
    shapes[shape].worth(reader, protocolContract, amountRaw),

  history: cooldownHistory,
}
