import type { Command } from './command.ts'
import { addressBookCommands } from './commands/address-book.ts'
import { alertCommands } from './commands/alerts.ts'
import { approvalsCommand } from './commands/approvals.ts'
import { completionCommand } from './commands/completion.ts'
import { creditsCommand } from './commands/credits.ts'
import { exportCommand, gainsCommand, holdingsFileCommand } from './commands/export.ts'
import { portfolioCommand } from './commands/holdings.ts'
import { loginCommand, logoutCommand } from './commands/login.ts'
import { navCommand } from './commands/nav.ts'
import { seriesCommand } from './commands/series.ts'
import { statusCommand } from './commands/status.ts'
import { syncCommand } from './commands/sync.ts'
import { transactionsCommand } from './commands/transactions.ts'
import { watchCommand } from './commands/watch.ts'
import { deliveryCommands } from './commands/webhook-deliveries.ts'
import { webhookCommands } from './commands/webhooks.ts'

const named: readonly Command[] = [
  loginCommand,
  logoutCommand,
  portfolioCommand,
  navCommand,
  seriesCommand,
  transactionsCommand,
  approvalsCommand,
  syncCommand,
  statusCommand,
  watchCommand,
  exportCommand,
  gainsCommand,
  holdingsFileCommand,
  ...addressBookCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...alertCommands,
  creditsCommand,
]

/** In the order of the help. */
export const commands: readonly Command[] = [...named, completionCommand(named)]
