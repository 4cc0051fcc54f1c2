import { z } from 'zod'
import { tableOf } from '../features/doctor/findings.ts'
import { type Command, defineCommand } from './admin-command.ts'
import { examineService } from './examine-service.ts'

export const doctor: Command = defineCommand({
  records: null,
  about:
    'Looks at endpoints, database, disk, clock, prices, queue and keys, and says what to mend; exits with 1 where one fails.',
  usage: '[--format table|json]',
  example: '--format json',
  flags: { format: z.enum(['table', 'json'], 'must be table or json').default('table') },
  async run({ db, config, vault, peppers }, { format }) {
    const findings = await examineService(config(), { db }, () => Promise.all([vault(), peppers()]))
    const failed = findings.some(({ state }) => state === 'fail')
    return format === 'json' ? { print: findings, failed } : { text: tableOf(findings), failed }
  },
})
